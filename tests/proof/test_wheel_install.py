"""The wheel in an empty environment, on a machine without Node: two clients share a session within a minute."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.console.chromium import ROOT
from tests.console.test_wheel import find_uv

pytestmark = pytest.mark.timeout(900)

MOST_MEGABYTES = 280
MOST_SECONDS = 60
CLIENT = """
import asyncio, json, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    command, data, agent, tool, arguments = sys.argv[1:]
    parameters = StdioServerParameters(command=command, args=["--data-dir", data, "--agent", agent])
    async with Client(stdio_client(parameters)) as client:
        result = await client.call_tool(tool, json.loads(arguments))
        print(json.dumps(result.structured_content))

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment that has the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("installed")
    uv = find_uv()
    _run([uv, "build", "--quiet", "--wheel", "--out-dir", str(folder / "dist"), str(ROOT)], folder)
    _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder / "environment")], folder)
    [wheel] = (folder / "dist").glob("longtable-*.whl")
    _run([uv, "pip", "install", "--quiet", "--python", str(folder / "environment"), str(wheel)], folder)
    return folder / "environment"


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def _call(environment: Path, folder: Path, agent: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    program = str(environment / "bin" / "longtable")
    words = [program, str(folder / "data"), agent, tool, json.dumps(arguments)]
    done = subprocess.run(
        [str(environment / "bin" / "python"), "-c", CLIENT, *words],
        cwd=folder,
        env={"PATH": "/nowhere", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    return body


def test_two_clients_share_a_session_within_a_minute(installed: Path, tmp_path: Path) -> None:
    began = time.monotonic()

    _call(installed, tmp_path, "ada", "add_note", {"content": "The heron waits by the river."})
    seen = _call(installed, tmp_path, "ben", "read_notes", {})

    assert [note["content"] for note in seen["notes"]] == ["The heron waits by the river."]
    assert seen["notes"][0]["author"] == "ada"
    assert time.monotonic() - began < MOST_SECONDS


def test_it_takes_no_more_room_than_it_must(installed: Path) -> None:
    """What `du -sm` says: blocks, of programs too. Compiled files come later, with use."""
    files = [
        path for path in installed.rglob("*") if path.is_file() and not path.is_symlink() and path.suffix != ".pyc"
    ]
    size = sum(path.stat().st_blocks * 512 for path in files) / 2**20

    assert size <= MOST_MEGABYTES, f"{size:.0f} MB"
    assert os.path.exists(installed / "bin" / "longtable")


def test_search_by_meaning_needs_nothing_else(installed: Path, tmp_path: Path) -> None:
    _call(installed, tmp_path, "ada", "add_note", {"content": "No space was left on the volume."})
    _call(installed, tmp_path, "ada", "add_note", {"content": "My cat sleeps on the windowsill."})

    found = _call(installed, tmp_path, "ben", "search_context", {"query": "the disk is full", "mode": "semantic"})

    assert found["results"][0]["snippet"].startswith("No space"), found
