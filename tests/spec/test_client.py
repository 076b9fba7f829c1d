"""The Python client: typed calls in one session, errors as exceptions, nothing twice, and no event left out."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from longtable.client import ConnectionLost, Link, Orchestrator, Workspace
from longtable.identity.model import Credential
from longtable.kernel import errors
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE
from longtable.kernel.errors import LongtableError
from longtable_client import errors as client_errors
from longtable_client import workspace
from longtable_client.results import MessageAdded, NoteAdded, NotePage, PlanRead, TaskClaimed
from scripts import docs
from tests.client_transport import LossyTransport, link, opened
from tests.spec.test_client_methods import tools_of_a_workspace
from tests.table import ADDRESS, Agent, Table

pytestmark = pytest.mark.slow

CODES = [error.code for error in LongtableError.__subclasses__()]


async def test_results_are_the_values_that_the_server_made(table: Table, session: str) -> None:
    async with opened(table) as ada:
        added = await ada.add_note("coffee is 3 EUR", tags=["price"])
        page = await ada.read_notes(query="coffee")
        await ada.write_draft_section("intro", "one")
        written = await ada.write_draft_section("intro", "two", expected_version=1)
        diff = await ada.diff_draft("intro", 1)
        await ada.revert_draft_section("intro", 1)
        whole = await ada.read_draft()
        said = await ada.add_message("hello", metadata={"a": 1})
        heard = await ada.get_messages()
        found = await ada.search_context("coffee", mode="keyword")
        events = await ada.read_events()

    assert isinstance(added, NoteAdded)
    assert isinstance(page, NotePage)
    assert (added.note.id, added.note.author, page.notes[0].content) == ("n1", "ada", "coffee is 3 EUR")
    assert (written.section.version, written.section.created) == (2, False)
    assert "+two" in diff.diff
    assert [section.content for section in whole.sections or []] == ["one"]
    assert isinstance(said, MessageAdded)
    assert [(message.id, message.metadata) for message in heard.messages] == [(said.message_id, {"a": 1})]
    assert [hit.id for hit in found.results] == ["n1"]
    # What was read is told a moment later.
    assert "message/added" in [event["kind"] for event in events.events]


async def test_the_plan_questions_and_memory_are_typed_as_well(table: Table, session: str) -> None:
    async with opened(table) as ada:
        await ada.add_tasks([{"description": "dig"}, {"description": "plant", "depends_on": ["#0"]}])
        claimed = await ada.claim_task()
        renewed = await ada.renew_task("t1", claimed.lease or "")
        done = await ada.update_task("t1", status="completed", lease=renewed.lease, note="deep enough")
        plan = await ada.read_plan(ready=True)
        added = await ada.add_question("Which tree?", options=["oak", "elm"], blocking=True)
        pause = await ada.check_pause(agent_requested=True)
        async with opened(table, "bob") as bob:
            answered = await bob.submit_answers({added.question.id: "oak"})
        got = await ada.wait_for_answers([added.question.id], timeout_seconds=0)
        listed = await ada.list_questions(status="answered")
        await ada.set_memory("nothing", None)
        await ada.set_memory("mood", {"is": "good"}, scope="session")
        recalled = await ada.get_memory("mood", scope="session")
        across = await ada.list_memory()
        forgotten = await ada.delete_memory("nothing")
        seen = await ada.get_workspace()

    assert isinstance(claimed, TaskClaimed)
    assert isinstance(plan, PlanRead)
    assert (done.task.old_status, [task.id for task in plan.tasks]) == ("in_progress", ["t2"])
    assert (pause.pause, "agent_requested" in pause.reasons) == (True, True)
    assert (answered.answered, got.answers[0].answer, listed.count) == (["q1"], "oak", 1)
    assert (recalled.value, recalled.scope, across.entries[0].key) == ({"is": "good"}, "session", "nothing")
    assert forgotten.deleted
    assert [task.id for task in seen.plan] == ["t1", "t2"]


async def test_what_waits_for_the_agent_is_at_hand(table: Table, bob: Agent) -> None:
    async with opened(table) as ada:
        await ada.read_notes()
        before = ada.inbox
        await bob.calls("add_message", content="psst")
        await ada.read_notes()

        assert (before, (ada.inbox or {})["messages"]) == (None, 1)


async def test_an_orchestrator_creates_sessions_and_opens_workspaces_in_them(company: Table) -> None:
    way = link(company.http)
    async with Orchestrator.open(ADDRESS, "acme-secret", link=way) as boss:
        made = await boss.create_session("a review", metadata={"of": 42}, ttl="2h")
        longer = await boss.extend(made.session_id, "3d")
        async with boss.workspace(made.session_id, "ada", "coder") as ada:
            note = await ada.add_note("mine")
            assert await ada.session_id() == made.session_id
            assert ((await ada.get_session()).session.purpose) == "a review"
        listed = await boss.list_sessions(status="active")
        closed = await boss.close(made.session_id)
        shown = await boss.get_session(made.session_id)

    assert note.note.author == "ada"
    assert longer.expires_at > made.expires_at
    assert [session.session_id for session in listed.sessions] == [made.session_id]
    assert (closed.status, shown.session.status, shown.session.metadata) == ("closed", "closed", {"of": 42})


async def test_what_only_rest_offers_is_a_method_like_any_other(company: Table) -> None:
    async with Orchestrator.open(ADDRESS, "acme-secret", link=link(company.http)) as boss:
        await boss.create_session("a review", session_id="sess_one")
        async with boss.workspace("sess_one", "ada") as ada:
            await ada.add_question("Which tree?", blocking=True)
            seen = await ada.get_workspace()
            paused = await ada.list_checkpoints()
            await ada.scratch_create("plans", cells=[{"language": "md", "content": "an oak"}])
            await ada.scratch_delete("plans")
        waiting = await boss.list_open_questions()
        tables = await boss.list_tables(status="active", limit=1)
        found = await boss.search("tree", kinds=("note", "message"), mode="keyword")
        trash = (await boss.list_trash()).trash
        restored = await boss.restore_scratchpad(trash[0].trash_id)

    assert [question.question for question in seen.questions] == ["Which tree?"]
    assert (paused.checkpoints, found.hits) == ([], [])
    assert [question.session_id for question in waiting.questions] == ["sess_one"]
    assert [shown.session_id for shown in tables.sessions] == ["sess_one"]
    assert restored.scratchpad.scratch_id == "plans"


async def test_a_write_that_takes_no_key_is_sent_once(company: Table) -> None:
    line = LossyTransport(company.http, drops=1)
    async with Orchestrator.open(ADDRESS, "acme-secret", link=link(company.http, transport=line)) as owner:
        with pytest.raises(ConnectionLost) as lost:
            await owner.create_token("agent", agent="scout")

    assert (len(line.sent), lost.value.idempotency_key) == (1, None)


async def test_without_a_session_the_server_chooses_it(table: Table, company: Table) -> None:
    async with opened(table, session=None) as ada:
        await ada.add_note("shared")
        provisioned = await ada.session_id()

    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    credential = Credential("acme", Role.AGENT, "scout", "scout", None, "sess_acme")
    secret = (await company.app.tokens.create(credential, None)).secret
    async with Workspace.open(f"{ADDRESS}/mcp", secret, link=link(company.http)) as scout:
        assert await scout.session_id() == "sess_acme"
        assert (await scout.add_note("x")).note.author == "scout"

    assert provisioned.startswith("session_")


async def test_two_agents_that_nobody_names_have_two_names_and_two_inboxes(table: Table) -> None:
    way = link(table.http)
    async with Workspace.open(ADDRESS, link=way) as one, Workspace.open(ADDRESS, link=way) as other:
        first, second = (await one.add_note("x")).note.author, (await other.add_note("y")).note.author
        await one.add_message("hello")
        heard = await other.wait_for_messages(timeout_seconds=0)
        unheard = await one.wait_for_messages(timeout_seconds=0)

    assert first != second
    assert (first.startswith("longtable-client-"), heard.count, unheard.count) == (True, 1, 0)


async def test_an_agent_may_have_a_name_in_any_script(table: Table, session: str) -> None:
    async with opened(table, "Åsa 小林") as asa:
        assert (await asa.add_note("x")).note.author == "Åsa 小林"


@pytest.mark.parametrize("form", ["ok", "success", "status"])
@pytest.mark.parametrize("code", CODES)
async def test_every_code_becomes_the_exception_of_that_code(code: str, form: str) -> None:
    kind = next(error for error in LongtableError.__subclasses__() if error.code == code)
    details = {"message": "m", "hint": "h", "n": 1}
    envelopes = {
        "ok": {"ok": False, "error": {"error": "what happened", "code": code, "details": details}},
        "success": {"success": False, "error": "what happened", "code": code, "details": details},
    }
    problem = {"code": -32_000, "message": "what happened", "data": {"code": code, "details": details}}

    def answer(request: httpx2.Request) -> httpx2.Response:
        if form == "status":
            return httpx2.Response(kind.status, json={"jsonrpc": "2.0", "id": 1, "error": problem})
        result = {"structuredContent": envelopes[form], "isError": True, "content": []}
        return httpx2.Response(200, json={"jsonrpc": "2.0", "id": 1, "result": result})

    way = Link(attempts=2, first_wait=0, transport=httpx2.MockTransport(answer))
    async with Workspace.open(ADDRESS, link=way) as ada:
        with pytest.raises(LongtableError) as raised:
            await ada.add_note("x")

    # Caught by its name in the client and by the one that it has in the server.
    assert isinstance(raised.value, getattr(client_errors, kind.__name__))
    assert isinstance(raised.value, kind)
    assert (raised.value.code, raised.value.message, raised.value.details) == (code, "what happened", details)


async def test_a_code_of_a_newer_server_is_not_lost() -> None:
    body = {"ok": False, "error": {"error": "new", "code": "BRAND_NEW", "details": {}}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": body}}

    way = Link(transport=httpx2.MockTransport(lambda request: httpx2.Response(200, json=answer)))
    async with Workspace.open(ADDRESS, link=way) as ada:
        with pytest.raises(errors.InternalError) as raised:
            await ada.read_notes()

    assert raised.value.details == {"code": "BRAND_NEW"}


async def test_what_is_no_longtable_server_is_said_to_be_none() -> None:
    way = Link(transport=httpx2.MockTransport(lambda request: httpx2.Response(200, text="<html>")))

    async with Workspace.open(ADDRESS, link=way) as ada:
        with pytest.raises(errors.UpstreamError):
            await ada.read_notes()


async def test_refusals_of_a_real_server_keep_their_code_and_details(company: Table) -> None:
    async with Orchestrator.open(ADDRESS, "acme-secret", link=link(company.http)) as boss:
        await boss.create_session(session_id="sess_one")
        with pytest.raises(errors.Conflict):
            await boss.create_session(session_id="sess_one")
        with pytest.raises(errors.SessionNotFound):
            await boss.extend("nowhere", "1h")
        with pytest.raises(errors.InvalidArgument) as wrong:
            await boss.list_sessions(limit=0)
        async with boss.workspace("sess_one", "ada") as ada:
            await ada.write_draft_section("intro", "one")
            with pytest.raises(errors.VersionConflict) as stale:
                await ada.write_draft_section("intro", "two", expected_version=0)
            company.clock.ahead = DAY + MINUTE
            with pytest.raises(errors.SessionExpired):
                await ada.add_note("too late")
    async with Workspace.open(ADDRESS, "wrong", "sess_one", link=link(company.http)) as unknown:
        with pytest.raises(errors.Unauthorized):
            await unknown.read_notes()

    assert wrong.value.details["errors"][0]["path"] == "limit"
    assert stale.value.details["current_version"] == 1


WRITES: dict[str, dict[str, Any]] = {
    "add_note": {"content": "x"},
    "write_draft_section": {"section_id": "intro", "content": "x"},
    "revert_draft_section": {"section_id": "old", "to_version": 1},
    "add_tasks": {"tasks": [{"description": "x"}]},
    "update_task": {"task_id": "t1", "note": "x"},
    "claim_task": {"task_id": "t1"},
    "add_question": {"question": "x"},
    "submit_answers": {"answers": {"q1": "x"}},
    "withdraw_question": {"question_id": "q1"},
    "check_pause": {"agent_requested": True},
    "resume_checkpoint": {"checkpoint_id": "c1"},
    "add_message": {"content": "x"},
    "report_usage": {"model": "x", "input_tokens": 1, "output_tokens": 1},
    "set_memory": {"key": "k", "value": 1},
    "delete_memory": {"key": "old"},
    "reserve": {"paths": ["src/*"]},
    "release": {"paths": ["old/*"]},
}


def test_every_write_is_among_those_that_are_tried() -> None:
    # Those of notebooks are tried in a file of their own.
    writes = {tool.name for tool in tools_of_a_workspace() if tool.writes and tool.group != "notebooks"}

    # A lease is renewed as often as one likes; its spec is with the plan.
    assert writes - set(WRITES) == {"renew_task"}


@pytest.mark.parametrize("tool", WRITES)
async def test_a_write_whose_answer_is_lost_twice_has_one_effect(table: Table, session: str, tool: str) -> None:
    async with opened(table) as ada:
        await ada.write_draft_section("old", "x")
        await ada.add_tasks([{"description": "there"}])
        await ada.add_question("there?")
        await ada.set_memory("old", 1)
        if tool == "release":
            await ada.reserve(["old/*"])
        if tool == "resume_checkpoint":
            await ada.withdraw_question("q1")
            await ada.check_pause(agent_requested=True)
        line = LossyTransport(table.http, drops=2)
        start = (await ada.read_events(limit=1000)).next_after
        # The asker of a question cannot answer it.
        name = "bob" if tool == "submit_answers" else "ada"
        async with opened(table, name, transport=line) as retrying:
            result = await getattr(retrying, tool)(**WRITES[tool])
        happened = (await ada.read_events(after=start, limit=1000)).events
        await table.app.ledger.flush()

    records = await table.app.database.read(
        "default",
        lambda tx: tx.all("SELECT outcome FROM audit WHERE tenant = :tenant AND operation = :tool", tool=tool),
    )
    keys = {json.loads(request.content)["params"]["arguments"]["idempotency_key"] for request in line.sent}
    before = 1 if tool in ("write_draft_section", "add_tasks", "add_question", "set_memory") else 0
    assert (len(line.sent), len(keys)) == (3, 1)
    assert [row["outcome"] for row in records] == ["SUCCESS"] * (before + 1)
    # A claim changes the status and says for how long.
    assert len(happened) <= 1 + (tool in ("submit_answers", "claim_task"))
    assert type(result).__name__ == next(one.result.__name__ for one in docs.every_tool() if one.name == tool)


async def test_a_lost_answer_in_rest_has_one_effect_too(table: Table, session: str) -> None:
    line = LossyTransport(table.http, drops=1)
    async with Orchestrator.open(ADDRESS, link=link(table.http, transport=line)) as boss:
        await boss.extend("sess_one", "9d")
        line.drops = 1
        made = await boss.create_session("once")
        sessions = (await boss.list_sessions()).sessions
    async with opened(table) as ada:
        kinds = [event["kind"] for event in (await ada.read_events()).events]

    assert [session.session_id for session in sessions] == [made.session_id, "sess_one"]
    assert kinds == ["session/created", "session/extended"]


async def test_trying_again_has_an_end_and_the_key_finds_out_what_became_of_it(table: Table, session: str) -> None:
    line = LossyTransport(table.http, drops=3)
    async with opened(table, transport=line, attempts=3) as ada:
        with pytest.raises(ConnectionLost) as lost:
            await ada.add_note("perhaps")
        again = await ada.add_note("perhaps", idempotency_key=lost.value.idempotency_key)
        notes = await ada.read_notes()

    assert (again.note.id, notes.total) == ("n1", 1)


async def test_a_key_of_ones_own_is_used_and_never_for_another_request(table: Table, session: str) -> None:
    async with opened(table) as ada:
        first = await ada.add_note("x", idempotency_key="mine")
        second = await ada.add_note("x", idempotency_key="mine")
        with pytest.raises(errors.IdempotencyMismatch):
            await ada.add_note("y", idempotency_key="mine")

    assert first.note.id == second.note.id == "n1"


async def test_a_refusal_is_not_tried_again(table: Table, session: str) -> None:
    line = LossyTransport(table.http)
    async with opened(table, transport=line) as ada:
        with pytest.raises(errors.NotFound):
            await ada.update_task("t9", note="x")

    assert len(line.sent) == 1


async def test_one_workspace_serves_many_calls_at_once(table: Table, session: str) -> None:
    line = LossyTransport(table.http, drops=10)
    async with opened(table, transport=line) as ada:
        added = await asyncio.gather(*(ada.add_note(str(n)) for n in range(20)))
        total = (await ada.read_notes()).total

    assert (sorted({note.note.id for note in added}), total) == (sorted(f"n{n}" for n in range(1, 21)), 20)


async def test_all_notes_and_messages_are_read_page_by_page_from_the_first_on(
    table: Table, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "_PAGE", 2)
    async with opened(table) as ada:
        for number in range(5):
            await ada.add_note(str(number), tags=["even"] if number % 2 == 0 else [])
            await ada.add_message(str(number))

        notes = [note.content async for note in ada.all_notes()]
        tagged = [note.content async for note in ada.all_notes(tags=["even"])]
        messages = [message.content async for message in ada.all_messages()]

    assert notes == messages == ["0", "1", "2", "3", "4"]
    assert tagged == ["0", "2", "4"]


async def test_a_program_reads_texts_whole_unless_it_asks_for_less(table: Table, session: str) -> None:
    text = "word " * 12_000
    async with opened(table) as ada:
        await ada.write_draft_section("long", text)
        whole = await ada.read_draft("long")
        part = await ada.read_draft("long", max_chars=100)

    assert whole.section is not None
    assert part.section is not None
    assert whole.section.content == text
    assert len(part.section.content or "") <= 100
