"""Schemathesis at a running server: cases made from our OpenAPI document, and a machine that follows from one operation
to the next with what it was told. It is a program in an environment of its own."""

import asyncio
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.servers import ROOT, Options, Processes
from tests.table import Agent

PROGRAM = ROOT / ".tools" / "schemathesis" / "bin" / "schemathesis"
ROLES = {
    "owner": ("--role", "owner"),
    "human": ("--role", "human"),
    "orchestrator": ("--role", "orchestrator"),
    "reader": ("--role", "reader"),
    "agent": ("--role", "agent", "--agent", "ada", "--session", "sess_one"),
}
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    "response_schema_conformance",
)
SESSIONS = ("sess_one", "sess_two", "sess_three", "sess_four")
HOOKS = "tests.e2e.openapi_known_ids"
_SCHEMA = {"name": "form", "description": "a form", "schema": {"type": "object"}}
_CONTENTS: dict[str, dict[str, Any]] = {
    "notes": {"content": "a note", "tags": ["x"]},
    "draft/intro": {"content": "a text"},
    "tasks": {"tasks": [{"description": "a task"}, {"description": "another"}]},
    "questions": {"question": "Which?", "options": ["a", "b"]},
    "messages": {"content": "a message"},
}
OPTIONS = {
    **{"auth_tokens": "acme:acme-secret", "call_rate": "0", "max_calls_in_flight": "0"},
    "enable_semantic_search": "true",
}


@dataclass(frozen=True, slots=True)
class MachineRun:
    """All that it said, and the operations that have succeeded."""

    said: str
    succeeded: Sequence[str]


async def run_machine(processes: Processes, options: Options, role: str, seconds: int, folder: Path) -> MachineRun:
    """Streams are left out, as they have no end."""
    given = {**OPTIONS, **options}
    server = await asyncio.to_thread(processes.serve, given)
    boss = server.agent("ada", Authorization="Bearer acme-secret")
    known = await _filled(boss)
    await boss.client.aclose()
    (folder / "known.json").write_text(json.dumps(known))
    words = ("token", "create", "--tenant", "acme", *ROLES[role], "--json")
    made = await asyncio.to_thread(processes.run, *words, options=given)
    token = json.loads(made.stdout)["secret"]
    command = [
        *(str(PROGRAM), "run", f"{server.address}/openapi.json", "--header", f"Authorization: Bearer {token}"),
        *(
            "--phases",
            "coverage,fuzzing,stateful",
            "--checks",
            ",".join(CHECKS),
            "--max-time",
            str(seconds),
            "--seed",
            "20",
        ),
        *("--exclude-path-regex", "events$", "--continue-on-failure", "--no-color", "--max-response-time", "5"),
    ]
    env = {**os.environ, "SCHEMATHESIS_HOOKS": HOOKS, "PYTHONPATH": str(ROOT)}
    done = await asyncio.to_thread(
        subprocess.run, command, cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert server.popen.poll() is None, "the server has ended"
    assert server.tracebacks == []
    succeeded = json.loads((folder / "succeeded.json").read_text())
    return MachineRun(f"{done.stdout}{done.stderr}\nexit code {done.returncode}", succeeded)


async def _filled(boss: Agent) -> dict[str, list[str]]:
    """Some of everything in every session, and its ids by their names in paths."""
    known: dict[str, list[str]] = {
        **{"session_id": list(SESSIONS), "scratch_id": ["pad"], "section_id": ["intro"], "schema_id": ["form"]},
        **{"task_id": ["t1", "t2"], "namespace": ["plans"], "old_namespace": ["plans"]},
    }
    for session in SESSIONS:
        await boss.calls("create_session", session_id=session, purpose="to be read")
        client, inside = boss.client, f"/sessions/{session}"
        for path, body in _CONTENTS.items():
            response = await client.request("PUT" if "draft" in path else "POST", f"{inside}/{path}", json=body)
            assert response.status_code < 300, response.text
    await boss.calls("scratch_create", scratch_id="pad", metadata={"namespace": "plans"})
    await boss.calls("scratch_upsert_schema", scratch_id="pad", schema=_SCHEMA)
    for content in ("1", "oops"):
        cell = {"language": "json", "content": content, "validate": True}
        await boss.calls("scratch_append_cell", scratch_id="pad", cell=cell)
    cells = (await boss.calls("scratch_list_cells", scratch_id="pad"))["cells"]
    return {**known, "cell_id": [cell["cell_id"] for cell in cells]}
