"""Clients are told when their list of tools is another one, by every way in that can tell them."""

import os
import signal
from pathlib import Path

import pytest

from tests.gateway.hostile.entries import hostile_json
from tests.gateway.listing.gateway import CHANGED, PULL, READ, names, opened, until
from tests.listening import connected, local, piped, watching
from tests.stores import Store
from tests.table import Table, open_table

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


async def test_a_client_on_a_pipe_hears_of_a_change_that_the_upstream_tells(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway, piped(gateway.table.app, local("alice")) as pipe:
        before = await names(pipe.asks)
        await gateway.pulls()
        responses = await pipe.hears()
        after = await names(pipe.asks)

    assert [each["method"] for each in responses] == [CHANGED]
    assert (READ in before, READ in after) == (True, False)


async def test_everybody_who_has_listed_hears_of_it_and_nobody_twice(store: Store, tmp_path: Path) -> None:
    async with (
        opened(store, tmp_path) as gateway,
        piped(gateway.table.app, local("alice")) as alice,
        piped(gateway.table.app, local("bob")) as bob,
        piped(gateway.table.app, local("cid")) as cid,
    ):
        await names(alice.asks)
        await names(bob.asks)
        await gateway.pulls()
        notifications = [await alice.hears(), await bob.hears()]
        await gateway.decides("accept_tool", upstream="shop", tool="read_note")
        notifications += [await alice.hears(), await bob.hears()]

    assert [message["method"] for each in notifications for message in each] == [CHANGED] * 4
    assert [pipe.notifications.qsize() for pipe in (alice, bob, cid)] == [0, 0, 0]


async def test_a_silent_change_is_told_to_the_others_when_somebody_lists(store: Store, tmp_path: Path) -> None:
    async with (
        opened(store, tmp_path, tells=False) as gateway,
        piped(gateway.table.app, local("alice")) as alice,
        piped(gateway.table.app, local("bob")) as bob,
    ):
        await names(alice.asks)
        await names(bob.asks)
        await gateway.pulls()

        async def is_gone() -> bool:
            return READ not in await names(bob.asks)

        await until(is_gone)
        responses = await alice.hears()

    assert responses[0]["method"] == CHANGED


async def test_a_rule_that_changes_nothing_for_a_client_is_not_told(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway, piped(gateway.table.app, local("alice")) as pipe:
        await names(pipe.asks)
        await gateway.decides("set_rules", rules=[{"match": "elsewhere.*", "layer": "deny"}])
        await gateway.decides("set_rules", rules=[{"match": "shop.read_note", "layer": "deny"}])
        responses = await pipe.hears()
        after = await names(pipe.asks)

    assert (responses[0]["method"], pipe.notifications.qsize()) == (CHANGED, 0)
    assert READ not in after


async def test_a_client_of_an_older_revision_over_http_hears_of_it_on_its_stream(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway:
        connection = await connected(gateway.table.http)
        async with connection.listens() as stream:
            assert await stream.status() == 200
            await names(connection.asks)
            await gateway.pulls()
            responses = await stream.hears()

    assert responses[0]["method"] == CHANGED


async def test_a_listener_of_the_current_revision_hears_of_it_in_its_request(store: Store, tmp_path: Path) -> None:
    wish = {"notifications": {"toolsListChanged": True}}
    async with opened(store, tmp_path) as gateway, watching(gateway.table.http, wish, "subscriptions/listen") as stream:
        assert await stream.status() == 200
        acknowledged = (await stream.hears())[0]
        await gateway.pulls()
        response = (await stream.hears())[0]

    assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}
    assert (response["method"], "_meta" in response["params"]) == (CHANGED, True)


async def test_a_change_is_on_record_without_anybody_calling(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway:
        await names(gateway.agent().posts)
        await gateway.pulls()
        await until(gateway.is_quarantined)
        quarantined = await gateway.events("gateway/tool_quarantined")

    assert [(each["upstream"], each["tool"], each["reason"]) for each in quarantined] == [
        ("shop", "read_note", "changed")
    ]
    assert quarantined[0]["actor"] == "longtable"


async def test_an_upstream_that_stays_away_is_told_and_again_when_it_is_back(store: Store, tmp_path: Path) -> None:
    away = tmp_path / "away"
    servers = {"shop": hostile_json("crashing", "start", away)}
    async with opened(store, tmp_path, mcpServers=servers) as gateway, piped(gateway.table.app, local("alice")) as pipe:
        before = await names(pipe.asks)
        away.touch()
        os.kill(gateway.pid_of("shop"), signal.SIGKILL)
        gone = await pipe.hears()
        without = await names(pipe.asks)
        away.unlink()
        back = await pipe.hears()
        after = await names(pipe.asks)

    assert [each["method"] for each in (*gone, *back)] == [CHANGED] * 2
    assert (without, after) == ([], before)


@pytest.mark.parametrize(("listing", "notified"), [("full", True), ("search", False), (None, True)])
async def test_news_of_the_list_are_promised_exactly_where_they_can_come(
    store: Store, tmp_path: Path, listing: str | None, notified: bool
) -> None:
    table = open_table(store, tmp_path) if listing is None else opened(store, tmp_path, listing=listing)
    async with table as place:
        promised = await promises(place if isinstance(place, Table) else place.table)

    assert promised == [notified] * 2


async def test_a_list_that_is_looked_through_never_changes(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, listing="search") as gateway, piped(gateway.table.app, local("alice")) as pipe:
        before = await names(pipe.asks)
        await gateway.pulls("gateway_call", tool=PULL)
        await gateway.decides("set_rules", rules=[{"match": "shop.read_note", "layer": "deny"}])
        after = await names(pipe.asks)

    assert (before, after, pipe.notifications.qsize()) == ([], [], 0)


async def promises(table: Table) -> list[bool]:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    async with piped(table.app, local("alice"), modern=False) as pipe:
        older = (await pipe.asks("initialize", hello))["result"]["capabilities"]["tools"]
    newer = (await table.agent().posts("server/discover", {})).json()["result"]["capabilities"]["tools"]
    return [older["listChanged"], newer["listChanged"]]
