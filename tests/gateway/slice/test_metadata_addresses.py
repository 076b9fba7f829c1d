"""No owner reaches the metadata service of a cloud through an upstream, by its address or by a name of it."""

import asyncio
import socket
from typing import Any

import pytest

from tests.gateway.slice.gateway import GatewayServer
from tests.gateway.slice.test_added_upstreams import owner_of

METADATA = "169.254.169.254"
NAMES = ("innocent.example", "metadata.google.internal")


@pytest.fixture
async def resolving(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of others lead to the metadata service; those that were asked for."""
    loop, hosts = asyncio.get_running_loop(), list[str]()
    real = loop.getaddrinfo

    async def lookup(host: Any, port: Any, **more: Any) -> Any:
        if host not in NAMES:
            return await real(host, port, **more)
        hosts.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (METADATA, port))]

    monkeypatch.setattr(loop, "getaddrinfo", lookup)
    return hosts


@pytest.fixture
async def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Addresses outside of this machine to which connections were made."""
    loop, made = asyncio.get_running_loop(), list[Any]()
    real = loop.create_connection

    async def connect(factory: Any, host: Any = None, port: Any = None, **more: Any) -> Any:
        if host in (None, "127.0.0.1", "localhost", "::1"):
            return await real(factory, host, port, **more)
        made.append(host)
        raise OSError("nobody is connected to here")

    monkeypatch.setattr(loop, "create_connection", connect)
    return made


@pytest.mark.parametrize("host", [METADATA, "[::ffff:169.254.169.254]", *NAMES])
@pytest.mark.parametrize(
    "entry", [{"url": "https://{host}/latest"}, {"openapi": "https://{host}/openapi.json"}], ids=["mcp", "openapi"]
)
async def test_an_upstream_at_the_metadata_service_is_refused(
    gateway_with_auth: GatewayServer, resolving: list[str], connected: list[Any], host: str, entry: dict[str, str]
) -> None:
    owner = await owner_of(gateway_with_auth)
    placed = {key: text.format(host=host) for key, text in entry.items()}

    added = await owner.post("/upstreams", json={"name": "cloud", "entry": placed})
    shown = await owner.get("/upstreams/cloud")

    problem = added.text if added.status_code >= 400 else str(shown.json()["upstream"]["problem"])
    assert "refused" in problem
    assert not connected
    assert host != "innocent.example" or set(resolving) == {host}
