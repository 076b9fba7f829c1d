"""No owner reaches the metadata service of a cloud through an upstream, by its address or by a name of it."""

import asyncio
import socket
from typing import Any

import pytest

from tests.gateway.slice.gateway import GatewayServer
from tests.gateway.slice.test_added_upstreams import owner_of

METADATA = "169.254.169.254"


@pytest.fixture
async def resolving(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every name leads to the metadata service; the names that were asked for."""
    asked: list[str] = []

    async def lookup(host: str, port: int, **more: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (METADATA, port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    return asked


@pytest.fixture
async def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Addresses to which connections were made."""
    made: list[Any] = []

    async def connect(factory: Any, host: str, port: int, **more: Any) -> Any:
        made.append(host)
        raise OSError("nobody is connected to here")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", connect)
    return made


@pytest.mark.parametrize("host", [METADATA, "innocent.example", "[::ffff:169.254.169.254]", "metadata.google.internal"])
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

    told = added.text if added.status_code >= 400 else str(shown.json()["upstream"]["problem"])
    assert "refused" in told
    assert not connected
    assert host != "innocent.example" or set(resolving) == {host}
