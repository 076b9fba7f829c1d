"""The same two tenants before a gateway to a server of the test's own, and what acme's people try there."""

import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.clock import DAY
from tests.gateway.slice.gateway import DELETE, GET, LIST, gateway_file, use
from tests.stores import Store
from tests.table import open_table
from tests.walls.probes import Probe, answer_of, fetched
from tests.walls.scene import HERE, OPTIONS, PRYING, VICTIM, WORD, Room, Scene, TenantFacts, issue_tokens, same_ids

_ENTRY = {"url": "https://acme.example/mcp"}
_LIMITS = {"max_waiting_decisions": "4", "denial_pause": "1d"}
"""Calls of rival's that wait, or were denied, would be noticed if they counted for acme."""


async def gateway_prepared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 600.0)
    folder.mkdir(parents=True)  # noqa: ASYNC240
    options = {**OPTIONS, "gateway_config": str(gateway_file(folder)), **_LIMITS}
    path = folder / "data" / "longtable.db"
    facts = {VICTIM: TenantFacts(), PRYING: TenantFacts()}
    async with open_table(Store("sqlite", str(path)), folder, **options) as table:
        for tenant in (VICTIM, PRYING):
            await issue_tokens(table, tenant, facts[tenant])
        for tenant in (VICTIM, PRYING):
            with same_ids("gateway"):
                await _fill(Room(table, tenant, facts[tenant]), WORD[tenant])
        await _fill_further(Room(table, VICTIM, facts[VICTIM]), WORD[VICTIM])
    _add_first_tenant(path)
    return Scene(path.read_bytes(), facts, options)


