"""A provider for all of these tests, and a table that wants its tokens."""

import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, Server
from tests.sign_in.provider import CONSOLE, IdentityProvider, fresh, started_provider
from tests.stores import Store, anyio_backend, login, postgres, store
from tests.table import ADDRESS, Table, open_table

__all__ = ["anyio_backend", "login", "postgres", "store"]

RESOURCE = f"{ADDRESS}/mcp"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Each needs a process of Node."""
    item.add_marker(pytest.mark.slow)
    item.add_marker(pytest.mark.node)


@pytest.fixture(scope="session")
def issuer() -> Iterator[str]:
    with started_provider() as address:
        yield address


@pytest.fixture
async def provider(issuer: str) -> AsyncIterator[IdentityProvider]:
    async with fresh(issuer) as result:
        yield result


@pytest.fixture
async def company(store: Store, tmp_path: Path, issuer: str) -> AsyncIterator[Table]:
    """Its software has access tokens of the provider, and its people sign in there."""
    async with open_table(store, tmp_path, **options_for(issuer)) as table:
        yield table


def options_for(issuer: str, address: str = ADDRESS) -> dict[str, str]:
    return {
        "auth": "jwt",
        "public_url": address,
        "jwt_issuer": issuer,
        "jwt_tenant": "acme",
        "oauth_first_scope": "read",
        "oidc_issuer": issuer,
        "oidc_groups": "admins=owner,staff=human,guests=human@visitors",
        **CONSOLE,
    }


def served(processes: Processes, issuer: str, folder: Path, host: str = "127.0.0.1") -> Server:
    """A server of its own, which knows its address before it listens: under this name of this machine."""
    port = free_port()
    options = options_for(issuer, f"http://{host}:{port}")
    server = processes.serve({"data_dir": str(folder), "durability": "fast", "http_port": str(port), **options})
    server.address = f"http://{host}:{port}"
    return server


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
