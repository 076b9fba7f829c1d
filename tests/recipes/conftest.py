"""Processes that end with the test, on an embedded store."""

from tests.e2e.conftest import anyio_backend, embedded, processes

__all__ = ["anyio_backend", "embedded", "processes"]
