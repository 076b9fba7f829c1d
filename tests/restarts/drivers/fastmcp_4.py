"""The client of FastMCP, with the handshake."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from driving import Driver
from fastmcp import Client as FastClient
from mcp_types import Implementation, ResourceUpdatedNotification
from python_2 import Events, Subscribe


class FastMcpClient:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        return result.structured_content or {}

    async def subscribe(self, uri: str, events: dict[str, Any]) -> None:
        await self._client.session.subscribe_resource(uri)
        await self._client.session.send_notification(Subscribe(params=events))


@asynccontextmanager
async def connect(driver: Driver) -> AsyncIterator[FastMcpClient]:
    async def hears(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            driver.hears_update(str(message.params.uri))

    who = Implementation(name=driver.config["name"], version="1")
    async with FastClient(
        driver.config["url"], mode="legacy", message_handler=hears, client_info=who, extensions=[Events(driver)]
    ) as client:
        yield FastMcpClient(client)


asyncio.run(Driver().run(connect))
