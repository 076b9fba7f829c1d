"""The official conformance suites of the protocol, run against our edges."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp import Client

from tests.conformance.node import run

pytestmark = [pytest.mark.node, pytest.mark.timeout(180)]


@dataclass(frozen=True)
class Suite:
    """One referee: a package, and what it is asked to judge."""

    package: str
    arguments: tuple[str, ...]
    fewest_scenarios: int


SUITES = {
    "2025-11-25": Suite("conformance-2025", ("--suite", "all"), 32),
    "2025-11-25 judged by the newer suite": Suite("conformance-2026", ("--requirements", "2025-11-25"), 33),
    "2026-07-28": Suite("conformance-2026", ("--requirements", "2026-07-28"), 50),
}

NO_TASKS = "The extension io.modelcontextprotocol/tasks is optional and not offered."
NO_RESUMPTION = "A stream is only a wake-up: without an event store it is not resumed, clients read from their cursor."

# What does not pass, and why that is right. A scenario that passes again must leave this table.
EXCEPTIONS = {
    "server-sse-polling": NO_RESUMPTION,
    "tasks-lifecycle": NO_TASKS,
    "tasks-capability-negotiation": NO_TASKS,
    "tasks-wire-fields": NO_TASKS,
    "tasks-request-state-removal": NO_TASKS,
    "tasks-mrtr-input": NO_TASKS,
    "tasks-request-headers": NO_TASKS,
    "tasks-dispatch-and-envelope": NO_TASKS,
    "tasks-status-notifications": NO_TASKS,
    "tasks-required-task-error": NO_TASKS,
    "tasks-mrtr-composition": NO_TASKS,
}


def verdicts(results: Path) -> dict[str, list[str]]:
    """The complaints for each scenario that ran; a scenario in which nothing was checked has one, too."""
    found: dict[str, list[str]] = {}
    for report in sorted(results.glob("server-*/checks.json")):
        # The folder is named server-<scenario>-<time>, the time being 2026-07-28T12-00-00-000Z.
        scenario = report.parent.name.removeprefix("server-").rsplit("-", 6)[0]
        checks = json.loads(report.read_text(encoding="utf-8"))
        found[scenario] = [
            f"{check['status']} {check['id']}: {check.get('errorMessage', '')}"
            for check in checks
            if check["status"] in {"FAILURE", "WARNING"}
        ]
        if not any(check["status"] == "SUCCESS" for check in checks):
            found[scenario].append("nothing was checked")
    return found


async def test_the_suites_meet_the_short_way_past_the_sdk(server_url: str) -> None:
    for mode in ("2026-07-28", "legacy"):
        async with Client(server_url, mode=mode) as client:
            result = await client.call_tool("test_simple_text", {})

        assert result.structured_content == {"ok": True, "text": "This is a simple text response for testing."}


@pytest.mark.parametrize("name", SUITES)
def test_the_server_conforms_to_the_protocol(name: str, node_tools: Path, server_url: str, tmp_path: Path) -> None:
    suite = SUITES[name]
    script = node_tools / suite.package / "dist" / "index.js"

    finished = run(script, ["server", "--url", server_url, *suite.arguments, "-o", str(tmp_path / "results")], tmp_path)
    found = verdicts(tmp_path / "results")

    assert len(found) >= suite.fewest_scenarios, finished.stdout + finished.stderr
    failed = {scenario: complaints for scenario, complaints in found.items() if complaints}
    assert {scenario: failed[scenario] for scenario in failed.keys() - EXCEPTIONS.keys()} == {}
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert EXCEPTIONS.keys() & found.keys() - failed.keys() == set(), "these pass again: remove them from EXCEPTIONS"
