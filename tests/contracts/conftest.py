"""The stores, for every contract."""

from tests.stores import anyio_backend, login, postgres, replicated, store

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]
