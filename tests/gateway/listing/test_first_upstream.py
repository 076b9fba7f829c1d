"""A server that began without any upstream: its clients hear of the first one that is added, and can use all of it."""

from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.call import CurrentSession
from longtable.toolkit.dispatch import Invocation
from tests.gateway.listing.gateway import CHANGED, PERSON, until
from tests.gateway.protocol.conftest import asks, library, upstream_resources
from tests.listening import connected, local, piped, watching
from tests.stores import Store
from tests.table import Table, open_table

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TOOL = "mindscape_tool_library_get_link"


async def add_library(table: Table, folder: Path) -> None:
    entry = library(folder / "journal", trust="first-use")
    arguments = {"name": "library", "entry": entry, "accept": True}
    outcome = await table.app.dispatcher.call(Invocation("add_upstream", arguments, PERSON, CurrentSession()))
    assert outcome.error is None, outcome.body


async def tools_of(client: Any) -> list[str]:
    return [tool["name"] for tool in (await client.asks("tools/list", {}))["result"]["tools"]]


async def test_every_client_is_told_of_the_first_upstream(store: Store, tmp_path: Path) -> None:
    wish = {"notifications": {"toolsListChanged": True, "resourcesListChanged": True}}
    async with open_table(store, tmp_path) as table, piped(table.app, local("alice")) as pipe:
        connection = await connected(table.http)
        before = [await tools_of(client) for client in (pipe, connection)]
        async with connection.listens() as stream, watching(table.http, wish, "subscriptions/listen") as newer:
            assert (await stream.status(), await newer.status()) == (200, 200)
            await newer.hears()
            await add_library(table, tmp_path)
            notifications = [(await client.hears())[0]["method"] for client in (pipe, stream)]
            also = {each["method"] for each in await newer.hears(2)}
        after = [await tools_of(client) for client in (pipe, connection)]

    assert notifications == [CHANGED, CHANGED]
    assert also == {CHANGED, "notifications/resources/list_changed"}
    assert [TOOL in names for names in (*before, *after)] == [False, False, True, True]


async def test_its_resources_and_prompts_need_no_restart(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        agent = table.agent("alice")
        none = await upstream_resources(agent)
        await add_library(table, tmp_path)

        async def is_listed() -> bool:
            return bool(await upstream_resources(agent))

        await until(is_listed)
        prompts = {each["name"] for each in (await asks(agent, "prompts/list"))["prompts"]}
        hello = await asks(agent, "server/discover")

    assert none == {}
    assert "mindscape_prompt_library_review" in prompts
    assert "mindscape_tool_…" in hello["instructions"]
