"""Upstreams that end with their test, and a check that nothing of them is left."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from longtable.upstreams.entries import McpEntry
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import UpstreamCall, UpstreamResult
from tests.gateway.upstreams.servers import Served
from tests.stores import anyio_backend

__all__ = ["anyio_backend"]

Connect = Callable[..., McpUpstream]


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Makes an upstream of an entry; all of them are closed at the end, and no process of theirs is left."""
    results: list[McpUpstream] = []

    def make(entry: McpEntry, **more: Any) -> McpUpstream:
        results.append(McpUpstream(entry, **more))
        return results[-1]

    before = children()
    yield make
    for upstream in results:
        await upstream.close()
    assert children() <= before


@pytest.fixture
def served() -> Iterator[Served]:
    """Servers over HTTP, as processes of their own."""
    with Served() as servers:
        yield servers


def children() -> set[int]:
    """Of this process, those that wait to be reaped included."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        # A thread may end while we look.
        with suppress(FileNotFoundError, ProcessLookupError):
            found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # What is dead and not reaped by whoever has adopted it can still be signalled.
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


async def until_gone(pid: int) -> None:
    """Until the process has ended, whoever has to reap it."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    gone = asyncio.Event()
    asyncio.get_running_loop().add_reader(handle, gone.set)
    try:
        await asyncio.wait_for(gone.wait(), 40)
    finally:
        asyncio.get_running_loop().remove_reader(handle)
        os.close(handle)


async def under_way(upstream: McpUpstream, seconds: float) -> "asyncio.Task[UpstreamResult]":
    """A call of `wait` that has begun on the other side."""
    begun = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    task = asyncio.create_task(upstream.call(UpstreamCall("wait", {"seconds": seconds}, progress=hear)))
    await asyncio.wait_for(begun.wait(), 40)
    return task


async def call(upstream: McpUpstream, tool: str, **inputs: Any) -> UpstreamResult:
    return await upstream.call(UpstreamCall(tool, inputs))


def text_of(answer: UpstreamResult) -> str:
    return "".join(str(block.get("text", "")) for block in answer.content)
