"""Processes on one store use the upstreams that a running server has already, and their own where there is none."""

import asyncio
import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import Processes, Server, Stdio, until, wait_until
from tests.gateway.hostile.entries import hostile_json
from tests.table import Agent

pytestmark = pytest.mark.slow


class SharedGatewayFile:
    """A server and stdio processes with one gateway file."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes = processes
        self.folder = folder
        self.socket = folder / "data" / "upstreams.sock"
        servers = {"calm": hostile_json("calm"), "pull": hostile_json("rug_pull", "description", 0, "silent")}
        self.file = self.writes("gateway.json", servers)

    def writes(self, name: str, servers: dict[str, Any]) -> Path:
        path = self.folder / name
        rules = [{"match": f"{pack}.*", "layer": "tool"} for pack in servers]
        path.write_text(json.dumps({"mcpServers": servers, "rules": rules}))
        return path

    def options(self, file: Path | None = None) -> dict[str, str]:
        given = {"data_dir": str(self.folder / "data"), "gateway_config": str(file or self.file)}
        return {**given, "enable_semantic_search": "false"}

    def serve(self) -> Server:
        """Returns when it shares its upstreams."""
        server = self.processes.serve(self.options())
        wait_until(self.socket_answers)
        return server

    def socket_answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    async def stdio(self, file: Path | None = None) -> Stdio:
        stdio = self.processes.stdio(self.options(file))
        await stdio.opens()
        return stdio


@pytest.fixture
def place(processes: Processes, tmp_path: Path) -> SharedGatewayFile:
    return SharedGatewayFile(processes, tmp_path)


def name(pack: str, action: str) -> str:
    return f"mindscape_tool_{pack}_{action}"


async def program_behind(client: Stdio | Agent) -> int:
    """The session of the process that answers a call of `calm`."""
    calls = client.tries if isinstance(client, Agent) else client.calls
    return int((await calls(name("calm", "environment"), inputs={}))["session"])


async def test_a_stdio_process_uses_the_program_that_the_server_runs(place: SharedGatewayFile) -> None:
    agent = place.serve().agent("alice")
    ours = await program_behind(agent)

    first, second = await place.stdio(), await place.stdio()

    assert [await program_behind(first), await program_behind(second)] == [ours, ours]
    await agent.client.aclose()


async def test_the_program_starts_when_the_first_of_them_needs_it(place: SharedGatewayFile) -> None:
    server = place.serve()
    stdio = await place.stdio()

    theirs = await program_behind(stdio)

    agent = server.agent("alice")
    assert await program_behind(agent) == theirs
    await agent.client.aclose()


async def test_without_a_server_each_has_its_own(place: SharedGatewayFile) -> None:
    first, second = await place.stdio(), await place.stdio()

    assert await program_behind(first) != await program_behind(second)


async def test_a_process_goes_on_by_itself_when_the_server_is_killed(place: SharedGatewayFile) -> None:
    server = place.serve()
    stdio = await place.stdio()
    theirs = await program_behind(stdio)
    called = {"name": name("calm", "wait"), "arguments": {"inputs": {"seconds": 30}}, "_meta": {"progressToken": "p"}}
    waiting = asyncio.create_task(stdio.asks("tools/call", called))
    await until(lambda: any(one.get("method") == "notifications/progress" for one in stdio.unasked))

    server.kill()

    lost = (await asyncio.wait_for(waiting, 40))["result"]["structuredContent"]
    assert lost["error"]["code"] == "UPSTREAM_ERROR"
    assert await program_behind(stdio) != theirs


async def test_a_server_lends_again_after_it_was_killed(place: SharedGatewayFile) -> None:
    place.serve().kill()
    assert place.socket.is_socket()

    agent = place.serve().agent("alice")

    assert await program_behind(await place.stdio()) == await program_behind(agent)
    await agent.client.aclose()


async def test_another_program_under_the_same_name_is_not_shared(place: SharedGatewayFile) -> None:
    agent = place.serve().agent("alice")
    other = place.writes("other.json", {"calm": hostile_json("calm", env={"PLACE": "elsewhere"})})

    stdio = await place.stdio(other)
    result = await stdio.calls(name("calm", "environment"), inputs={})

    assert result["environment"]["PLACE"] == "elsewhere"
    assert result["session"] != await program_behind(agent)
    await agent.client.aclose()


async def test_a_shared_tool_that_changes_without_a_word_is_quarantined_before_the_next_call(
    place: SharedGatewayFile,
) -> None:
    place.serve()
    stdio = await place.stdio()
    read = {"name": name("pull", "read_note"), "arguments": {"inputs": {"path": "/a"}}}
    before = await stdio.asks("tools/call", read)

    await stdio.asks("tools/call", {"name": name("pull", "get_pull"), "arguments": {"inputs": {}}})
    after = await stdio.asks("tools/call", read)

    assert before["result"]["content"][0]["text"] == "ran read_note"
    assert after["result"]["structuredContent"]["error"]["code"] == "TOOL_QUARANTINED"


async def test_progress_of_a_shared_tool_comes_through(place: SharedGatewayFile) -> None:
    place.serve()
    stdio = await place.stdio()
    called = {"name": name("calm", "steps"), "arguments": {"inputs": {}}, "_meta": {"progressToken": "p"}}

    answer = await stdio.asks("tools/call", called)

    progress = [one["params"] for one in stdio.unasked if one.get("method") == "notifications/progress"]
    assert [one["message"] for one in progress] == ["step 1", "step 2", "step 3"]
    assert answer["result"]["content"][0]["text"] == "done"


async def test_nobody_else_may_open_the_socket_and_it_goes_with_the_server(place: SharedGatewayFile) -> None:
    server = place.serve()
    mode = stat.S_IMODE(place.socket.stat().st_mode)

    server.stop()

    assert mode == 0o600
    assert not place.socket.exists()


async def test_rubbish_on_the_socket_ends_that_connection_alone(place: SharedGatewayFile) -> None:
    agent = place.serve().agent("alice")
    stdio = await place.stdio()
    theirs = await program_behind(stdio)

    for line in (b"\xff\n", b"[]\n", b'{"id": "x", "ask": "call"}\n', b'{"id": 1}\n'):
        with socket.socket(socket.AF_UNIX) as rude:
            rude.connect(str(place.socket))
            rude.sendall(line)
            rude.settimeout(10)
            assert rude.recv(100) == b""

    assert await program_behind(stdio) == theirs == await program_behind(agent)
    await agent.client.aclose()


async def test_a_question_that_makes_no_sense_is_answered_too(place: SharedGatewayFile) -> None:
    place.serve()

    with socket.socket(socket.AF_UNIX) as rude:
        rude.connect(str(place.socket))
        rude.settimeout(10)
        rude.sendall(b'{"id": 7, "ask": "call"}\n{"id": 8, "ask": "definitions", "mark": "x", "instance": ["x"]}\n')
        with rude.makefile() as answers:
            by_id = {answer["id"]: answer for answer in (json.loads(answers.readline()) for _ in range(2))}

    assert by_id[7]["error"]["code"] == "UPSTREAM_ERROR"
    assert by_id[8] == {"id": 8, "none": True}


async def test_the_program_ends_with_the_server_and_not_with_a_process_that_used_it(place: SharedGatewayFile) -> None:
    server = place.serve()
    stdio = await place.stdio()
    theirs = await program_behind(stdio)

    stdio.close_stdin()
    stdio.wait()
    agent = server.agent("alice")

    assert await program_behind(agent) == theirs
    await agent.client.aclose()
    server.stop()
    await until(lambda: not _is_alive(theirs))


def _is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
