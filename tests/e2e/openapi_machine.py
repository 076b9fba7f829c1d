"""Schemathesis at a running server: cases made from our OpenAPI document, and a machine that follows from one operation
to the next with what it was told. It is a program in an environment of its own."""

import asyncio
import json
import subprocess
from pathlib import Path

from tests.e2e.servers import ROOT, Options, Processes

PROGRAM = ROOT / ".tools" / "schemathesis" / "bin" / "schemathesis"
ROLES = {
    "owner": ("--role", "owner"),
    "human": ("--role", "human"),
    "orchestrator": ("--role", "orchestrator"),
    "reader": ("--role", "reader"),
    "agent": ("--role", "agent", "--agent", "ada", "--session", "sess_one"),
}
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance"
"""Not the form of results: those that `max_chars` has cut leave out fields that the document calls required."""
OPTIONS = {"auth_tokens": "acme:acme-secret", "call_rate": "0", "max_calls_in_flight": "0"}


async def run_machine(processes: Processes, options: Options, role: str, seconds: int, folder: Path) -> str:
    """All that it says. Streams are left out, as they have no end."""
    given = {**OPTIONS, **options}
    server = await asyncio.to_thread(processes.serve, given)
    boss = server.agent("ada", Authorization="Bearer acme-secret")
    await boss.calls("create_session", session_id="sess_one")
    await boss.client.aclose()
    words = ("token", "create", "--tenant", "acme", *ROLES[role], "--json")
    made = await asyncio.to_thread(processes.run, *words, options=given)
    token = json.loads(made.stdout)["secret"]
    command = [
        *(str(PROGRAM), "run", f"{server.address}/openapi.json", "--header", f"Authorization: Bearer {token}"),
        *("--phases", "coverage,fuzzing,stateful", "--checks", CHECKS, "--max-time", str(seconds), "--seed", "20"),
        *("--exclude-path-regex", "events$", "--continue-on-failure", "--no-color", "--max-response-time", "5"),
    ]
    done = await asyncio.to_thread(subprocess.run, command, cwd=folder, capture_output=True, text=True, check=False)
    assert server.popen.poll() is None, "the server has ended"
    assert server.tracebacks == []
    return f"{done.stdout}{done.stderr}\nexit code {done.returncode}"
