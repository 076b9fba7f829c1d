"""Programs of upstreams have a process of their own: workers come and go, and use the same ones."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.program import Program
from tests.e2e.servers import Processes, Server, place_of, until
from tests.e2e.test_supervisor import PATIENCE, is_alive, pids
from tests.gateway.hostile.entries import hostile_json
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def gateway_file(folder: Path, *packs: str, env: dict[str, str] | None = None) -> str:
    path = folder / "gateway.json"
    servers: dict[str, Any] = {pack: hostile_json("calm", env=env or {}) for pack in packs}
    rules = [{"match": f"{pack}.*", "layer": "tool"} for pack in packs]
    path.write_text(json.dumps({"mcpServers": servers, "rules": rules}))
    return str(path)


async def program_behind(server: Server, pack: str = "calm") -> int:
    """The session of the process that answers a call, which may be made by any worker."""
    agent = server.agent("alice")
    try:
        answer = await agent.tries(f"mindscape_tool_{pack}_environment", inputs={})
        assert "session" in answer, answer
        return int(answer["session"])
    finally:
        await agent.client.aclose()


def replaced(server: Server, before: list[int]) -> bool:
    return set(before) <= set(pids(server, "worker_ended"))


async def test_a_program_goes_on_while_the_workers_that_use_it_are_replaced(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    options = {"gateway_config": gateway_file(tmp_path, "calm"), "workers": "2", "enable_semantic_search": "false"}
    server = processes.serve({**place_of(store, tmp_path), **options})
    await until(lambda: len(server.workers) == 2, PATIENCE)
    before, workers = await program_behind(server), server.workers

    server.signal(signal.SIGHUP)
    await until(lambda: replaced(server, workers), PATIENCE)

    assert {await program_behind(server) for _ in range(6)} == {before}
    assert server.stop() == 0
    await until(lambda: not is_alive(before))


async def test_a_killed_host_is_started_again_and_so_are_its_programs(processes: Processes, tmp_path: Path) -> None:
    server = processes.serve({"data_dir": str(tmp_path / "data"), "gateway_config": gateway_file(tmp_path, "calm")})
    before = await program_behind(server)
    (host,) = pids(server, "upstream_host_started")

    os.kill(host, signal.SIGKILL)
    # Only when it is reaped has every worker lost its connection: what is sent before that breaks off.
    await until(lambda: not is_alive(before) and len(pids(server, "upstream_host_started")) == 2)

    assert await program_behind(server) != before


async def test_only_programs_that_changed_in_the_file_are_started_anew(processes: Processes, tmp_path: Path) -> None:
    options = {"data_dir": str(tmp_path / "data"), "gateway_config": gateway_file(tmp_path, "calm", "gone")}
    server = processes.serve(options)
    kept, gone, worker = await program_behind(server), await program_behind(server, "gone"), server.worker
    gateway_file(tmp_path, "calm", "new")

    server.signal(signal.SIGHUP)
    await until(lambda: replaced(server, [worker]), PATIENCE)

    assert await program_behind(server) == kept
    assert await program_behind(server, "new") not in (kept, gone)
    await until(lambda: not is_alive(gone), PATIENCE)


async def test_programs_end_when_the_supervisor_is_killed(processes: Processes, tmp_path: Path) -> None:
    server = processes.serve({"data_dir": str(tmp_path / "data"), "gateway_config": gateway_file(tmp_path, "calm")})
    program, worker = await program_behind(server), server.worker
    (host,) = pids(server, "upstream_host_started")

    server.popen.kill()

    await until(lambda: not any(map(is_alive, [program, worker, host])), PATIENCE)
    await asyncio.to_thread(server.wait)


async def test_workers_share_a_program_that_was_added_at_run_time_without_a_gateway_file(
    processes: Processes, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    token = Program(data).does("token", "create", "--tenant", "acme", "--role", "owner", "--name", "ada")["secret"]
    options = {"workers": "2", "enable_semantic_search": "false", "auth_tokens": "acme:acme-secret"}
    server = processes.serve({"data_dir": str(data), **options})
    await until(lambda: len(server.workers) == 2, PATIENCE)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=server.address, headers=headers, timeout=60) as owner:
        added = await owner.post("/upstreams", json={"name": "calm", "entry": hostile_json("calm"), "accept": True})
        ruled = await owner.put("/rules", json={"rules": [{"match": "calm.*", "layer": "tool"}]})

    assert (added.status_code, ruled.status_code) == (201, 200), (added.text, ruled.text)
    programs: set[int] = set()
    async with asyncio.timeout(PATIENCE):
        for _ in range(6):
            agent = server.agent("alice", Authorization="Bearer acme-secret")
            answer: dict[str, Any] = {}
            while "session" not in answer:
                answer = await agent.tries("mindscape_tool_calm_environment", inputs={})
            programs.add(answer["session"])
            await agent.client.aclose()
    assert len(programs) == 1
    assert len(pids(server, "upstream_host_started")) == 1
