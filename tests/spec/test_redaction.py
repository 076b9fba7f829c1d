"""Redaction: after it no read, history, event, search or file holds the text."""

import asyncio
import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE
from longtable.log.verify import verify_chain
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

SECRET = "hunter2passphrase"
THINGS = {
    "note": {"kind": "note", "id": "n1"},
    "message": {"kind": "message", "id": 1},
    "section": {"kind": "section", "id": "intro", "version": 2},
}


@pytest.fixture
async def spilled(company: Table) -> Table:
    """A session in which the secret was pasted in every way."""
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    ann = company.agent("ann", "sess_acme", "acme-secret")
    await ann.adds_note(f"the password is {SECRET}", tags=[SECRET], source=SECRET, idempotency_key="k")
    await ann.calls("add_message", content=f"psst {SECRET}", visibility="private", metadata={"p": SECRET})
    for text in ("clean", f"with {SECRET} in it", "clean again"):
        await ann.calls("write_draft_section", section_id="intro", content=text)
    return company


async def owner(table: Table) -> Agent:
    return await table.bearer(Role.OWNER, "boss")


async def everything(table: Table) -> str:
    """All that anybody of the tenant can read."""
    ann = table.agent("ann", "sess_acme", "acme-secret")
    boss = (await owner(table)).client
    seen: list[Any] = [
        await ann.calls("read_notes"),
        await ann.calls("read_notes", tag=SECRET),
        await ann.calls("read_events", limit=1000, max_chars=0),
        await ann.calls("get_messages"),
        await ann.calls("get_session"),
        await ann.calls("read_draft"),
        *[await ann.calls("read_draft", section_id="intro", version=version) for version in (1, 2, 3)],
        (await ann.calls("search_context", query=SECRET))["results"],
        (await ann.calls("read_notes", query=SECRET))["notes"],
        await ann.calls("diff_draft", section_id="intro", from_version=1, to_version=2),
        (await boss.get("/sessions/sess_acme/workspace")).json(),
        (await boss.get("/sessions/sess_acme/messages")).json(),
        (await boss.get("/audit?limit=1000")).json(),
    ]
    return json.dumps(seen)


async def test_after_redaction_nothing_that_anybody_reads_holds_the_text(spilled: Table) -> None:
    assert SECRET in await everything(spilled)
    boss = (await owner(spilled)).client

    for thing in THINGS.values():
        answer = await boss.post("/sessions/sess_acme/redact", json=thing)
        assert answer.status_code == 200, answer.text
        assert answer.json()["backups"] == []

    assert SECRET not in await everything(spilled)
    ann = spilled.agent("ann", "sess_acme", "acme-secret")
    assert (await ann.reads_notes())[0]["content"] == "[redacted by the owner]"
    assert (await verify_chain(spilled.app.database, "acme")).holds
    kinds = [event["kind"] for event in (await ann.calls("read_events"))["events"]]
    assert kinds.count("scratchpad/redacted") == 3


async def test_nor_does_any_file_of_the_embedded_store(spilled: Table, store: Any) -> None:
    boss = (await owner(spilled)).client
    for thing in THINGS.values():
        await boss.post("/sessions/sess_acme/redact", json=thing)

    if store.kind == "sqlite":
        for path in Path(store.address).parent.iterdir():
            assert SECRET.encode() not in path.read_bytes(), path.name


async def test_a_copy_that_another_reader_keeps_alive_is_named_and_the_redaction_stands(
    spilled: Table, store: Any
) -> None:
    if store.kind != "sqlite":
        return
    boss = (await owner(spilled)).client
    with contextlib.closing(sqlite3.connect(store.address, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM notes").fetchone()

        async with asyncio.timeout(40):
            answer = await boss.post("/sessions/sess_acme/redact", json=THINGS["note"])

    assert (answer.status_code, answer.json()["backups"]) == (200, ["longtable.db-wal"])
    assert SECRET not in (await boss.get("/sessions/sess_acme/notes")).text


async def test_only_the_owner_redacts_and_never_over_mcp(spilled: Table) -> None:
    human = (await spilled.app.tokens.create(Credential("acme", Role.HUMAN, "eva"), None)).secret
    for secret in (human, "acme-secret"):
        answer = await spilled.agent(token=secret).client.post("/sessions/sess_acme/redact", json=THINGS["note"])
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")

    boss = await owner(spilled)
    over_mcp = await spilled.agent(None, "sess_acme", boss.client.headers["authorization"][7:]).tries("redact")

    assert over_mcp["error"]["code"] == "NOT_FOUND"
    assert over_mcp["error"]["error"].startswith("There is no tool 'redact'.")
    assert SECRET in await everything(spilled)


async def test_an_archive_can_be_redacted(spilled: Table) -> None:
    boss = (await owner(spilled)).client
    spilled.clock.ahead = DAY + MINUTE

    answer = await boss.post("/sessions/sess_acme/redact", json=THINGS["note"])

    assert answer.status_code == 200
    assert SECRET not in (await boss.get("/sessions/sess_acme/notes")).text


@pytest.mark.parametrize(
    ("thing", "status", "code"),
    [
        ({"kind": "note", "id": "n9"}, 404, "NOT_FOUND"),
        ({"kind": "note", "id": "9"}, 400, "INVALID_ARGUMENT"),
        ({"kind": "message", "id": "9"}, 404, "NOT_FOUND"),
        ({"kind": "section", "id": "intro"}, 400, "INVALID_ARGUMENT"),
        ({"kind": "section", "id": "intro", "version": 9}, 404, "NOT_FOUND"),
        ({"kind": "section", "id": "nowhere", "version": 1}, 404, "NOT_FOUND"),
        ({"kind": "session", "id": "x"}, 404, "NOT_FOUND"),
        ({"kind": "note", "id": "n1", "version": 1}, 400, "INVALID_ARGUMENT"),
    ],
)
async def test_what_cannot_be_redacted_is_refused_and_changes_nothing(
    spilled: Table, thing: dict[str, Any], status: int, code: str
) -> None:
    answer = await (await owner(spilled)).client.post("/sessions/sess_acme/redact", json=thing)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert SECRET in await everything(spilled)


async def test_another_tenants_owner_finds_nothing_to_redact(spilled: Table) -> None:
    rival = (await spilled.app.tokens.create(Credential("rival", Role.OWNER, "boss"), None)).secret

    answer = await spilled.agent(token=rival).client.post("/sessions/sess_acme/redact", json=THINGS["note"])

    assert answer.status_code == 404
    assert SECRET in await everything(spilled)
