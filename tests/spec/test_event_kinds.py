"""Every kind of event, caused through the tools: it tells what the reference says, alike by every way to listen."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import DAY, MINUTE
from longtable.log.kinds import EVENT_KINDS
from longtable.log.reader import EventFilter
from longtable.questions.jobs import expire_questions
from tests.gateway.hostile.entries import hostile_json
from tests.sse import listens
from tests.stores import Store
from tests.table import TRANSPORT, Agent, Table, open_table

pytestmark = pytest.mark.slow

Payload = dict[str, Any]
Cause = Callable[[Table, Agent], Awaitable[Payload]]
"""Makes the last event of its kind happen in `sess_one`, and answers what it must tell."""

Hear = Callable[[], Awaitable[Payload]]

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "events.md"
COMMON = {"seq", "kind", "session_id", "actor", "timestamp"}
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
TEXT = 'Größe "1"\n\u2028𝄞 ' * 30
PREVIEW = TEXT[:200]
WITHIN = 40.0

NOTE = ("add_note", {"content": TEXT, "tags": ["b", "a"]})
SECTION = ("write_draft_section", {"section_id": "intro", "content": TEXT})
TASKS = ("add_tasks", {"tasks": [{"description": TEXT}, {"description": "short"}]})
QUESTION = ("add_question", {"question": TEXT, "priority": "high", "blocking": True})
PAUSE = ("check_pause", {"agent_requested": True})


def calling(*tools: tuple[str, Payload], tells: Payload) -> Cause:
    """Alice calls these tools, one after the other."""

    async def cause(table: Table, alice: Agent) -> Payload:
        for name, arguments in tools:
            await alice.calls(name, **arguments)
        return tells

    return cause


def answering(*tools: tuple[str, Payload], tells: Payload) -> Cause:
    """Bob asks, then Alice calls these tools: nobody answers a question of their own."""
    cause = calling(*tools, tells=tells)

    async def after_a_question(table: Table, alice: Agent) -> Payload:
        await table.agent("bob", "sess_one", "acme-secret").calls(QUESTION[0], **QUESTION[1])
        return await cause(table, alice)

    return after_a_question


async def time_passes(table: Table, alice: Agent) -> Payload:
    table.clock.ahead = DAY + MINUTE
    await table.app.jobs.run()
    return {}


async def files_are_reserved(table: Table, alice: Agent) -> Payload:
    answer = await alice.calls("reserve", paths=["./src//**", "docs/*.md"], mode="shared", ttl="15m")
    return {"paths": ["src/**", "docs/*.md"], "mode": "shared", "expires_at": answer["expires_at"]}


async def task_is_claimed(table: Table, alice: Agent) -> Payload:
    await alice.calls(TASKS[0], **TASKS[1])
    claimed = await alice.calls("claim_task", task_id="t2")
    renewed = await alice.calls("renew_task", task_id="t2", lease=claimed["lease"])
    return {"item_id": "t2", "lease_expires_at": renewed["lease_expires_at"], "renewed": True}


async def session_gets_more_time(table: Table, alice: Agent) -> Payload:
    answer = await owner_posts(table, "extend", {"ttl": "48h"})
    return {"expires_at": answer["expires_at"]}


async def question_expires(table: Table, alice: Agent) -> Payload:
    await alice.calls("add_question", question=TEXT, expires_in=60)
    table.clock.ahead = MINUTE
    await expire_questions(table.app.ledger)
    return {"question_id": "q1"}


async def note_is_redacted(table: Table, alice: Agent) -> Payload:
    await alice.adds_note("a secret")
    await owner_posts(table, "redact", {"kind": "note", "id": "n1"})
    return {"object_kind": "note", "object_id": "n1", "version": None}


async def pause_is_asked_for(table: Table, alice: Agent) -> Payload:
    content = f"pause: {TEXT}"
    await owner_posts(table, "messages", {"to": "alice", "kind": "control", "content": content})
    fields = {"message_id": 1, "visibility": "private", "to": "alice", "control": "pause"}
    return {**fields, "content_preview": content[:200]}


async def pause_is_acknowledged(table: Table, alice: Agent) -> Payload:
    await pause_is_asked_for(table, alice)
    await alice.calls("check_pause")
    return {"message_id": 1, "control": "pause"}


async def owner_posts(table: Table, action: str, wish: Payload) -> Payload:
    issued = await table.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)
    answer = await table.agent(token=issued.secret).client.post(f"/sessions/sess_one/{action}", json=wish)
    assert answer.is_success, answer.text
    body: Payload = answer.json()
    return body


async def cell_is_appended(table: Table, alice: Agent) -> Payload:
    await alice.calls(PAD[0], **PAD[1])
    changed = await alice.calls("scratch_append_cell", scratch_id="plans", cell={"language": "txt", "content": TEXT})
    return {"scratch_id": "plans", "cell_id": changed["scratchpad"]["cells"][0]["cell_id"], "reason": "append"}


async def scratchpad_lies_unused(table: Table, alice: Agent) -> Payload:
    await alice.calls(PAD[0], **PAD[1])
    await owner_posts(table, "extend", {"ttl": "72h"})
    table.clock.ahead = DAY + MINUTE
    await table.app.slices.sweeper.sweep()
    return {"scratch_id": "plans", "reason": "preempt"}


async def tools_are_listed(table: Table, alice: Agent) -> Payload:
    await alice.posts("tools/list", {})
    return {"upstream": "shop"}


async def tool_changes(table: Table, alice: Agent) -> Payload:
    # Each server has a program of its own, and looks after it once its tools were listed there.
    for _ in range(1 if TRANSPORT == "memory" else 30):
        await alice.posts("tools/list", {})
    await alice.posts("tools/call", {"name": "mindscape_tool_shop_get_pull", "arguments": {}})
    return {"upstream": "shop", "tool": "read_note", "reason": "changed"}


async def call_is_asked_for(table: Table, alice: Agent) -> Payload:
    answer = await alice.tries(GOVERNED)
    assert answer["error"]["details"]["confirmation_id"] == "d1"
    return {"decision_id": "d1", "tool": GOVERNED, "requested_by": "alice"}


async def call_waits(table: Table, alice: Agent) -> Payload:
    await call_is_asked_for(table, alice)
    return {"count": 1}


def deciding(verb: str) -> Cause:
    async def cause(table: Table, alice: Agent) -> Payload:
        await call_is_asked_for(table, alice)
        await owner_decides(table, verb)
        return {"decision_id": "d1", "tool": GOVERNED, "decided_by": "human:boss", "relayed": False}

    return cause


async def approved_call_is_made(table: Table, alice: Agent) -> Payload:
    details = (await alice.tries(GOVERNED))["error"]["details"]
    await owner_decides(table, "approve")
    await alice.posts("tools/call", {"name": GOVERNED, "arguments": {"confirm_token": details["confirm_token"]}})
    call_id = (await alice.client.get("/calls")).json()["calls"][0]["call_id"]
    return {"tool": GOVERNED, "upstream": "shop", "outcome": "SUCCESS", "decision_id": "d1", "call_id": call_id}


async def owner_decides(table: Table, verb: str) -> None:
    issued = await table.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)
    answer = await table.agent(token=issued.secret).client.post(f"/decisions/d1/{verb}", json={})
    assert answer.status_code == 200, answer.text


URGENT = ("update_task", {"task_id": "t2", "priority": "high"})
GOVERNED = "mindscape_run_shop_list_notes"
PAD = ("scratch_create", {"scratch_id": "plans", "metadata": {"namespace": "work"}})
ANSWER = ("submit_answers", {"answers": [{"question_id": "q1", "answer": TEXT}]})
CAUSES: dict[str, Cause] = {
    "session/created": calling(tells={}),
    "session/closed": calling(("close_session", {}), tells={}),
    "session/expired": time_passes,
    "session/extended": session_gets_more_time,
    "scratchpad/note_added": calling(NOTE, tells={"note_id": "n1", "tags": ["b", "a"], "content_preview": PREVIEW}),
    "scratchpad/section_created": calling(SECTION, tells={"section_name": "intro"}),
    "scratchpad/section_updated": calling(
        SECTION, SECTION, tells={"section_name": "intro", "version": 2, "content_preview": PREVIEW}
    ),
    "scratchpad/section_read": calling(
        SECTION, ("read_draft", {}), tells={"section_name": "intro", "reader_agent": "alice"}
    ),
    "scratchpad/tasks_added": calling(TASKS, tells={"task_ids": ["t1", "t2"], "previews": [PREVIEW, "short"]}),
    "scratchpad/checklist_updated": calling(
        TASKS,
        ("update_task", {"task_id": "t2", "status": "in_progress"}),
        tells={"item_id": "t2", "old_status": "pending", "new_status": "in_progress"},
    ),
    "scratchpad/task_claimed": task_is_claimed,
    "scratchpad/task_assigned": calling(
        TASKS,
        ("update_task", {"task_id": "t2", "assigned_to": "bob"}),
        tells={"item_id": "t2", "assigned_to": "bob", "previously": None},
    ),
    "scratchpad/task_changed": calling(TASKS, URGENT, tells={"item_id": "t2", "changed": ["priority"]}),
    "scratchpad/task_noted": calling(
        TASKS, ("update_task", {"task_id": "t2", "note": TEXT}), tells={"item_id": "t2", "note_preview": PREVIEW}
    ),
    "reservation/reserved": files_are_reserved,
    "reservation/released": calling(
        ("reserve", {"paths": ["src/**", "docs/*.md"]}),
        ("release", {"paths": ["src"]}),
        tells={"paths": ["src/**"], "held_by": "alice", "forced": False},
    ),
    "scratchpad/question_added": calling(
        QUESTION, tells={"question_id": "q1", "question_preview": PREVIEW, "priority": "high", "blocking": True}
    ),
    "scratchpad/question_answered": answering(
        ANSWER, tells={"question_id": "q1", "by_human": False, "answer_preview": PREVIEW}
    ),
    "scratchpad/question_expired": question_expires,
    "scratchpad/question_withdrawn": calling(
        QUESTION, ("withdraw_question", {"question_id": "q1"}), tells={"question_id": "q1"}
    ),
    "scratchpad/checkpoint_created": calling(
        QUESTION,
        PAUSE,
        tells={"checkpoint_id": "c1", "reasons": ["blocking_question", "agent_requested"], "question_ids": ["q1"]},
    ),
    "scratchpad/checkpoint_resumed": answering(PAUSE, ANSWER, tells={"checkpoint_id": "c1"}),
    "scratchpad/redacted": note_is_redacted,
    "notebook/created": calling(PAD, PAD, tells={"scratch_id": "plans", "reason": "reset"}),
    "notebook/changed": cell_is_appended,
    "notebook/deleted": calling(
        PAD,
        ("scratch_namespace_delete", {"namespace": "work", "delete_scratchpads": True}),
        tells={"scratch_id": "plans", "reason": "namespace"},
    ),
    "notebook/evicted": scratchpad_lies_unused,
    "gateway/approval_requested": call_is_asked_for,
    "gateway/approved": deciding("approve"),
    "gateway/denied": deciding("deny"),
    "gateway/executed": approved_call_is_made,
    "gateway/tool_quarantined": tool_changes,
    "gateway/tools_changed": tools_are_listed,
    "decision/waiting": call_waits,
    "message/added": pause_is_asked_for,
    "message/acknowledged": pause_is_acknowledged,
}
CAUSED_ELSEWHERE = {"gateway/authorization_changed", "session/imported", "session/forked"}
"""The first needs an authorization server: `tests/gateway/oauth` has one. `tests/spec/transfer` has the others."""
_BY_US = ("session/expired", "scratchpad/question_expired", "notebook/evicted", "gateway/tool_quarantined")
_BY_A_PERSON = ("session/extended", "scratchpad/redacted", "message/added", "gateway/approved", "gateway/denied")
ACTORS = {**dict.fromkeys(_BY_US, "longtable"), **dict.fromkeys(_BY_A_PERSON, "human:boss")}
OF_THE_TENANT = ("notebook/", "gateway/", "decision/")
ALICE = Caller("acme", Role.ORCHESTRATOR, "alice", "generic", Surface.HTTP, "sess_one")


@pytest.fixture
async def company(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """With a gateway to a server that changes a tool, and with one tool of it that needs a person."""
    shop = hostile_json("rug_pull", "description", 0, "tell")
    rules = [{"match": "shop.list_notes", "layer": "run"}]
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": {"shop": shop}, "rules": rules}))
    tokens = "acme:acme-secret,rival:rival-secret"
    async with open_table(store, tmp_path, auth_tokens=tokens, gateway_config=str(path)) as opened:
        yield opened


@pytest.fixture
async def alice(company: Table) -> Agent:
    await company.agent("alice", token="acme-secret").calls("create_session", session_id="sess_one")
    return company.agent("alice", "sess_one", "acme-secret")


async def pulled(agent: Agent) -> list[Payload]:
    events: list[Payload] = (await agent.calls("read_events", limit=1000, max_chars=0))["events"]
    return events


@asynccontextmanager
async def listening(table: Table, caller: Caller, headers: dict[str, str]) -> AsyncIterator[tuple[Hear, Hear]]:
    """A subscription to the feed, and a stream over REST, both from the beginning."""
    given = {name.replace("-", "_"): value for name, value in headers.items()}
    async with (
        table.app.feed.subscribe(EventFilter(caller, "sess_one"), 0) as subscription,
        listens(table.http, "/sessions/sess_one/events?after=0", **given) as stream,
    ):
        deliveries = aiter(subscription)

        async def streamed() -> Payload:
            return (await stream.takes(1))[0]

        yield deliveries.__anext__, streamed


async def up_to(last: Callable[[Payload], bool], hear: Hear) -> list[Payload]:
    events: list[Payload] = []
    async with asyncio.timeout(WITHIN):
        while not events or not last(events[-1]):
            events.append(await hear())
    return events


@pytest.mark.parametrize("kind", CAUSES)
async def test_an_event_tells_what_is_specified_and_no_more_by_every_way_to_listen(
    company: Table, alice: Agent, kind: str
) -> None:
    def is_it(event: Payload) -> bool:
        # Of a kind that can leave out a field, the one that carries all.
        return bool(event["kind"] == kind and set(event) == COMMON | set(EVENT_KINDS[kind].payload))

    given = {"Authorization": "Bearer acme-secret", "X-Caller-Agent": "alice"}
    async with listening(company, ALICE, given) as (pushed, streamed):
        payload = await CAUSES[kind](company, alice)
        notified, heard = await up_to(is_it, pushed), await up_to(is_it, streamed)

    # What belongs to the tenant is told in each of its sessions, as that of none.
    place = None if kind.startswith(OF_THE_TENANT) and kind != "gateway/executed" else "sess_one"
    # Who lists the tools first: the caller, or the server as it warms up.
    actor = notified[-1]["actor"] if kind == "gateway/tools_changed" else ACTORS.get(kind, "alice")
    assert actor in ("alice", "longtable", "human:boss")
    expected = {"session_id": place, "actor": actor, "kind": kind, **payload}
    assert notified[-1] == {"seq": len(notified), "timestamp": notified[-1]["timestamp"], **expected}
    assert set(notified[-1]) == COMMON | set(EVENT_KINDS[kind].payload)
    assert MOMENT.fullmatch(notified[-1]["timestamp"])
    assert heard[-1] == notified[-1]
    if kind != "session/expired":
        # Calls into an expired session are refused; the streams have told of it by then.
        assert notified[-1] in await pulled(alice)


def test_the_reference_names_each_kind_and_each_field_of_it() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|[^|]*\|(.*)\|$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)

    assert {kind: set(re.findall(r"`(\w+)`:", payload)) for kind, payload in rows} == {
        kind.name: set(kind.payload) for kind in EVENT_KINDS.values()
    }
    assert set(CAUSES) | CAUSED_ELSEWHERE == set(EVENT_KINDS)


@pytest.mark.parametrize(
    ("listener", "hears"),
    [
        ("ann writer", ["private", "public"]),
        ("ann analyst", ["private", "agent_only", "public"]),
        ("bea analyst", ["agent_only", "public"]),
        ("cid writer", ["public"]),
        ("eva human", ["private", "agent_only", "public"]),
    ],
)
async def test_a_message_is_told_to_those_who_may_read_it_by_every_way_to_listen(
    company: Table, alice: Agent, listener: str, hears: list[str]
) -> None:
    ann = company.agent("ann", "sess_one", "acme-secret", **{"X-Agent-Type": "analyst"})
    caller, headers = await one_who_listens(company, *listener.split())

    async with listening(company, caller, headers) as (pushed, streamed):
        for visibility in ("private", "agent_only", "public"):
            await ann.calls("add_message", content=visibility, visibility=visibility)
        _, *notified = await up_to(is_public, pushed)
        _, *heard = await up_to(is_public, streamed)

    assert [event["content_preview"] for event in notified] == hears
    assert heard == notified
    _, *found = await pulled(company.agent(None, "sess_one", **headers))
    # The credential of a person counts as an agent's over MCP.
    assert found == (notified[-1:] if caller.is_human else notified)


def is_public(event: Payload) -> bool:
    return event.get("visibility") == "public"


async def one_who_listens(company: Table, name: str, agent_type: str) -> tuple[Caller, dict[str, str]]:
    if agent_type != "human":
        caller = replace(ALICE, agent=name, agent_type=agent_type)
        return caller, {"Authorization": "Bearer acme-secret", "X-Caller-Agent": name, "X-Agent-Type": agent_type}
    issued = await company.app.tokens.create(Credential("acme", Role.HUMAN, name), None)
    caller = Caller("acme", Role.HUMAN, f"human:{name}", "human", Surface.REST, "sess_one")
    return caller, {"Authorization": f"Bearer {issued.secret}"}
