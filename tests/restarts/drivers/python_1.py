"""The official Python SDK, first generation. It drops notifications that it does not know, so it hears of resources."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from driving import Driver
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation, ResourceUpdatedNotification, ServerNotification


class FirstSdkClient:
    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._session.call_tool(tool, arguments)
        if result.isError:
            raise RuntimeError(str(result.structuredContent))
        return result.structuredContent or {}

    async def subscribe(self, uri: str, events: dict[str, Any]) -> None:
        await self._session.subscribe_resource(uri)


@asynccontextmanager
async def connect(driver: Driver) -> AsyncIterator[FirstSdkClient]:
    async def hears(message: Any) -> None:
        if isinstance(message, ServerNotification) and isinstance(message.root, ResourceUpdatedNotification):
            driver.hears_update(str(message.root.params.uri))

    async with streamable_http_client(driver.config["url"], terminate_on_close=False) as (incoming, outgoing, _):
        who = Implementation(name=driver.config["name"], version="1")
        async with ClientSession(incoming, outgoing, message_handler=hears, client_info=who) as session:
            await session.initialize()
            yield FirstSdkClient(session)


asyncio.run(Driver().run(connect))
