"""The stores, for every contract: without tables, as a first start finds them."""

from tests.stores import anyio_backend, login, postgres, replicated
from tests.stores import new_store as store

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]
