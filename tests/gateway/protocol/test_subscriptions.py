"""Who subscribes to a resource of another server is told when it changes, by every way in, and nobody else is."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.errors import NotFound
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import UpstreamCall
from tests.gateway.hostile.entries import ROOT
from tests.gateway.protocol.conftest import asks, library, noted, opened
from tests.gateway.protocol.sharing import shared_program
from tests.gateway.slice.gateway import AUTH_ON
from tests.listening import connected, local, piped, watching
from tests.stores import Store
from tests.table import Agent, Table

BOOK = "longtable://upstream/library/book://shelf/1"
SECOND = "longtable://upstream/library/book://shelf/2"
UPDATED = "notifications/resources/updated"
RESOURCES, PROMPTS = "notifications/resources/list_changed", "notifications/prompts/list_changed"


async def touch(table: Table, tool: str = "get_touched", agent: Agent | None = None) -> None:
    """Somebody makes the server report a change."""
    name = f"mindscape_tool_library_{tool}"
    result = await asks(agent or table.agent("dan"), "tools/call", name=name, arguments={})
    assert not result["isError"], result


@asynccontextmanager
async def listening(table: Table, token: str | None = None, **wish: Any) -> AsyncIterator[Any]:
    """One long request of the current revision, and what was acknowledged of it."""
    known = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with watching(table.http, {"notifications": wish}, "subscriptions/listen", **known) as stream:
        assert await stream.status() == 200
        stream.acknowledged = (await stream.hears())[0]["params"]["notifications"]
        yield stream


async def test_a_client_on_a_pipe_is_told_of_the_resource_that_it_subscribed_to(table: Table) -> None:
    async with piped(table.app, local("alice")) as pipe, piped(table.app, local("bob")) as other:
        subscribed = await pipe.asks("resources/subscribe", {"uri": BOOK})
        await other.asks("resources/list")
        await touch(table)
        await touch(table)
        notifications = await pipe.hears(1)

    assert subscribed["result"] == {}
    assert notifications[0]["method"] == UPDATED
    assert notifications[0]["params"] == {"uri": BOOK}
    assert other.notifications.qsize() == 0


async def test_a_client_of_an_older_revision_over_http_is_told_on_its_stream(table: Table) -> None:
    connection = await connected(table.http)
    async with connection.listens() as stream:
        assert await stream.status() == 200
        await connection.asks("resources/subscribe", {"uri": BOOK})
        await touch(table)
        notification = (await stream.hears())[0]

    assert (notification["method"], notification["params"]) == (UPDATED, {"uri": BOOK})


async def test_a_stream_that_comes_later_is_told_that_what_it_missed_may_have_changed(table: Table) -> None:
    connection = await connected(table.http)
    await connection.asks("resources/subscribe", {"uri": BOOK})
    await touch(table)

    async with connection.listens() as stream:
        assert await stream.status() == 200
        notification = (await stream.hears())[0]

    assert (notification["method"], notification["params"]) == (UPDATED, {"uri": BOOK})


async def test_a_listener_of_the_current_revision_is_told_in_its_request(table: Table) -> None:
    film = "longtable://upstream/library/film://1"
    async with listening(table, resourceSubscriptions=[BOOK, film]) as stream:
        await touch(table)
        notification = (await stream.hears())[0]

    assert stream.acknowledged["resourceSubscriptions"] == [BOOK]
    assert (notification["method"], notification["params"]["uri"], "_meta" in notification["params"]) == (
        UPDATED,
        BOOK,
        True,
    )


async def test_the_server_is_subscribed_to_once_and_left_with_the_last(table: Table, journal: Path) -> None:
    async with piped(table.app, local("alice")) as first, piped(table.app, local("bob")) as second:
        for pipe in (first, second):
            await pipe.asks("resources/subscribe", {"uri": BOOK})
        await first.asks("resources/unsubscribe", {"uri": BOOK})
        await touch(table)
        notifications = await second.hears()
        subscriptions = noted(journal, "subscribe")

    assert (subscriptions, notifications[0]["params"]["uri"], first.notifications.qsize()) == (
        ["book://shelf/1"],
        BOOK,
        0,
    )


async def test_what_the_server_does_not_have_cannot_be_subscribed_to(table: Table) -> None:
    async with piped(table.app, local("alice")) as pipe:
        refused = [
            (await pipe.asks("resources/subscribe", {"uri": f"longtable://upstream/{uri}"}))["error"]["code"]
            for uri in ("library/film://1", "nowhere/book://shelf/1")
        ]

    assert refused == [-32_002, -32_002]


async def test_what_a_rule_denies_is_neither_subscribed_to_nor_told(
    store: Store, tmp_path: Path, journal: Path
) -> None:
    rules = [{"match": "library.resources/book://shelf/1", "layer": "deny"}]
    async with (
        opened(store, tmp_path, {"library": library(journal)}, rules=rules) as table,
        listening(table, resourceSubscriptions=[BOOK, SECOND]) as stream,
    ):
        await touch(table)
        notification = (await stream.hears())[0]

    assert stream.acknowledged["resourceSubscriptions"] == [SECOND]
    assert notification["params"]["uri"] == SECOND
    assert noted(journal, "subscribe") == ["book://shelf/2"]


async def test_tenants_hear_of_their_own_process_alone(store: Store, tmp_path: Path, journal: Path) -> None:
    wish = {"resourceSubscriptions": [BOOK], "resourcesListChanged": True}
    async with opened(store, tmp_path, {"library": library(journal)}, AUTH_ON) as table:
        acme, rival = [table.agent("alice", token=f"{tenant}-secret") for tenant in ("acme", "rival")]
        async with listening(table, "acme-secret", **wish) as stream:
            for agent, tool in ((rival, "get_touched"), (rival, "get_grown"), (acme, "get_touched")):
                await touch(table, tool, agent)
            notification = (await stream.hears())[0]
            await touch(table, "get_grown", acme)
            then = (await stream.hears())[0]

    assert [each["method"] for each in (notification, then)] == [UPDATED, RESOURCES]


async def test_a_server_that_comes_back_is_subscribed_to_again(table: Table, journal: Path) -> None:
    found = table.app.slices.gateway.dependencies.upstreams.find("default", "library")
    assert found is not None
    assert isinstance(found.upstream, McpUpstream)
    async with piped(table.app, local("alice")) as pipe:
        await pipe.asks("resources/subscribe", {"uri": BOOK})
        pid = found.upstream.child_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        missed = await pipe.hears()
        await touch(table)
        notifications = await pipe.hears()

    assert [each["params"]["uri"] for each in (*missed, *notifications)] == [BOOK, BOOK]
    assert noted(journal, "subscribe") == ["book://shelf/1"] * 2


async def test_clients_are_told_that_the_lists_of_a_server_have_changed(table: Table) -> None:
    async with piped(table.app, local("alice")) as pipe, piped(table.app, local("bob")) as other:
        before = [await pipe.asks(f"{kind}/list") for kind in ("resources", "prompts")]
        await touch(table, "get_grown")
        notifications = await pipe.hears(2)
        after = [await pipe.asks(f"{kind}/list") for kind in ("resources", "prompts")]

    counts = [
        len(answer["result"][kind])
        for answers in (before, after)
        for kind, answer in zip(("resources", "prompts"), answers, strict=True)
    ]
    assert {each["method"] for each in notifications} == {RESOURCES, PROMPTS}
    assert (counts[2] - counts[0], counts[3] - counts[1], other.notifications.qsize()) == (1, 1, 0)


@pytest.mark.parametrize("kind", ["resources", "prompts"])
async def test_each_revision_is_told_of_a_changed_list_in_its_own_way(table: Table, kind: str) -> None:
    connection, wish = await connected(table.http), dict[str, Any]({f"{kind}ListChanged": True})
    async with connection.listens() as older, listening(table, **wish) as newer:
        assert await older.status() == 200
        await connection.asks(f"{kind}/list", {})
        await touch(table, "get_grown")
        notifications = [(await stream.hears())[0]["method"] for stream in (older, newer)]

    assert newer.acknowledged == {f"{kind}ListChanged": True}
    assert notifications == [f"notifications/{kind}/list_changed"] * 2


async def test_who_may_not_see_a_list_is_not_told_that_it_has_changed(
    store: Store, tmp_path: Path, journal: Path
) -> None:
    rules = [{"match": "library.resources/*", "layer": "deny"}]
    async with (
        opened(store, tmp_path, {"library": library(journal)}, rules=rules) as table,
        listening(table, resourcesListChanged=True, promptsListChanged=True) as stream,
    ):
        await touch(table, "get_grown")
        notification = (await stream.hears())[0]

    assert notification["method"] == PROMPTS


async def test_a_subscribed_server_is_not_ended_for_being_idle(store: Store, tmp_path: Path, journal: Path) -> None:
    async with (
        opened(store, tmp_path, {"library": library(journal, idle_timeout="1s")}) as table,
        piped(table.app, local("alice")) as pipe,
    ):
        upstream = table.app.slices.gateway.dependencies.upstreams.find("default", "library")
        assert upstream is not None
        assert isinstance(upstream.upstream, McpUpstream)
        await pipe.asks("resources/subscribe", {"uri": BOOK})
        while_subscribed = upstream.upstream.unused_since
        await pipe.asks("resources/unsubscribe", {"uri": BOOK})
        afterwards = upstream.upstream.unused_since

    assert (while_subscribed, afterwards is None) == (None, False)


async def test_a_changed_entry_is_subscribed_to_again(table: Table, journal: Path) -> None:
    upstreams = table.app.slices.gateway.dependencies.upstreams
    found = upstreams.find("default", "library")
    assert found is not None
    assert isinstance(found.entry, StdioEntry)
    async with piped(table.app, local("alice")) as pipe:
        await pipe.asks("resources/subscribe", {"uri": BOOK})
        upstreams.set_file_entries([replace(found.entry, env={"OTHER": "1"})])
        missed = await pipe.hears()
        await touch(table)
        notifications = await pipe.hears()

    assert [each["params"]["uri"] for each in (*missed, *notifications)] == [BOOK, BOOK]


async def test_subscriptions_pass_through_the_process_that_runs_a_program(
    tmp_path: Path, journal: Path, revision: str
) -> None:
    words = ("-m", "tests.gateway.protocol.library", "library", revision, str(journal))
    entry = StdioEntry("library", "library", command=sys.executable, args=words, cwd=str(ROOT))
    updated, listed = asyncio.Event(), asyncio.Queue[str]()
    async with asyncio.timeout(30), shared_program(entry, tmp_path / "s") as program:
        program.on_list_change(listed.put_nowait)
        await program.subscribe("book://shelf/1", updated.set)
        await program.call(UpstreamCall("get_touched", {}))
        await updated.wait()
        await program.call(UpstreamCall("get_grown", {}))
        kinds = {await listed.get(), await listed.get()}
        with pytest.raises(NotFound):
            await program.subscribe("film://1", updated.set)

    assert kinds == {"resources", "prompts"}
