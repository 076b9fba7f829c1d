"""Each store in turn."""

from tests.stores import anyio_backend, login, postgres, store

__all__ = ["anyio_backend", "login", "postgres", "store"]
