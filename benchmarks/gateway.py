"""What the gateway costs: a call through it against the same call made to the upstream itself, by the SDK's client."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.measure import Effort, Goal, Measure, median_ratio, movement, percentile
from benchmarks.processes import child, cpu_seconds_of, environment, process_tree

GROUP = "Gateway"
GOAL = Goal(1.6)
LIST_GOAL = Goal(3.0)
FAILING_GOAL = Goal(1.2)
WARM_UP = 20
STARTED_WITHIN = 60.0
TEXT = {"text": "a few words that come back"}

Connect = Callable[[], AbstractAsyncContextManager[Any]]


@dataclass
class _Way:
    """One way to the same tool, and how long each call of it took."""

    client: Client
    tool: str
    arguments: dict[str, Any]
    seconds: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    """For each call, of all servers together: those that a call does not reach do nothing meanwhile."""

    async def go(self, calls: int) -> None:
        used = _cpu_seconds()
        for _ in range(calls):
            began = time.perf_counter()
            result = await self.client.call_tool(self.tool, self.arguments)
            self.seconds.append(time.perf_counter() - began)
            if result.is_error:
                raise RuntimeError(f"{self.tool} failed: {result.content}")
        self.cpu_ms.append((_cpu_seconds() - used) * 1000 / calls)

    def medians(self, calls: int) -> list[float]:
        """Milliseconds of each round."""
        return [median(self.seconds[first : first + calls]) * 1000 for first in range(0, len(self.seconds), calls)]


def _cpu_seconds() -> float:
    """Of everything that this process has started."""
    return sum(map(cpu_seconds_of, process_tree(os.getpid())[1:]))


def measure_gateway(folder: Path, effort: Effort) -> list[Measure]:
    own = folder / "gateway"
    own.mkdir()
    return asyncio.run(_measure(own, effort))


async def _measure(folder: Path, effort: Effort) -> list[Measure]:
    with child(["-m", "benchmarks.serve_upstream", "http"], folder) as upstream:
        url = upstream.next_line().decode().strip()
        async with _gateway(folder, "stdio", {"stdio": _program("stdio")}) as gateway:
            over_stdio = await _compare(gateway, effort, "stdio", _over_stdio(folder, "serve_upstream", "stdio"))
        servers = {"stdio": _program("stdio"), "failing": _program("failing"), "http": {"url": url}}
        async with _gateway(folder, "http", servers) as gateway:
            over_http = await _compare(gateway, effort, "http", lambda: streamable_http_client(url))
            listing = await _listing(gateway, effort, "http")
            return [over_stdio, over_http, listing, await _beside_failure(gateway, effort)]


async def _compare(gateway: Client, effort: Effort, kind: str, upstream: Connect) -> Measure:
    """In turns: what disturbs one of them disturbs the other."""
    async with _client(upstream) as client:
        direct = _Way(client, "get_text", TEXT)
        through = _Way(gateway, f"mindscape_tool_{kind}_get_text", {"inputs": TEXT})
        own = _Way(gateway, "read_events", {"limit": 1})
        ways = (direct, through, own)
        for way in ways:
            await way.go(effort.part_of(WARM_UP))
            way.seconds.clear()
            way.cpu_ms.clear()
        for _ in range(effort.rounds * 4):
            for way in ways:
                await way.go(effort.calls)
    floors = [sum(pair) for pair in zip(direct.medians(effort.calls), own.medians(effort.calls), strict=True)]
    cpu_floors = [sum(pair) for pair in zip(direct.cpu_ms, own.cpu_ms, strict=True)]
    value = median(through.seconds) * 1000
    return Measure(
        GROUP,
        f"a call over {kind}",
        value,
        "ms",
        ratio=median_ratio(through.medians(effort.calls), floors),
        floor="the upstream + a tool of ours",
        goal=GOAL,
        p95=percentile(through.seconds, 0.95) * 1000,
        cpu_ms=median(through.cpu_ms),
        cpu_ratio=median_ratio(through.cpu_ms, cpu_floors) if min(cpu_floors) > 0 else None,
        moved=movement(floors),
        cpu_moved=movement(cpu_floors),
        second_ratio=value / (median(direct.seconds) * 1000),
        second_floor="the upstream itself",
    )


async def _listing(gateway: Client, effort: Effort, kind: str) -> Measure:
    """Of our own tools and those of the upstreams together."""
    rounds = []
    await gateway.list_tools()
    for _ in range(effort.rounds):
        used = _cpu_seconds()
        for _ in range(effort.calls):
            await gateway.list_tools()
        rounds.append((_cpu_seconds() - used) * 1000 / effort.calls)
    return Measure(GROUP, f"tools/list over {kind}, processor time", median(rounds), "ms", goal=LIST_GOAL)


async def _beside_failure(gateway: Client, effort: Effort) -> Measure:
    way = _Way(gateway, "mindscape_tool_stdio_get_text", {"inputs": TEXT})
    await way.go(effort.part_of(WARM_UP))
    way.seconds.clear()
    await way.go(effort.calls * effort.rounds)
    before, way.seconds = way.seconds, []
    failing = asyncio.create_task(_fail(gateway))
    await way.go(effort.calls * effort.rounds)
    failing.cancel()
    with suppress(asyncio.CancelledError):
        await failing
    late, usual = (percentile(seconds, 0.95) * 1000 for seconds in (way.seconds, before))
    name, floor = "p95 beside an upstream that fails", "while none fails"
    return Measure(GROUP, name, late, "ms", ratio=late / usual, floor=floor, goal=FAILING_GOAL)


async def _fail(client: Client) -> None:
    while True:
        await client.call_tool("mindscape_tool_failing_get_nothing", {})
        await asyncio.sleep(0.05)


def _program(kind: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-m", "benchmarks.serve_upstream", kind], "env": _environment({})}


@asynccontextmanager
async def _gateway(folder: Path, kind: str, servers: dict[str, Any]) -> AsyncIterator[Client]:
    """Longtable, reached in the same way as the upstream is."""
    config = folder / f"{kind}.json"
    config.write_text(json.dumps({"mcpServers": servers, "rate_limits": {"tool": "100000/s"}}))
    config.chmod(0o600)
    options = {"data_dir": folder / kind, "gateway_config": config, "enable_semantic_search": "false"}
    variables = {f"LONGTABLE_{name.upper()}": str(value) for name, value in options.items()}
    if kind == "stdio":
        async with _client(_over_stdio(folder, "longtable", **variables)) as client:
            await _all_listed(client, servers)
            yield client
        return
    async with (
        _listening(folder, variables) as address,
        _client(lambda: streamable_http_client(f"{address}/mcp")) as client,
    ):
        await _all_listed(client, servers)
        yield client


async def _all_listed(client: Client, servers: Collection[str]) -> None:
    """A list does not wait long for an upstream that is still starting, which takes a while on a busy machine."""
    wanted = {f"mindscape_tool_{name}_get_{'nothing' if name == 'failing' else 'text'}" for name in servers}
    async with asyncio.timeout(STARTED_WITHIN):
        while not {tool.name for tool in (await client.list_tools()).tools} >= wanted:  # noqa: ASYNC110 - theirs
            await asyncio.sleep(0.1)


@asynccontextmanager
async def _listening(folder: Path, variables: dict[str, str]) -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "longtable", "serve", "--http-port", "0"),
        cwd=folder,
        env=_environment(variables),
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        async for line in process.stderr:
            if b'"started"' in line:
                yield json.loads(line)["address"]
                break
    finally:
        process.terminate()
        await process.communicate()


def _over_stdio(folder: Path, module: str, *words: str, **more: str) -> Connect:
    name = module if module == "longtable" else f"benchmarks.{module}"
    command = StdioServerParameters(
        command=sys.executable, args=["-m", name, *words], env=_environment(more), cwd=str(folder)
    )

    @asynccontextmanager
    async def connect() -> AsyncIterator[Any]:
        written = folder / "stdio.log"
        try:
            with written.open("a") as log:
                async with stdio_client(command, log) as streams:
                    yield streams
        except BaseException:
            # The folder goes when the benchmark ends.
            print(written.read_text(), file=sys.stderr)
            raise

    return connect


def _client(connect: Connect) -> Client:
    return Client(connect(), mode="auto")


def _environment(more: dict[str, str]) -> dict[str, str]:
    return {**environment(os.environ), **more}
