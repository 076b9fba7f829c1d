"""Two tenants with the same names and numbers for everything, filled by calls: rival first, then acme.
Every text of a tenant holds its word; rival has some things more than acme."""

import os
import random
import secrets
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.listening import connected
from tests.stores import Store
from tests.table import Agent, Table, open_table

VICTIM, PRYING = "rival", "acme"
WORD = {VICTIM: "rivalword", PRYING: "acmeword"}
OPTIONS = {
    "auth_tokens": "rival:rival-secret,acme:acme-secret",
    "call_rate": "0",
    "max_tenant_bytes": "100000000",
    "max_scratchpads": "6",
}
HERE, LATE, ODD, OVER = "sess_here", "sess_late", "sess_odd", "sess_over"
"""A session in use, one that acme has filled before rival, one of another shape for each, and one that was closed."""
PAD, GONE = "board", "gone"


@dataclass
class TenantFacts:
    """What a tenant's people know: its secrets, and the ids of its things."""

    known: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.known[name]


@dataclass
class Room:
    """One tenant's people at an open table."""

    table: Table
    tenant: str
    facts: TenantFacts
    others: dict[str, TenantFacts] = field(default_factory=dict)

    def agent(self, name: str | None = "ada", session: str | None = HERE, **headers: str) -> Agent:
        return self.table.agent(name, session, f"{self.tenant}-secret", **headers)

    def owner(self) -> httpx2.AsyncClient:
        return self.table.agent(token=self.facts["owner"]).client


@dataclass(frozen=True)
class Scene:
    """The store as it is before each probe."""

    content: bytes
    facts: dict[str, TenantFacts]
    options: dict[str, str]

    @asynccontextmanager
    async def opened(self, folder: Path) -> AsyncIterator[Room]:
        """A copy of the store, with acme's people in front of it."""
        path = folder / "data" / "longtable.db"
        path.parent.mkdir(mode=0o700, parents=True)
        path.write_bytes(self.content)
        async with open_table(Store("sqlite", str(path)), folder, **self.options) as table:
            yield Room(table, PRYING, self.facts[PRYING], self.facts)


