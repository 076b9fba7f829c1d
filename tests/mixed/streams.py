"""Those who listen while others work: to events over REST, to a watch, and to a connection with subscriptions."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from tests.listening import Streamed, connected, streamed, watching
from tests.mixed.operations import AGENTS, SESSIONS
from tests.table import Table

AT_ONCE: Final = 9
PARTS_OF_A_STREAM: Final = 100
KINDS: Final = ("session events", "tenant events", "watch", "subscriptions")

Heard = Callable[[str, str, str], None]
"""Is told the tenant, the kind of stream, and what came."""


@dataclass
class Listeners:
    """The newest few streams are open. `owners` are tokens by tenant, `agents` too."""

    table: Table
    owners: dict[str, str]
    agents: dict[str, str]
    heard: Heard
    tasks: "deque[asyncio.Task[None]]" = field(default_factory=deque)

    async def listens(self, tenant: str, chance: random.Random) -> None:
        """One more, and where there are too many the oldest hangs up."""
        self._begin(tenant, chance.choice(KINDS), chance)
        if len(self.tasks) > AT_ONCE:
            await _end(self.tasks.popleft())

    def begin(self, chance: random.Random) -> None:
        """One of each kind."""
        for kind in KINDS:
            self._begin(chance.choice(list(self.agents)), kind, chance)

    def _begin(self, tenant: str, kind: str, chance: random.Random) -> None:
        heard = self._hear(tenant, kind, chance.choice(SESSIONS), chance.choice(AGENTS))
        self.tasks.append(asyncio.ensure_future(heard))

    async def end(self) -> None:
        while self.tasks:
            await _end(self.tasks.popleft())

    async def _hear(self, tenant: str, kind: str, session: str, agent: str) -> None:
        async with self._opened(tenant, kind, session, agent) as stream:
            for _ in range(PARTS_OF_A_STREAM):
                part = await stream.parts.get()
                self.heard(tenant, kind, str(part.get("headers", "")) + part.get("body", b"").decode())
                if not part.get("more_body", "status" in part):
                    return

    @asynccontextmanager
    async def _opened(self, tenant: str, kind: str, session: str, agent: str) -> AsyncIterator[Streamed]:
        """From the beginning, so that all that there is comes."""
        http, owner = self.table.http, {"Authorization": f"Bearer {self.owners[tenant]}"}
        given = {"Authorization": f"Bearer {self.agents[tenant]}", "X-Caller-Agent": agent}
        stream: Any
        if kind == "session events":
            stream = streamed(http, "GET", f"/sessions/{session}/events?after=0", owner)
        elif kind == "tenant events":
            stream = streamed(http, "GET", "/events?after=0", owner)
        elif kind == "watch":
            stream = watching(http, {"session_id": session, "after": 0}, **given)
        else:
            stream = await self._subscribed(given, session)
        async with stream as opened:
            yield opened

    async def _subscribed(self, given: dict[str, str], session: str) -> Any:
        connection = await connected(self.table.http, **given)
        await connection.asks("notifications/subscribe", {"session_id": session})
        for part in ("notes", "plan"):
            await connection.asks("resources/subscribe", {"uri": f"longtable://session/{session}/{part}"})
        return connection.listens()


async def _end(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.result()