def _add_first_tenant(path: Path) -> None:
    """The sessions of rival once more, for a tenant that comes first in every key: of several rows, most code takes
    the first."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TEMP TABLE copied AS SELECT * FROM sessions WHERE tenant = ?", (VICTIM,))
        connection.execute("UPDATE temp.copied SET tenant = 'aaa'")
        connection.execute("INSERT INTO sessions SELECT * FROM temp.copied")


async def _fill(room: Room, word: str) -> None:
    ada, owner = room.agent("ada"), room.owner()
    await room.agent("lead", None).calls("create_session", session_id=HERE, purpose=f"{word} purpose")
    rule = {"match": "shop.get_*", "layer": "tool", "rate": "5/3600s"}
    changed = await owner.put("/rules", json={"rules": [rule]})
    assert changed.status_code == 200, changed.text
    await _add_upstream(room, "docs", word)
    why = {"original_message": f"{word} wants it", "conversation_id": "talk"}
    await use(ada, LIST, _context=why)
    first_call = (await owner.get("/calls")).json()["calls"][0]["call_id"]
    requests = []
    for number in (1, 2, 3, 5):
        requests.append((await use(ada, DELETE, inputs={"post": {"id": number}, "note": None}, _context=why)).details)
    await owner.post("/decisions/d2/approve", json={"reason": word})
    await owner.post("/decisions/d3/deny", json={"reason": word})
    confirm_tokens = [each["confirm_token"] for each in requests]
    room.facts.known |= {"asked": confirm_tokens, "first_call": first_call}


async def _add_upstream(room: Room, name: str, word: str) -> None:
    body = {"name": name, "entry": {"url": f"https://{word}.example/mcp"}, "enabled": False}
    added = await room.owner().post("/upstreams", json=body)
    assert added.status_code == 201, added.text


async def _fill_further(room: Room, word: str) -> None:
    """Rival has decided and called more than acme, and has other rules and upstreams."""
    ada, owner = room.agent("ada"), room.owner()
    await _add_upstream(room, "rivals", word)
    await owner.post("/decisions/d1/approve", json={"reason": word, "for_10_minutes": True})
    fourth = await use(ada, DELETE, inputs={"post": {"id": 4}, "note": None})
    room.facts.known |= {"fourth": fourth.details["confirm_token"]}
    denied = await use(ada, DELETE, inputs={"post": {"id": 7}, "note": None})
    await owner.post(f"/decisions/{denied.details['confirmation_id']}/deny", json={"reason": word})
    for _ in range(5):
        await use(ada, GET, inputs={"id": 1}, _context={"original_message": word, "conversation_id": "other"})
    room.facts.known |= {"call_id": (await owner.get("/calls")).json()["calls"][0]["call_id"]}
    for layer in ("tool", "run"):
        changed = await owner.put("/rules", json={"rules": [{"match": "shop.get_post", "layer": layer}]})
        assert changed.status_code == 200, changed.text


def gateway_probes(rival: TenantFacts) -> Iterator[Probe]:
    for path in ("decisions", "decisions?status=waiting", "upstreams", "pins", "rules", "intents", "calls", "now"):
        yield Probe(f"GET /{path}", fetched(f"/{path}"))
    yield Probe("GET /intents of one", fetched("/intents?conversation_id=other"))
    yield Probe("GET /calls of a session", fetched(f"/calls?session_id={HERE}"))
    yield Probe("GET a call that both have", fetched(f"/calls/{rival['first_call']}"))
    yield Probe("GET a call of rival", fetched(f"/calls/{rival['call_id']}"))
    for decision in ("d1", "d4", "d5"):
        yield Probe(f"read {decision}", fetched(f"/decisions/{decision}"))
        yield Probe(f"approve {decision}", _posted(f"/decisions/{decision}/approve", {"reason": "yes"}))
        yield Probe(f"deny {decision}", _posted(f"/decisions/{decision}/deny", {"reason": "no"}))
    yield Probe("switch", _posted("/upstreams/shop/switch", {"on": False}))
    yield Probe("accept", _posted("/pins/accept", {"upstream": "shop", "tool": "get_post"}))
    for name in ("docs", "rivals"):
        yield Probe(f"show {name}", fetched(f"/upstreams/{name}"))
        yield Probe(f"add {name}", _posted("/upstreams", {"name": name, "entry": _ENTRY, "enabled": False}))
        yield Probe(f"change {name}", _changed(name))
        yield Probe(f"remove {name}", _removed(name))
    yield Probe("set rules", _put_rules)
    yield Probe("list tools", _lists)
    yield Probe("brief", _used("brief", {"max_chars": 100_000}))
    for number in (1, 2, 3, 4, 7):
        inputs = {"post": {"id": number}, "note": None}
        yield Probe(f"use {number}", _used(DELETE, {"inputs": inputs}))
    for number in (0, 1, 2):
        inputs = {"post": {"id": number + 1}, "note": None}
        yield Probe(f"confirmed {number}", _used(DELETE, {"inputs": inputs}, number))
    foreign = {"inputs": {"post": {"id": 4}, "note": None}, "confirm_token": rival["fourth"]}
    yield Probe("confirmed by rival's", _used(DELETE, foreign))
    context = {"original_message": "acmeword wants it", "conversation_id": "talk"}
    yield Probe("use with a reason", _used(LIST, {"_context": context}))
    same = {"original_message": "rivalword wants it", "conversation_id": "talk"}
    yield Probe("use with rival's reason", _used(LIST, {"_context": same}))
    yield Probe("use often", _used_often)
    yield Probe("purge a session", _purged)


def _posted(path: str, body: dict[str, Any]) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        return answer_of(await room.owner().post(path, json=body))

    return run


def _changed(name: str) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        return answer_of(await room.owner().patch(f"/upstreams/{name}", json={"entry": _ENTRY}))

    return run


def _removed(name: str) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        return answer_of(await room.owner().delete(f"/upstreams/{name}"))

    return run


async def _put_rules(room: Room) -> Any:
    body = {"rules": [{"match": "shop.*", "layer": "tool"}], "expected_version": 1}
    return answer_of(await room.owner().put("/rules", json=body))


async def _lists(room: Room) -> Any:
    return json.loads((await room.agent("ada").posts("tools/list", {})).text)


def _used(tool: str, arguments: dict[str, Any], asked: int | None = None) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        token = {} if asked is None else {"confirm_token": room.facts["asked"][asked]}
        return (await use(room.agent("ada"), tool, {**arguments, **token})).result

    return run


async def _used_often(room: Room) -> Any:
    return [(await use(room.agent("ada"), GET, inputs={"id": 1})).result for _ in range(2)]


async def _purged(room: Room) -> Any:
    """Acme's session has been over for long, and that of rival lasts."""
    rival = Room(room.table, VICTIM, room.others[VICTIM])
    extended = await rival.owner().post(f"/sessions/{HERE}/extend", json={"ttl": "30d"})
    assert extended.status_code == 200, extended.text
    for days in (2, 20, 40, 60):
        room.table.clock.ahead = days * DAY
        await rival.owner().post(f"/sessions/{HERE}/extend", json={"ttl": "30d"})
        await room.table.app.jobs.expire()
        await room.table.app.jobs.purge()
