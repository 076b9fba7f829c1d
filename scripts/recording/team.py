"""The agents of the recording: they speak MCP with the official SDK, and show each call and what came back of it."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ADDRESS = os.environ.get("TABLE", "http://127.0.0.1:8765/mcp")
PACE = float(os.environ.get("PACE", "1.1"))
"""Seconds before each call, so that a person can follow."""


class RecordedAgent:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def __call__(self, tool: str, told: str, shown: Callable[[Any], str] | None = None, **arguments: Any) -> Any:
        """`told` is said of the call, and `shown` picks what is said of its result."""
        await asyncio.sleep(PACE)
        print(f"→ {tool} {told}".rstrip(), flush=True)
        result = (await self._client.call_tool(tool, arguments)).structured_content
        if shown is not None:
            print(f"  {shown(result)}", flush=True)
        return result


async def ada(call: RecordedAgent) -> None:
    await call("brief", "", lambda found: found["purpose"])
    tasks = [
        {"description": "Collect what changed", "assigned_to": "bob"},
        {"description": "Write the note", "depends_on": ["#0"]},
    ]
    await call("add_tasks", "", lambda found: "\n  ".join(_task(each) for each in found["tasks"]), tasks=tasks)
    await call("add_message", "t1 is yours, bob.", content="t1 is yours, bob.")
    await call("wait_for_messages", "...", _last_message, timeout_seconds=40)

    mine = await call("claim_task", "", lambda found: _task(found["task"]))
    notes = await call("read_notes", "#change", lambda found: f"{len(found['notes'])} notes", tag="change")
    text = "\n".join(f"- {note['content']}" for note in notes["notes"])
    await write(call, text, expected_version=0)
    asked = "May we promise a date?"
    question = await call("add_question", asked, _question, question=asked, options=["Friday", "no date"])
    found = await call(
        "wait_for_answers", "...", _answer, question_ids=[question["question"]["id"]], timeout_seconds=40
    )

    await write(call, f"{text}\n\nYou can have it on {found['answers'][0]['answer']}.", expected_version=1)
    done = {"task_id": mine["task"]["id"], "status": "completed", "lease": mine["lease"]}
    await call("update_task", f"{done['task_id']} completed", **done)
    await call("add_message", "The note is written.", content="The note is written.")


async def bob(call: RecordedAgent) -> None:
    await call("wait_for_messages", "...", _last_message, timeout_seconds=40)
    mine = await call("claim_task", "", lambda found: _task(found["task"]))
    for change in ("Empty files no longer stop the parser.", "There is a build for Windows."):
        await call("add_note", f"#change\n  {change}", content=change, tags=["change"])
    done = {"task_id": mine["task"]["id"], "status": "completed", "lease": mine["lease"]}
    await call("update_task", f"{done['task_id']} completed", **done)
    await call("add_message", "t1 is done: two notes.", content="t1 is done: two notes.")
    await call("wait_for_messages", "...", _last_message, timeout_seconds=40)


async def write(call: RecordedAgent, text: str, expected_version: int) -> None:
    await call(
        "write_draft_section",
        "changes",
        lambda found: f"version {found['section']['version']}",
        section_id="changes",
        content=text,
        expected_version=expected_version,
    )


def _task(task: dict[str, str]) -> str:
    return f"{task['id']} {task['description']}"


def _question(found: dict[str, dict[str, str]]) -> str:
    return f"{found['question']['id']} is {found['question']['status']}"


def _last_message(found: dict[str, list[dict[str, str]]]) -> str:
    return f"{found['messages'][-1]['sender']}: {found['messages'][-1]['content']}"


def _answer(found: dict[str, list[dict[str, Any]]]) -> str:
    answer = found["answers"][0]
    return f"{answer['answer']} ({answer['answered_by']}, {'a person' if answer['by_human'] else 'no person'})"


async def main(name: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(ADDRESS, http_client=http)) as client,
    ):
        await {"ada": ada, "bob": bob}[name](RecordedAgent(client))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(f"{sys.argv[1]}.token").read_text("utf-8").strip()))
