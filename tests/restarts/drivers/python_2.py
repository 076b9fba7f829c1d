"""The official Python SDK, second generation, with the handshake of the revisions that people use now."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from driving import EVENTS, Driver
from mcp import Client as SdkClient
from mcp.client import ClientExtension, NotificationBinding
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation, ResourceUpdatedNotification
from pydantic import BaseModel, ConfigDict


class AnyEvent(BaseModel):
    model_config = ConfigDict(extra="allow")


class Subscribe(BaseModel):
    method: str = "notifications/subscribe"
    params: dict[str, Any]


class Events(ClientExtension):
    """Hands the events of Longtable to the driver."""

    identifier = "test.longtable/events"

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def notifications(self) -> Sequence[NotificationBinding[Any]]:
        async def hears(event: AnyEvent) -> None:
            self._driver.hears_event(event.model_extra or {})

        return [NotificationBinding(method=kind, params_type=AnyEvent, handler=hears) for kind in EVENTS]


class SecondSdkClient:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        if result.is_error:
            raise RuntimeError(str(result.structured_content))
        return result.structured_content or {}

    async def subscribe(self, uri: str, events: dict[str, Any]) -> None:
        await self._client.subscribe_resource(uri)
        await self._client.session.send_notification(Subscribe(params=events))


@asynccontextmanager
async def connect(driver: Driver) -> AsyncIterator[SecondSdkClient]:
    async def hears(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            driver.hears_update(str(message.params.uri))

    transport = streamable_http_client(driver.config["url"], terminate_on_close=False)
    who = Implementation(name=driver.config["name"], version="1")
    async with SdkClient(
        transport, mode="legacy", message_handler=hears, client_info=who, extensions=[Events(driver)]
    ) as client:
        yield SecondSdkClient(client)


if __name__ == "__main__":
    asyncio.run(Driver().run(connect))
