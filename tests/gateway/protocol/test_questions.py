"""Questions of other servers to the client of the agent whose call is under way, in both revisions on both sides."""

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types

from tests.gateway.protocol.conftest import Person, client_of, library, opened, says, until_noted
from tests.stores import Store
from tests.table import Table

REASON = "longtable/reason"


async def test_a_form_reaches_the_person_and_names_the_server(table: Table, mode: str) -> None:
    person = Person()

    async with client_of(table, mode, **person.callbacks) as client:
        answer = await says(client, "get_colour")

    assert answer == {"action": "accept", "content": {"colour": "blue"}}
    assert [each.message for each in person.questions] == ['The server "library" asks: Which colour?']


async def test_a_link_reaches_the_person(table: Table, mode: str) -> None:
    person = Person()

    async with client_of(table, mode, **person.callbacks) as client:
        answer = await says(client, "get_page")

    assert answer["action"] == "accept"
    assert [(each.url, each.message) for each in person.questions] == [
        ("https://example.org/login", 'The server "library" asks: Log in.')
    ]


async def test_a_link_that_is_a_program_is_not_passed_on(table: Table) -> None:
    person = Person()

    async with client_of(table, "legacy", **person.callbacks) as client:
        answer = await says(client, "get_script")

    assert (answer["action"], person.questions) == ("cancel", [])


async def test_a_server_is_told_why_nobody_was_asked(table: Table, mode: str) -> None:
    async with client_of(table, mode) as client:
        answer = await says(client, "get_colour")

    assert answer["action"] == "cancel"
    assert "has not declared" in answer["_meta"][REASON]


async def test_the_roots_of_the_calling_client_are_passed_on(table: Table, mode: str) -> None:
    async with client_of(table, mode, **Person().callbacks) as client:
        answer = await says(client, "get_roots")

    assert answer["roots"] == [{"uri": "file:///home/ada", "name": "home"}]


async def test_a_client_without_roots_has_none(table: Table) -> None:
    async with client_of(table, "legacy") as client:
        assert (await says(client, "get_roots"))["roots"] == []


async def test_sampling_is_refused_with_a_reason(table: Table, mode: str) -> None:
    person = Person()

    async with client_of(table, mode, **person.callbacks) as client:
        answer = await says(client, "get_written")

    assert "its operator can allow it" in str(answer)
    assert person.questions == []


async def test_an_operator_can_allow_sampling(
    store: Store, tmp_path: Path, journal: Path, revision: str, mode: str
) -> None:
    person, entry = Person(), library(journal, revision=revision, sampling="allow")

    async with (
        opened(store, tmp_path, {"library": entry}) as table,
        client_of(table, mode, **person.callbacks) as client,
    ):
        answer = await says(client, "get_written")

    assert answer["content"] == {"type": "text", "text": "Hi."}
    assert person.questions[0].system_prompt == 'A request of the server "library".'


async def test_the_time_of_a_person_does_not_count(store: Store, tmp_path: Path, journal: Path, mode: str) -> None:
    entry = library(journal, revision="handshake", timeout=1)

    async def slowly(params: Any) -> types.ElicitResult:
        await asyncio.sleep(1.5)
        return types.ElicitResult(action="decline")

    async with (
        opened(store, tmp_path, {"library": entry}) as table,
        client_of(table, mode, **Person(answers=slowly).callbacks) as client,
    ):
        answer = await says(client, "get_colour")

    assert answer == {"action": "decline"}


async def test_of_two_calls_at_once_nobody_is_asked_where_nothing_tells_which_it_is(
    store: Store, tmp_path: Path, journal: Path
) -> None:
    person = Person()
    async with (
        opened(store, tmp_path, {"library": library(journal, revision="handshake")}) as table,
        client_of(table, "legacy", **person.callbacks) as client,
        asyncio.TaskGroup() as group,
    ):
        slow = group.create_task(says(client, "get_slow", progress_callback=person.note_progress))
        await until_noted(journal, "slow")

        answer = await says(client, "get_colour")
        slow.cancel()

    assert answer["action"] == "cancel"
    assert "Several calls are under way" in answer["_meta"][REASON]
    assert person.questions == []


async def test_a_call_that_waits_goes_on_for_its_own_caller_only(table: Table) -> None:
    person = Person()
    async with client_of(table, "2026-07-28", **person.callbacks) as client:
        first = await client.session.call_tool("mindscape_tool_library_get_colour", {}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        answers: types.InputResponses = {
            name: types.ElicitResult(action="decline") for name in first.input_requests or {}
        }

        async def again(tool: str) -> types.CallToolResult:
            name, state = f"mindscape_tool_library_{tool}", first.request_state
            return await client.session.call_tool(name, {}, input_responses=answers, request_state=state)

        forged, own, late = await again("get_roots"), await again("get_colour"), await again("get_colour")

    assert "decline" in str(own.content)
    assert (forged.is_error, late.is_error) == (True, True)


async def test_an_answer_may_reach_another_server_than_the_one_that_asked(
    store: Store, tmp_path: Path, journal: Path
) -> None:
    person, servers = Person(), {"library": library(journal)}
    async with opened(store, tmp_path, servers) as table, opened(store, tmp_path, servers) as other:

        async def balanced(scope: Any, receive: Any, send: Any) -> None:
            message = await receive()
            answers = b'"method"' not in message["body"] and b'"result"' in message["body"]
            await (other if answers else table).http(scope, replayed(message, receive), send)

        async with client_of(table, "legacy", balanced, **person.callbacks) as client:
            answer = await says(client, "get_colour")

    assert answer["content"] == {"colour": "blue"}


def replayed(message: Any, receive: Any) -> Any:
    messages = [message]

    async def again() -> Any:
        return messages.pop() if messages else await receive()

    return again
