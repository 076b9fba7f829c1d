"""The reference backend as a process of its own, and a hand on its knobs."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2


@dataclass
class ReferenceBackend:
    url: str
    http: httpx2.AsyncClient

    async def has(self, **faults: Any) -> None:
        """Faults, and changes to what it holds."""
        response = await self.http.post("/_faults", json=faults)
        assert response.status_code == 200, response.text

    async def requests(self, route: str | None = None) -> list[dict[str, Any]]:
        """The requests so far: query, headers and body of each."""
        requests: list[dict[str, Any]] = (await self.http.get("/_requests")).json()["requests"]
        return [each for each in requests if route in (None, each["route"])]

    async def times(self, route: str) -> int:
        counts: dict[str, int] = (await self.http.get("/_requests")).json()["counts"]
        return counts.get(route, 0)

    async def workspaces(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await self.http.get("/_requests")).json()["workspaces"]
        return found

    async def peak(self) -> int:
        """Most requests that it had at the same moment."""
        return int((await self.http.get("/_requests")).json()["peak"])

    async def reset(self) -> None:
        await self.http.delete("/_world")


@asynccontextmanager
async def started() -> AsyncIterator[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.gateway.mindscape.backend", "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            address = (await process.stdout.readline()).decode().strip()
        yield address
    finally:
        process.terminate()
        await process.wait()
