"""Every module can be loaded, and `serve` and `stdio` work, where the calls are missing that only Unix has."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, Server, Stdio, environment

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "tests.without_unix"]


def start(words: Sequence[str], folder: Path) -> "subprocess.Popen[bytes]":
    options = {"data_dir": str(folder / "data"), "http_port": "0", "enable_semantic_search": "false"}
    pipe = subprocess.PIPE
    env = {**environment(options), "HOME": str(folder)}
    return subprocess.Popen([*COMMAND, *words], env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)


def test_every_module_can_be_loaded() -> None:
    done = subprocess.run(
        [*COMMAND, "imports"], env=environment({}), capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr


async def test_a_server_serves_and_stops(processes: Processes, tmp_path: Path) -> None:
    server = Server(start(["serve"], tmp_path))
    processes.started.append(server)
    server.address = server.event("started")["address"]
    ada = server.agent("ada")

    created = await ada.calls("create_session", purpose="Without Unix")
    here = server.agent("ada", created["session_id"])
    await here.calls("add_note", content="The heron waits.")
    notes = (await here.calls("read_notes"))["notes"]
    checked = await here.calls("scratch_create", scratch_id="plans")
    for each in (ada, here):
        await each.client.aclose()
    server.signal(signal.SIGINT)

    assert [note["content"] for note in notes] == ["The heron waits."]
    assert checked["ok"] is True
    assert await server.ends() == 0
    assert server.tracebacks == []


async def test_a_client_that_starts_a_process_is_served(processes: Processes, tmp_path: Path) -> None:
    stdio = Stdio(start([], tmp_path))
    processes.started.append(stdio)

    about = await stdio.opens()
    await stdio.calls("add_note", content="The heron waits.")
    notes = (await stdio.calls("read_notes"))["notes"]
    stdio.close_stdin()

    assert about["serverInfo"]["name"] == "longtable"
    assert [note["content"] for note in notes] == ["The heron waits."]
    assert await stdio.ends() == 0
    assert stdio.tracebacks == []
