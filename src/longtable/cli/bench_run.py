"""Runs `longtable bench`: starts a server as a process of its own, and calls it over REST."""

import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from longtable import __version__
from longtable.kernel.errors import UpstreamError
from longtable.storage.inspection import time_commits

_START_SECONDS = 60.0
_NOTE = "A note of about a hundred characters, as agents write them: what was found, where, and what it means."
_PAGE = 50
_SESSION = "bench"

Step = Callable[[httpx2.AsyncClient], Awaitable[Any]]


def run_benchmark(seconds: float, writers: int) -> dict[str, Any]:
    """Every measurement with its calls, its rate and its times in milliseconds."""
    with tempfile.TemporaryDirectory(prefix="longtable-bench-", ignore_cleanup_errors=True) as folder:
        commits = _measurement("commit of SQLite, no server", time_commits(Path(folder) / "floor.db", seconds), 1)
        with _server(Path(folder) / "data") as address:
            measured = asyncio.run(_measure(address, seconds, writers))
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "seconds": seconds,
        "writers": writers,
        "measurements": [commits, *measured],
    }


async def _measure(address: str, seconds: float, writers: int) -> list[dict[str, Any]]:
    async with httpx2.AsyncClient(
        base_url=address, headers={"X-Caller-Agent": "bench"}, timeout=_START_SECONDS
    ) as client:
        await _post(client, "/sessions", {"session_id": _SESSION, "purpose": "A benchmark"})
        for _ in range(_PAGE):
            await _add_note(client)
        return [
            _measurement("GET /health", *await _repeat(client, _health, seconds, 1)),
            _measurement("add_note, one writer", *await _repeat(client, _add_note, seconds, 1)),
            _measurement(f"add_note, {writers} writers", *await _repeat(client, _add_note, seconds, writers)),
            _measurement(f"read_notes, {_PAGE} of them", *await _repeat(client, _read_notes, seconds, 1)),
        ]


async def _repeat(client: httpx2.AsyncClient, step: Step, seconds: float, at_once: int) -> tuple[list[float], int]:
    times: list[float] = []
    end = time.perf_counter() + seconds

    async def repeat() -> None:
        while (began := time.perf_counter()) < end:
            await step(client)
            times.append(time.perf_counter() - began)

    await asyncio.gather(*(repeat() for _ in range(at_once)))
    return times, at_once


async def _health(client: httpx2.AsyncClient) -> None:
    (await client.get("/health")).raise_for_status()


async def _add_note(client: httpx2.AsyncClient) -> None:
    await _post(client, f"/sessions/{_SESSION}/notes", {"content": _NOTE})


async def _read_notes(client: httpx2.AsyncClient) -> None:
    (await client.get(f"/sessions/{_SESSION}/notes", params={"limit": _PAGE})).raise_for_status()


async def _post(client: httpx2.AsyncClient, path: str, body: dict[str, Any]) -> None:
    (await client.post(path, json=body)).raise_for_status()


def _measurement(what: str, times: list[float], at_once: int) -> dict[str, Any]:
    ordered = sorted(times)
    total = sum(ordered) / at_once
    return {
        "what": what,
        "calls": len(ordered),
        "per_second": round(len(ordered) / total, 1),
        "p50_ms": round(ordered[len(ordered) // 2] * 1000, 3),
        "p95_ms": round(ordered[len(ordered) * 95 // 100] * 1000, 3),
    }


@contextmanager
def _server(data_dir: Path) -> Iterator[str]:
    """Without options of the environment: they belong to a server with real data."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LONGTABLE_")}
    options = ["--data-dir", str(data_dir), "--http-port", "0", "--enable-semantic-search=false"]
    process = subprocess.Popen(
        [sys.executable, "-m", "longtable", "serve", *options],
        env=inherited,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield _address(process)
    finally:
        process.terminate()
        process.communicate()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if line.startswith("{") and (found := json.loads(line)).get("event") == "started":
            return str(found["address"])
    raise UpstreamError("The server for the benchmark did not start.", hint="".join(lines[-3:]).strip())
