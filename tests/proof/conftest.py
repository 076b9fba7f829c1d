"""The same places and processes as in tests/e2e."""

from tests.e2e.conftest import anyio_backend, embedded, login, postgres, processes, replicated, store

__all__ = ["anyio_backend", "embedded", "login", "postgres", "processes", "replicated", "store"]
