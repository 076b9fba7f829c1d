"""Processes of upstreams: they end with us, with all they have started, and none is left unreaped."""

import asyncio
import os
import signal
import sys

import pytest

from tests.gateway.hostile.entries import ROOT, hostile
from tests.gateway.upstreams.conftest import Connect, call, children, is_alive, until_gone

SERVER = """
import asyncio
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import UpstreamCall
from tests.gateway.hostile.entries import hostile

async def main():
    upstream = McpUpstream(hostile("stubborn"))
    answer = await upstream.call(UpstreamCall("get_family", {}))
    print(*answer.structured["pids"], flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_a_process_that_ends_when_asked_is_reaped(connect: Connect) -> None:
    upstream = connect(hostile("calm"))
    await upstream.definitions()
    pid = upstream.child_pid
    assert pid in children()

    await upstream.close()

    assert pid not in children()


@pytest.mark.slow
async def test_a_process_that_ignores_everything_is_killed_with_its_children(connect: Connect) -> None:
    upstream = connect(hostile("stubborn"))
    result = await call(upstream, "get_family")
    assert result.structured is not None
    family = result.structured["pids"]
    assert all(is_alive(pid) for pid in family)

    await upstream.close()

    assert not any(is_alive(pid) for pid in family)


async def test_what_a_crashed_process_had_started_ends_too(connect: Connect) -> None:
    upstream = connect(hostile("stubborn"))
    result = await call(upstream, "get_family")
    assert result.structured is not None
    first, *others = result.structured["pids"]

    os.kill(first, signal.SIGKILL)

    for pid in others:
        await until_gone(pid)


async def test_a_whole_family_dies_with_the_server_that_started_it() -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    family = [int(pid) for pid in (await server.stdout.readline()).split()]
    assert len(family) == 3

    server.kill()
    await server.communicate()

    for pid in family:
        await until_gone(pid)


async def test_opening_and_closing_leaves_nothing_behind(connect: Connect) -> None:
    before, files = children(), len(os.listdir("/proc/self/fd"))

    for _ in range(5):
        upstream = connect(hostile("calm"))
        await upstream.definitions()
        await upstream.close()

    assert children() <= before
    assert len(os.listdir("/proc/self/fd")) <= files
