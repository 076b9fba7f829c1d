"""The user of an agent's own client is shown what the agent waits for, where the client can ask. An answer counts as
passed on by the agent; a call that waits for approval is shown as a link, and never decided there."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.toolkit.dispatch import Invocation
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.protocol.conftest import Person, client_of, opened
from tests.stores import Store
from tests.table import ADDRESS, Table

pytestmark = pytest.mark.slow

OWNER = Caller("default", Role.OWNER, "human:ada", "human", Surface.CONSOLE)
ECHO = "mindscape_run_calm_echo"
RULES = [{"match": "calm.echo", "layer": "run"}]


@pytest.fixture
async def calm(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with opened(store, tmp_path, {"calm": hostile_json("calm")}, rules=RULES) as table:
        yield table


def answering(action: Any, **content: str) -> Person:
    async def answer(params: Any) -> types.ElicitResult:
        return types.ElicitResult(action=action, content=dict(content) or None)

    return Person(answers=answer)


async def calls(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    body: dict[str, Any] = result.structured_content or {}
    assert not result.is_error, body
    return body


@pytest.fixture
async def session(calm: Table) -> str:
    made = await calm.agent("alice").calls("create_session", purpose="A question of colour")
    return str(made["session_id"])


async def asks(client: Client, **more: Any) -> str:
    added = await calls(client, "add_question", question="Which colour?", **more)
    return str(added["question"]["id"])


async def waits(client: Client, seconds: float = 20) -> dict[str, Any]:
    return await calls(client, "wait_for_answers", timeout_seconds=seconds)


async def test_the_answer_of_the_clients_user_ends_the_wait_and_counts_as_passed_on(
    calm: Table, session: str, mode: str
) -> None:
    person = answering("accept", choice="blue")

    async with client_of(calm, mode, session=session, **person.callbacks) as client:
        await asks(client, context="For the door.", options=["red", "blue"])
        [answer] = (await waits(client))["answers"]
        audit = (await calls(client, "get_audit_log", limit=50, max_chars=0))["entries"]

    assert (answer["answer"], answer["by_human"], answer["relayed_by"]) == ("blue", False, "alice")
    [shown] = person.questions
    assert "Which colour?\n\nFor the door." in shown.message
    assert shown.requested_schema["properties"]["choice"]["enum"] == ["red", "blue"]
    assert "answer_relayed" in {entry["event_type"] for entry in audit}


async def test_the_user_of_an_agent_that_names_no_session_is_asked_too(calm: Table, mode: str) -> None:
    person = answering("accept", answer="blue")

    async with client_of(calm, mode, **person.callbacks) as client:
        await asks(client)
        [answer] = (await waits(client))["answers"]

    assert (answer["answer"], answer["relayed_by"]) == ("blue", "alice")
    assert len(person.questions) == 1


async def test_ones_own_words_count_before_a_choice(calm: Table, session: str, mode: str) -> None:
    person = answering("accept", choice="blue", answer="green, if there is any")

    async with client_of(calm, mode, session=session, **person.callbacks) as client:
        await asks(client, options=["red", "blue"])
        [answer] = (await waits(client))["answers"]

    assert (answer["answer"], answer["free_text"]) == ("green, if there is any", True)


async def test_a_question_for_a_person_is_not_shown_there(calm: Table, session: str, mode: str) -> None:
    person = answering("accept", answer="blue")

    async with client_of(calm, mode, session=session, **person.callbacks) as client:
        question = await asks(client, require_human=True)
        waited = await waits(client, 0.2)

    assert (waited["still_pending"], person.questions) == ([question], [])


@pytest.mark.parametrize("ids", [5, "q1", {"q1": True}])
async def test_a_bad_list_of_questions_is_refused_and_nobody_is_asked(
    calm: Table, session: str, mode: str, ids: object
) -> None:
    person = answering("accept", answer="blue")

    async with client_of(calm, mode, session=session, **person.callbacks) as client:
        await asks(client)
        refused = await client.call_tool("wait_for_answers", {"question_ids": ids, "timeout_seconds": 0.2})

    assert (refused.structured_content or {})["error"]["code"] == "INVALID_ARGUMENT"
    assert person.questions == []


async def test_a_user_who_does_not_say_is_not_asked_again(calm: Table, session: str, mode: str) -> None:
    person = answering("decline")

    async with client_of(calm, mode, session=session, **person.callbacks) as client:
        question = await asks(client)
        waited = [await waits(client, 0.2), await waits(client, 0.2)]

    assert [each["still_pending"] for each in waited] == [[question], [question]]
    assert len(person.questions) == 1


async def test_a_user_who_takes_longer_than_the_agent_waits_is_heard(calm: Table, session: str, mode: str) -> None:
    say = asyncio.Event()

    async def answer_later(params: Any) -> types.ElicitResult:
        await say.wait()
        return types.ElicitResult(action="accept", content={"answer": "blue"})

    person = Person(answers=answer_later)
    async with client_of(calm, mode, session=session, **person.callbacks) as client:
        await asks(client)
        waiting = asyncio.create_task(waits(client, 0.2))
        if mode == "legacy":
            assert (await waiting)["still_pending"]
        say.set()
        answers = (await waiting)["answers"] or (await waits(client))["answers"]

    assert [answer["answer"] for answer in answers] == ["blue"]


async def test_what_a_person_answered_meanwhile_stays(calm: Table, session: str, mode: str) -> None:
    async def answer_late(params: Any) -> types.ElicitResult:
        given = {"answers": {"q1": "red"}}
        person = OWNER.inside(session)
        done = await calm.app.dispatcher.call(Invocation("submit_answers", given, person, CurrentSession()))
        assert done.error is None
        return types.ElicitResult(action="accept", content={"answer": "blue"})

    async with client_of(calm, mode, session=session, **Person(answers=answer_late).callbacks) as client:
        await asks(client)
        [answer] = (await waits(client))["answers"]
        [later] = (await calls(client, "get_answered_questions"))["questions"]

    assert (answer["answer"], later["answer"], later["by_human"]) == ("red", "red", True)


async def test_an_operator_can_switch_it_off(store: Store, tmp_path: Path, mode: str) -> None:
    person = answering("accept", answer="blue")
    async with opened(store, tmp_path, {}, {"elicitation": "false"}) as table:
        made = await table.agent("alice").calls("create_session", purpose="A question of colour")
        async with client_of(table, mode, session=made["session_id"], **person.callbacks) as client:
            question = await asks(client)
            waited = await waits(client, 0.2)

    assert (waited["still_pending"], person.questions) == ([question], [])


async def test_a_call_that_waits_for_approval_is_a_link_to_the_console_and_no_more(calm: Table, mode: str) -> None:
    person = answering("accept")

    async with client_of(calm, mode, **person.callbacks) as client:
        refused = await client.call_tool(ECHO, {"inputs": {"text": "hello"}})
        details = (refused.structured_content or {})["error"]["details"]
        waited = await calls(client, "wait_for_decision", confirmation_id=details["confirmation_id"], wait_seconds=0.2)

    [shown] = person.questions
    assert (shown.mode, shown.url) == ("url", f"{ADDRESS}/")
    assert "May alice call mindscape_run_calm_echo?" in shown.message
    assert waited["status"] == "waiting"
