"""`confirm: client`: the user of the agent's own client may allow a call, and the word is recorded as relayed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
from tests.table import Table

pytestmark = pytest.mark.slow

OWNER = Caller("default", Role.OWNER, "human:ada", "human", Surface.CONSOLE)
ECHO = "mindscape_run_calm_echo"
ANNOUNCE = "mindscape_playbook_default_announce"
RULES: list[dict[str, Any]] = [
    {"match": "calm.echo", "layer": "run", "confirm": "client"},
    {"match": "calm.echo", "confirm": "human", "when": {"properties": {"text": {"const": "launch"}}}},
]


@pytest.fixture
async def calm(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with opened(store, tmp_path, {"calm": hostile_json("calm")}, rules=RULES) as table:
        yield table


def answering(action: Any, **content: bool) -> Person:
    async def answer(params: Any) -> types.ElicitResult:
        return types.ElicitResult(action=action, content=dict(content) or None)

    return Person(answers=answer)


async def echo(client: Client, text: str = "hello") -> Any:
    return await client.call_tool(ECHO, {"inputs": {"text": text}, "_context": {"original_message": "To greet."}})


async def decisions(table: Table) -> list[dict[str, Any]]:
    found = await table.app.dispatcher.call(Invocation("list_decisions", {}, OWNER, CurrentSession()))
    shown: list[dict[str, Any]] = found.body["decisions"]
    return shown


def code(result: Any) -> str:
    return "SUCCESS" if not result.is_error else str(result.structured_content["error"]["code"])


async def test_a_user_who_allows_it_lets_the_call_run_and_counts_as_relayed(calm: Table, mode: str) -> None:
    person = answering("accept", allow=True)

    async with client_of(calm, mode, **person.callbacks) as client:
        result = await echo(client)
        again = await echo(client)

    assert (code(result), code(again)) == ("SUCCESS", "SUCCESS")
    assert "May alice call calm.echo of calm?" in person.questions[0].message
    assert '{"text":"hello"}\nWhy: To greet.' in person.questions[0].message
    # Each call is asked about.
    assert len(person.questions) == 2
    shown = [(each["status"], each["decided_by"], each["relayed"]) for each in await decisions(calm)]
    assert shown == [("used", "alice", True)] * 2


@pytest.mark.parametrize(("action", "said"), [("decline", {}), ("accept", {"allow": False})])
async def test_a_user_who_refuses_it_is_obeyed(calm: Table, mode: str, action: str, said: dict[str, bool]) -> None:
    person = answering(action, **said)

    async with client_of(calm, mode, **person.callbacks) as client:
        results = [await echo(client), await echo(client)]

    assert [code(each) for each in results] == ["CONFIRMATION_DENIED"] * 2
    assert "The user of alice's client has refused this call." in results[0].structured_content["error"]["error"]
    # The second was refused without a question.
    assert len(person.questions) == 1
    assert [(each["status"], each["relayed"]) for each in await decisions(calm)] == [("denied", True)]


async def test_a_user_who_does_not_say_leaves_it_to_a_person(calm: Table, mode: str) -> None:
    async with client_of(calm, mode, **answering("cancel").callbacks) as client:
        result = await echo(client)

    assert code(result) == "CONFIRMATION_REQUIRED"
    assert [(each["status"], each.get("relayed")) for each in await decisions(calm)] == [("waiting", None)]


async def test_a_client_that_cannot_ask_leaves_it_to_a_person(calm: Table, mode: str) -> None:
    async with client_of(calm, mode) as client:
        result = await echo(client)

    assert code(result) == "CONFIRMATION_REQUIRED"


async def test_where_another_rule_wants_a_person_no_client_is_asked(calm: Table, mode: str) -> None:
    person = answering("accept", allow=True)

    async with client_of(calm, mode, **person.callbacks) as client:
        result = await echo(client, "launch")

    assert (code(result), person.questions) == ("CONFIRMATION_REQUIRED", [])


async def test_a_users_word_for_a_playbook_does_not_cover_a_step_that_needs_a_person(
    store: Store, tmp_path: Path, mode: str
) -> None:
    person = answering("accept", allow=True)

    async with playbook(store, tmp_path) as table, client_of(table, mode, **person.callbacks) as client:
        covered = await client.call_tool(ANNOUNCE, {"inputs": {"text": "hello"}})
        held = await client.call_tool(ANNOUNCE, {"inputs": {"text": "launch"}})
        waiting = [each["tool"] for each in await decisions(table) if each["status"] == "waiting"]

    assert covered.structured_content["status"] == "completed"
    assert held.structured_content["status"] == "confirmation_required"
    assert held.structured_content["progress"]["step"] == 2
    assert waiting == ["mindscape_tool_guarded_echo"]


@asynccontextmanager
async def playbook(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """One whose first step the user of a client may allow, and whose second one needs a person for some inputs."""
    (tmp_path / "playbooks").mkdir()
    steps = "steps: [{tool: calm.echo, inputs: INPUTS}, {tool: guarded.echo, inputs: INPUTS}]"
    (tmp_path / "playbooks" / "announce.yaml").write_text(steps.replace("INPUTS", '{text: "{{ inputs.text }}"}'))
    rules = [
        {"match": "calm.echo", "layer": "run", "confirm": "client"},
        {"match": "guarded.echo", "layer": "tool"},
        {**RULES[1], "match": "guarded.echo"},
    ]
    servers = {"calm": hostile_json("calm"), "guarded": hostile_json("calm")}
    async with opened(store, tmp_path, servers, rules=rules, playbooks="playbooks") as table:
        yield table
