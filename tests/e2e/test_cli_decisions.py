"""`longtable decisions`: a person at the terminal decides about calls of agents, and proves to be one."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import Processes, Server
from tests.gateway.hostile.entries import hostile_json
from tests.table import Agent

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SECRET = "correct horse"
TOOL = "mindscape_run_calm_echo"
TEXT = 'the whole "text" of it, ' * 100


@dataclass
class TerminalGateway:
    """A server with a gateway, an agent at it, and the program on the same store."""

    program: Program
    server: Server
    alice: Agent
    folder: Path

    async def asks(self, text: str = TEXT) -> dict[str, Any]:
        """What alice is told when she wants to make a call that needs a person."""
        answer = await self.alice.tries(TOOL, inputs={"text": text})
        assert answer["error"]["code"] == "CONFIRMATION_REQUIRED", answer
        details: dict[str, Any] = answer["error"]["details"]
        return details

    async def does(self, *words: str) -> dict[str, Any]:
        return await asyncio.to_thread(self.program.does, "decisions", *words)

    async def refuses(self, *words: str) -> tuple[int, str]:
        return await asyncio.to_thread(self.program.refuses, "decisions", *words)

    def secret(self, text: str = SECRET, mode: int = 0o600) -> str:
        path = self.folder / "secret.txt"
        path.write_text(f"{text}\n")
        path.chmod(mode)
        return str(path)


@pytest.fixture
async def gateway(processes: Processes, embedded: dict[str, str], tmp_path: Path) -> AsyncIterator[TerminalGateway]:
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": {"calm": hostile_json("calm")}}))
    server = processes.serve({**embedded, "gateway_config": str(path), "enable_semantic_search": "false"})
    alice = server.agent("alice")
    made = TerminalGateway(Program(Path(embedded["data_dir"])), server, alice, tmp_path)
    made.program.does("human-secret", "set", "--from-file", made.secret())
    yield made
    await alice.client.aclose()


async def test_what_waits_is_listed_whole(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    result = await gateway.does("list")

    [decision] = result["decisions"]
    expected = {"id": asked["confirmation_id"], "kind": "call", "status": "waiting", "tool": TOOL}
    assert {name: decision[name] for name in expected} == expected
    assert (decision["arguments"], decision["requested_by"]) == ({"text": TEXT}, "alice")
    assert asked["confirm_token"] not in json.dumps(result)


async def test_a_waiting_agent_goes_on_when_a_person_approves_at_the_terminal(gateway: TerminalGateway) -> None:
    asked = await gateway.asks("once")
    waiting = asyncio.create_task(
        gateway.alice.calls("wait_for_decision", confirmation_id=asked["confirmation_id"], wait_seconds=30)
    )

    made = await gateway.does("approve", asked["confirmation_id"], "--human-secret-file", gateway.secret())
    decided = await waiting
    ran = await gateway.alice.tries(TOOL, inputs={"text": "once"}, confirm_token=asked["confirm_token"])

    assert (made["decision"]["status"], decided["status"]) == ("approved", "approved")
    assert made["decision"]["decided_by"].startswith("human:")
    assert ran == {"text": "once"}


async def test_a_refusal_reaches_the_agent_with_its_reason(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    await gateway.does(
        "deny", asked["confirmation_id"], "--reason", "Not today.", "--human-secret-file", gateway.secret()
    )
    result = await gateway.alice.tries(TOOL, inputs={"text": TEXT}, confirm_token=asked["confirm_token"])

    assert result["error"]["code"] == "CONFIRMATION_DENIED"
    assert result["error"]["details"]["reason"] == "Not today."


async def test_a_wrong_secret_decides_nothing_and_is_on_record(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    result = await gateway.refuses(
        "approve", asked["confirmation_id"], "--human-secret-file", gateway.secret("guess guess")
    )

    assert result == (1, "FORBIDDEN")
    assert [decision["status"] for decision in (await gateway.does("list"))["decisions"]] == ["waiting"]
    rows = gateway.program.rows("SELECT outcome, object FROM audit WHERE event_type = 'decision_refused'")
    assert rows == [("FORBIDDEN", f"decision:{asked['confirmation_id']}")]


async def test_a_secret_that_others_may_read_is_not_taken(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    words = asked["confirmation_id"], "--human-secret-file", gateway.secret(mode=0o644)
    result = await gateway.refuses("approve", *words)

    assert result == (1, "CONFIG_ERROR")


async def test_without_a_terminal_and_a_file_nobody_is_taken_for_a_person(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    assert await gateway.refuses("deny", asked["confirmation_id"]) == (1, "CONFIG_ERROR")


async def test_at_a_terminal_the_secret_is_asked_for_and_not_shown(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    def types() -> tuple[int, str]:
        with at_terminal(gateway.program, "decisions", "approve", asked["confirmation_id"]) as terminal:
            terminal.shows("Human secret: ")
            terminal.types(SECRET)
            return terminal.ends(), terminal.shown

    status, shown = await asyncio.to_thread(types)

    assert status == 0
    assert f"{asked['confirmation_id']} is approved: {TOOL} for alice." in shown
    assert SECRET not in shown


@pytest.mark.parametrize("decision_id", ["d99", "nonsense"])
async def test_a_decision_that_is_not_there_is_not_found(gateway: TerminalGateway, decision_id: str) -> None:
    assert await gateway.refuses("approve", decision_id, "--human-secret-file", gateway.secret()) == (1, "NOT_FOUND")


async def test_what_was_decided_stays_so(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()
    words = asked["confirmation_id"], "--human-secret-file", gateway.secret()
    await gateway.does("approve", *words)

    assert await gateway.refuses("deny", *words) == (1, "CONFLICT")


async def test_another_tenant_has_decisions_of_its_own(gateway: TerminalGateway) -> None:
    asked = await gateway.asks()

    result = await gateway.does("list", "--tenant", "rival")
    words = asked["confirmation_id"], "--tenant", "rival", "--human-secret-file", gateway.secret()

    assert result["decisions"] == []
    assert await gateway.refuses("approve", *words) == (1, "NOT_FOUND")


async def test_an_empty_list_says_so_to_people(gateway: TerminalGateway) -> None:
    every = await asyncio.to_thread(gateway.program.run, "decisions", "list")
    denied = await asyncio.to_thread(gateway.program.run, "decisions", "list", "--status", "denied")

    assert (every.out, every.err) == ("", "There are no decisions.\n")
    assert (denied.out, denied.err) == ("", "No decision is denied.\n")


async def test_the_table_for_people_names_what_waits_and_what_to_do(gateway: TerminalGateway) -> None:
    asked = await gateway.asks("short")

    result = await asyncio.to_thread(gateway.program.run, "decisions", "list")

    assert (result.status, asked["confirmation_id"] in result.out, '{"text":"short"}' in result.out) == (0, True, True)
    assert "longtable decisions approve ID" in result.err


def test_while_no_secret_is_set_only_the_console_decides(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    program.does("token", "create", "--tenant", "acme", "--role", "owner", "--name", "ada")

    ended = program.run("decisions", "approve", "d1", "--human-secret-file", str(tmp_path / "none"))

    assert ended.status == 1
    assert "No human secret is set" in ended.err
    assert "longtable human-secret set" in ended.err