async def prepared(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    # No periodic job comes in between: they are probes of their own.
    monkeypatch.setattr("longtable.background.JOB_DELAY", 600.0)
    # Limits that one tenant keeps to, and both together do not.
    monkeypatch.setattr("longtable.notebooks.namespaces.MAX_NAMESPACES", 5)
    monkeypatch.setattr("longtable.draft.service.MAX_READ_BYTES", 3_000)
    monkeypatch.setattr("longtable.search.finder.MOST_COMPARED", 1)
    monkeypatch.setattr("longtable.search.service.MAX_SESSIONS", 2)
    monkeypatch.setattr("longtable.records.service._LOOKED_AT", 40)
    monkeypatch.setattr("longtable.sharing.service.MAX_LINKS", 2)
    path = folder / "data" / "longtable.db"
    facts = {VICTIM: TenantFacts(), PRYING: TenantFacts()}
    async with open_table(Store("sqlite", str(path)), folder, **OPTIONS) as table:
        for tenant in (VICTIM, PRYING):
            await issue_tokens(table, tenant, facts[tenant])
        # The first makes the key that encrypts their secrets, so it comes before what both have.
        await _add_notifier(Room(table, VICTIM, facts[VICTIM]), "rivalhook")
        for tenant in (VICTIM, PRYING):
            with same_ids("first"):
                await _fill(Room(table, tenant, facts[tenant]), WORD[tenant])
        # From here on, the events of the two have other numbers.
        await Room(table, VICTIM, facts[VICTIM]).agent().calls("add_message", content=WORD[VICTIM])
        # The other way round: of several rows, some code takes the first and some the last.
        for tenant in (PRYING, VICTIM):
            with same_ids("later"):
                await _fill_late(Room(table, tenant, facts[tenant]), WORD[tenant])
        await _fill_odd_of_victim(Room(table, VICTIM, facts[VICTIM]), WORD[VICTIM])
        await _fill_odd_of_prying(Room(table, PRYING, facts[PRYING]), WORD[PRYING])
        await _fill_further(Room(table, VICTIM, facts[VICTIM]), WORD[VICTIM])
    _add_first_tenant(path)
    return Scene(path.read_bytes(), facts, OPTIONS)


def _add_first_tenant(path: Path) -> None:
    """The audit log of rival once more, for a tenant that comes first in every key: some tables lie in the order of
    their keys, and of several rows most code takes the first."""
    with closing(sqlite3.connect(path)) as connection, connection:
        # Not while the probes run.
        connection.execute("UPDATE holds SET until = until + 86400000000")
        for table in ("audit", "audit_blocks", "audit_heads"):
            connection.execute(f"CREATE TEMP TABLE copied AS SELECT * FROM {table} WHERE tenant = ?", (VICTIM,))
            connection.execute("UPDATE temp.copied SET tenant = 'aaa'")
            connection.execute(f"INSERT INTO {table} SELECT * FROM temp.copied")
            if table == "audit":
                # Once more, after its end: whichever record of acme is looked up, there is one of this number.
                connection.execute("UPDATE temp.copied SET seq = seq + (SELECT MAX(seq) FROM temp.copied)")
                connection.execute("INSERT INTO audit SELECT * FROM temp.copied")
            connection.execute("DROP TABLE temp.copied")


@contextmanager
def same_ids(seed: str) -> Iterator[None]:
    """Ids are the same for both tenants: that one is hard to guess must not be the wall. Secrets of links, which open
    them without a tenant, are not."""
    dice = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_hex", lambda size=16: dice.randbytes(size).hex())
        patch.setattr(secrets, "token_urlsafe", lambda size=16: dice.randbytes(size).hex())
        patch.setattr("longtable.sharing.service.new_secret", lambda prefix: f"{prefix}_{os.urandom(32).hex()}")
        patch.setattr(uuid, "uuid4", lambda: uuid.UUID(bytes=dice.randbytes(16), version=4))
        yield


async def issue_tokens(table: Table, tenant: str, facts: TenantFacts) -> None:
    owner = await table.app.tokens.create(Credential(tenant, Role.OWNER, f"{WORD[tenant]}-owner"), None)
    spare = await table.app.tokens.create(Credential(tenant, Role.READER, f"{WORD[tenant]}-spare"), None)
    facts.known |= {"owner": owner.secret, "owner_token": owner.token_id, "spare_token": spare.token_id}


async def _fill(room: Room, word: str) -> None:
    lead = room.agent("lead", None)
    for session in (HERE, ODD, OVER):
        await lead.calls("create_session", session_id=session, purpose=f"{word} purpose", metadata={"about": word})
    await room.agent("ada", OVER).calls("add_question", question=f"{word} over?")
    for fill in _PARTS:
        await fill(room, word)


async def _fill_late(room: Room, word: str) -> None:
    await room.agent("lead", None).calls("create_session", session_id=LATE, purpose=f"{word} late")
    for fill in (_fill_notes, _fill_draft, _fill_plan, _fill_reservations, _fill_questions, _fill_messages):
        await fill(room, word, LATE)
    cell = {"language": "txt", "content": f"{word} late", "tags": [word]}
    ada = room.agent("ada", None)
    await ada.calls("scratch_append_cell", scratch_id=PAD, cell=cell, idempotency_key="cell-key")
    cells = (await ada.calls("scratch_list_cells", scratch_id=PAD))["cells"]
    wish = {"answers": {"q1": word}, "hold_seconds": 300}
    held = (await room.owner().post(f"/sessions/{LATE}/answers", json=wish)).json()["held"]
    await _add_notifier(room, "hook")
    share = (await room.owner().post("/shares", json={"session_id": LATE})).json()["share"]["share_id"]
    room.facts.known |= {"late_cell": cells[-1]["cell_id"], "hold": held["hold_id"], "share": share}


async def _add_notifier(room: Room, name: str) -> None:
    """Nobody listens there."""
    hook = {"name": name, "kind": "webhook", "to": "http://127.0.0.1:9/", "allow_private": True}
    added = await room.owner().post("/notifiers", json=hook)
    assert added.status_code == 201, added.text


async def _fill_odd_of_victim(room: Room, word: str) -> None:
    """What depends on what, who is to do it, and what is settled, is not the same for both tenants."""
    ada, bob = room.agent("ada", ODD), room.agent("bob", ODD)
    await _add_tasks(
        ada,
        word,
        {"assigned_to": "ada"},
        {"depends_on": ["t1"]},
        {"depends_on": ["t2"]},
        {"depends_on": ["t1", "t2", "t3"]},
    )
    await ada.calls("add_question", question=f"{word} odd?", blocking=True)
    answered = await room.owner().post(f"/sessions/{ODD}/answers", json={"answers": {"q1": word}})
    assert answered.status_code == 200, answered.text
    await ada.calls("check_pause", agent_requested=True)
    resumed = await room.owner().post(f"/sessions/{ODD}/checkpoints/c1/resume", json={})
    assert resumed.status_code == 200, resumed.text
    await bob.calls("add_message", content=f"{word} odd")
    await bob.calls("add_note", content="odd", tags=["odd"])
    await _ask_to_pause(room, word, "stop")
    await ada.calls("report_usage", model=word, input_tokens=7, output_tokens=9, cost=1.5)
    await room.agent("ada").calls("report_usage", model="m", input_tokens=3, output_tokens=4)


async def _ask_to_pause(room: Room, word: str, action: str) -> None:
    wish = {"to": "ada", "kind": "control", "content": f"{action}: {word}"}
    asked = await room.owner().post(f"/sessions/{ODD}/messages", json=wish)
    assert asked.status_code == 201, asked.text


async def _fill_odd_of_prying(room: Room, word: str) -> None:
    ada, bob = room.agent("ada", ODD), room.agent("bob", ODD)
    await _add_tasks(ada, word, {}, {"assigned_to": "ada"}, {"depends_on": ["t1"]})
    await ada.calls("add_question", question=f"{word} odd?", blocking=True)
    await ada.calls("check_pause", agent_requested=True)
    await bob.calls("add_message", content=f"{word} odd")
    await bob.calls("add_note", content="odd", tags=["even"])
    await _ask_to_pause(room, word, "pause")
    await ada.calls("report_usage", model=word, input_tokens=1, output_tokens=2)
    await room.agent("ada").calls("report_usage", model="m", input_tokens=1, output_tokens=2)
    await room.agent("lead", None).calls("close_session", session_id=OVER)
    # Much that happens in no session.
    for number in range(30):
        await room.agent("ada", None).calls("scratch_update", scratch_id=PAD, metadata={"summary": f"{word} {number}"})


async def _add_tasks(agent: Agent, word: str, *tasks: dict[str, Any]) -> None:
    for task in tasks:
        await agent.calls("add_tasks", tasks=[{"description": f"{word} odd", **task}])


async def _fill_notes(room: Room, word: str, session: str = HERE) -> None:
    ada, bob = room.agent("ada", session), room.agent("bob", session)
    await ada.calls("add_note", content=f"{word} one", tags=["plan", word], source=word, idempotency_key="note-key")
    await ada.calls("add_note", content=f"{word} two", supersedes="n1")
    await bob.calls("add_note", content=f"{word} three", tags=["plan"])


async def _fill_draft(room: Room, word: str, session: str = HERE) -> None:
    ada = room.agent("ada", session)
    for section in ("intro", "method", "intro"):
        text = f"{word} text of {section}"
        await ada.calls("write_draft_section", section_id=section, content=text, title=f"{word} {section}")


async def _fill_plan(room: Room, word: str, session: str = HERE) -> None:
    ada, bob = room.agent("ada", session), room.agent("bob", session)
    tasks = [
        {"description": f"{word} t1", "metadata": {"about": word}},
        {"description": f"{word} t2", "depends_on": ["#0"]},
        {"description": f"{word} t3", "assigned_to": "bob"},
        {"description": f"{word} t4", "priority": "low"},
        {"description": f"{word} t5", "priority": "high", "depends_on": ["#2"]},
    ]
    await ada.calls("add_tasks", tasks=tasks)
    claimed = await ada.calls("claim_task", task_id="t1", lease_seconds=60)
    room.facts.known.setdefault("lease", claimed["lease"] if "lease" in claimed else claimed["task"]["lease"])
    await bob.calls("update_task", task_id="t3", note=f"{word} remark")
    await bob.calls("claim_task", task_id="t3", lease_seconds=60)
    await bob.calls("claim_task", task_id="t4", lease_seconds=86_400)


async def _fill_reservations(room: Room, word: str, session: str = HERE) -> None:
    ada, bob = room.agent("ada", session), room.agent("bob", session)
    await ada.calls("reserve", paths=["src/**", "lib"], reason=word, ttl="10h")
    await ada.calls("reserve", paths=["short"], reason=word, ttl=60)
    await bob.calls("reserve", paths=["docs/*.md"], mode="shared", reason=word, ttl="10h")


async def _fill_questions(room: Room, word: str, session: str = HERE) -> None:
    ada, bob = room.agent("ada", session), room.agent("bob", session)
    await ada.calls("add_question", question=f"{word} q1?", context=word, blocking=True, priority="high")
    await ada.calls("add_question", question=f"{word} q2?", options=[word, "no"])
    await bob.calls("add_question", question=f"{word} q3?")
    await bob.calls("add_question", question=f"{word} q4?")
    await bob.calls("add_question", question=f"{word} q5?", expires_in="1h")
    answered = await room.owner().post(f"/sessions/{session}/answers", json={"answers": {"q3": f"{word} answer"}})
    assert answered.status_code == 200, answered.text
    await bob.calls("withdraw_question", question_id="q4")
    for _ in range(2):
        await ada.calls("check_pause", agent_requested=True)


async def _fill_messages(room: Room, word: str, session: str = HERE) -> None:
    ada, bob = room.agent("ada", session), room.agent("bob", session)
    await ada.calls("add_message", content=f"{word} m1", metadata={"about": word})
    for visibility in ("public", "private", "agent_only"):
        await bob.calls("add_message", content=f"{word} {visibility}", visibility=visibility, parent_message_id=1)
    await ada.calls("add_message", content=f"{word} m5", visibility="private")
    # What was fetched counts as seen once the next call comes.
    for tool in ("get_messages", "get_answered_questions", "read_events", "list_sections"):
        await bob.calls(tool)


async def _fill_memory(room: Room, word: str) -> None:
    ada = room.agent("ada", None)
    for key in ("k1", "k2"):
        await ada.calls("set_memory", key=key, value={"about": word})
        await ada.calls("set_memory", key=key, value={"about": f"{word} here"}, session_id=HERE)
    await ada.calls("set_memory", key="brief", value=word, expires_in="1h")


async def _fill_pads(room: Room, word: str) -> None:
    ada = room.agent("ada", None)
    schema = {"name": "shape", "description": word, "schema": {"type": "object", "title": word}}
    cells = [
        {"language": "md", "content": f"# {word} cell", "tags": ["red", word], "metadata": {"about": word}},
        {"language": "json", "content": f'{{"about": "{word}"}}', "tags": ["blue"]},
        {"language": "txt", "content": f"{word} last"},
    ]
    about = {"title": f"{word} title", "description": word, "namespace": "lab", "tags": ["wide"], "summary": word}
    await ada.calls("scratch_create", scratch_id=PAD, metadata=about, cells=cells, idempotency_key="pad-key")
    await ada.calls("scratch_create", scratch_id="second", metadata={**about, "namespace": "yard"}, cells=cells[:1])
    await ada.calls("scratch_create", scratch_id=GONE, metadata={**about, "tags": ["left"]}, cells=cells[:2])
    await ada.calls("scratch_create", scratch_id="fourth", metadata={"namespace": "lab"})
    await ada.calls("scratch_upsert_schema", scratch_id=PAD, schema=schema)
    await ada.calls("scratch_upsert_schema", scratch_id=GONE, schema=schema)
    left = await ada.calls("scratch_list_cells", scratch_id=GONE)
    room.facts.known |= {"left_cells": [cell["cell_id"] for cell in left["cells"]]}
    await ada.calls("scratch_delete", scratch_id=GONE)
    read = await ada.calls("scratch_list_cells", scratch_id=PAD)
    room.facts.known |= {"cells": [cell["cell_id"] for cell in read["cells"]]}
    trash = (await room.owner().get("/trash")).json()
    room.facts.known |= {"trash": trash["trash"][0]["trash_id"]}
    shapes = await ada.calls("scratch_list_schemas", scratch_id=PAD)
    room.facts.known |= {"schema": shapes["schemas"][0]["id"]}


async def _fill_records(room: Room, word: str) -> None:
    """A call that failed, and a file that was made of the audit log."""
    await room.agent("ada").tries("read_draft", section_id="nowhere")
    assert (await room.owner().get("/audit/export")).status_code == 200


async def _fill_connection(room: Room, word: str) -> None:
    headers = {"Authorization": f"Bearer {room.tenant}-secret", "X-Caller-Agent": "ada"}
    connection = await connected(room.table.http, **headers)
    entered = {"name": "join_session", "arguments": {"session_id": HERE}}
    await connection.asks("tools/call", entered)
    await connection.asks("resources/subscribe", {"uri": f"longtable://session/{HERE}/notes"})
    room.facts.known |= {"connection": connection.headers}


_PARTS: tuple[Callable[[Room, str], Any], ...] = (
    _fill_notes,
    _fill_draft,
    _fill_plan,
    _fill_reservations,
    _fill_questions,
    _fill_messages,
    _fill_memory,
    _fill_pads,
    _fill_connection,
    _fill_records,
)


async def _fill_further(room: Room, word: str) -> None:
    """What rival alone has: what acme asks for by these names is not there."""
    ada, lead = room.agent("ada"), room.agent("lead", None)
    for session in ("sess_rival", "sess_ended"):
        await lead.calls("create_session", session_id=session, purpose=word)
    await lead.calls("close_session", session_id="sess_ended")
    await room.agent("ada", LATE).calls("add_note", content=f"{word} later")
    answered = await room.owner().post(f"/sessions/{LATE}/answers", json={"answers": {"q1": word}})
    assert answered.status_code == 200, answered.text
    await lead.calls("close_session", session_id=ODD)
    await ada.calls("add_note", content=f"{word} four", tags=[word, "alone"])
    await room.agent("Eve").calls("add_note", content=f"{word} five")
    await ada.calls("write_draft_section", section_id="annex", content=word * 500)
    await ada.calls("add_tasks", tasks=[{"description": word, "depends_on": ["t1"]}, {"description": word}])
    await ada.calls("update_task", task_id="t1", status="completed", lease=room.facts["lease"])
    await ada.calls("add_question", question=f"{word}?", blocking=True)
    await ada.calls("reserve", paths=["alone/**"], reason=word, ttl="10h")
    await ada.calls("add_message", content=f"{word} m6")
    for _ in range(2):
        # With the second, what the first has shown counts as received.
        await ada.calls("get_messages")
    await room.agent("ada", None).calls("set_memory", key="alone", value=word)
    await _fill_pads_further(room, word)
    for _ in range(100):
        await lead.calls("list_sessions")
    assert (await room.owner().get("/audit/export")).status_code == 200
    assert (await room.owner().post("/notifiers/hook/test", json={})).status_code == 200


async def _fill_pads_further(room: Room, word: str) -> None:
    ada = room.agent("ada", None)
    shape = {"name": "rivalshape", "description": word, "schema": {"type": "object"}}
    await ada.calls("scratch_upsert_schema", scratch_id=PAD, schema=shape)
    await ada.calls("scratch_update", scratch_id=PAD, metadata={"tags": ["wide", "alone"]})
    for number in range(60):
        await ada.calls(
            "scratch_update", scratch_id="fourth", metadata={"tags": ["left"], "summary": f"{word} {number}"}
        )
    await ada.calls("scratch_create", scratch_id="rivalpad", metadata={"namespace": "rivalland", "tags": [word]})
    await ada.calls("scratch_create", scratch_id="rivalgone")
    await ada.calls("scratch_delete", scratch_id="rivalgone")
    restored = await room.owner().post(f"/trash/{room.facts['trash']}/restore", json={})
    assert restored.status_code == 200, restored.text
