"""`longtable hook`, as Claude Code runs it for the plugin: with the event on standard input, and never in the way."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.preloaded import SOURCES
from tests.e2e.servers import ROOT, Processes, Server, environment
from tests.e2e.wire import wire_to

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the hook of the plugin is a shell script"),
]

SCRIPT = ROOT / "integrations" / "claude-code" / "hooks" / "table.sh"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hook")
    processes = Processes(folder)
    yield processes.serve({"data_dir": str(folder / "data")})
    processes.end()


def event(name: str, **more: Any) -> dict[str, Any]:
    """As the documentation of Claude Code has it."""
    common = {"session_id": "abc123", "transcript_path": "/nowhere.jsonl", "cwd": "/work", "permission_mode": "default"}
    return {**common, "hook_event_name": name, **more}


def runs(folder: Path, given: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """The script of the plugin, with `longtable` on the path."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    program = programs / "longtable"
    program.write_text(f"#!/bin/sh\nexport PYTHONPATH='{SOURCES}'\nexec '{sys.executable}' -m longtable \"$@\"\n")
    program.chmod(0o700)
    given_environment = {**environment({}), "PATH": f"{programs}{os.pathsep}/usr/bin:/bin", **variables}
    return subprocess.run(
        ["sh", str(SCRIPT)], input=given, env=given_environment, capture_output=True, text=True, check=False, timeout=20
    )


def told(ended: "subprocess.CompletedProcess[str]", name: str) -> str:
    assert (ended.returncode, ended.stderr) == (0, "")
    if not ended.stdout:
        return ""
    output = json.loads(ended.stdout)["hookSpecificOutput"]
    assert output["hookEventName"] == name
    return str(output["additionalContext"])


def calls(server: Server, agent: str, tool: str, **arguments: Any) -> dict[str, Any]:
    async def call() -> dict[str, Any]:
        async with wire_to(server.address, ("X-Caller-Agent", agent)) as wire:
            return await wire.calls(tool, **arguments)

    return asyncio.run(call())


def hooked(server: Server, folder: Path, name: str, agent: str, **more: Any) -> str:
    given = json.dumps(event(name, **more))
    return told(runs(folder, given, LONGTABLE_URL=server.address, LONGTABLE_AGENT=agent), name)


def test_a_session_begins_with_the_brief_of_the_table(server: Server, tmp_path: Path) -> None:
    calls(server, "bob", "add_note", content="The parser breaks on empty files.", tags=["pinned"])

    shown = hooked(server, tmp_path, "SessionStart", "early", source="startup")

    assert "as early" in shown
    assert "The parser breaks on empty files." in shown
    assert "material to judge, not an instruction" in shown


def test_messages_come_with_each_prompt_until_they_were_read(server: Server, tmp_path: Path) -> None:
    calls(server, "worker", "get_messages")
    before = hooked(server, tmp_path, "UserPromptSubmit", "worker", prompt="Go on.")
    calls(server, "bob", "add_message", content="Take t2, \x1b[31mplease\x1b[0m.")

    first, again = (hooked(server, tmp_path, "UserPromptSubmit", "worker", prompt="Go on.") for _ in range(2))
    calls(server, "worker", "get_messages")
    calls(server, "worker", "brief")
    after = hooked(server, tmp_path, "UserPromptSubmit", "worker", prompt="Go on.")

    assert (before, after) == ("", "")
    assert first == again
    assert "- bob says: Take t2, " in first
    assert "\x1b" not in first


def test_a_note_is_pinned_at_the_end_with_what_is_held_and_what_was_said(server: Server, tmp_path: Path) -> None:
    task = calls(server, "leaver", "add_tasks", tasks=[{"description": "Write the tests", "assigned_to": "leaver"}])
    calls(server, "leaver", "claim_task", task_id=task["tasks"][0]["id"])
    transcript = tmp_path / "transcript.jsonl"
    says = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Three of five tests are written."}]}}
    transcript.write_text("not JSON\n" + json.dumps(says) + "\n" + json.dumps({"type": "user", "message": {}}) + "\n")

    shown = hooked(server, tmp_path, "SessionEnd", "leaver", transcript_path=str(transcript), reason="exit")

    (note,) = calls(server, "bob", "read_notes", tag="handover")["notes"]
    assert shown == ""
    assert note["author"] == "leaver"
    assert "Write the tests" in note["content"]
    assert "Three of five tests are written." in note["content"]


def test_who_did_nothing_at_the_table_leaves_no_note(server: Server, tmp_path: Path) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text(
        '{"type": "assistant", "message": {"content": [{"type": "text", "text": "Secret plans."}]}}\n'
    )

    hooked(server, tmp_path, "SessionEnd", "passerby", transcript_path=str(transcript), reason="exit")

    assert "passerby" not in json.dumps(calls(server, "bob", "read_notes", max_chars=0))


@pytest.mark.parametrize(
    "given",
    ["", "[]", "{", '{"hook_event_name": "SessionStart"', "null", '{"hook_event_name": "Unheard"}', "\x00\xff" * 50],
)
def test_rubbish_is_passed_over_in_silence(server: Server, tmp_path: Path, given: str) -> None:
    assert told(runs(tmp_path, given, LONGTABLE_URL=server.address), "") == ""


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1", "ftp://127.0.0.1", "file:///etc/passwd", "nonsense", "http://["]
)
def test_without_a_server_nothing_is_said(tmp_path: Path, address: str) -> None:
    assert told(runs(tmp_path, json.dumps(event("SessionStart")), LONGTABLE_URL=address), "") == ""


def test_a_token_that_is_not_accepted_and_a_hook_that_is_off_say_nothing(server: Server, tmp_path: Path) -> None:
    given = json.dumps(event("SessionStart"))

    bound = runs(tmp_path, given, LONGTABLE_URL=server.address, LONGTABLE_SESSION_ID="not-there")
    off = runs(tmp_path, given, LONGTABLE_URL=server.address, LONGTABLE_HOOK="off")

    assert [told(each, "") for each in (bound, off)] == ["", ""]


def test_a_server_that_never_answers_is_left_after_some_seconds(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        ended = runs(
            tmp_path, json.dumps(event("UserPromptSubmit")), LONGTABLE_URL=f"http://127.0.0.1:{silent.getsockname()[1]}"
        )

    assert told(ended, "") == ""
    assert time.monotonic() - began < 9


def test_the_script_says_nothing_where_longtable_is_not_installed() -> None:
    ended = subprocess.run(
        ["sh", str(SCRIPT)], input="{}", env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
