"""Sends the team to a server: every agent with a connection and a name of its own, as real agents come."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from longtable.client import ConnectionLost, Link, Orchestrator
from longtable.demo import PATIENCE
from longtable.demo.agent import DemoAgent
from longtable.demo.people import People
from longtable.demo.script import HOST, SCRIPT
from longtable.demo.table import DemoTable, Report
from longtable.kernel.errors import SessionClosed, SessionExpired, UpstreamError

_LINK = Link(attempts=4)


@dataclass(frozen=True, slots=True)
class Played:
    """The session of the story, and how many requests are still open for people."""

    session_id: str
    left_open: int


def no_report(who: str, what: str) -> None:
    """For callers that show nothing."""


@dataclass(frozen=True, slots=True)
class Team:
    """`pause` stretches the time between two steps, `patience` is how long agents wait for people."""

    address: str
    token: str | None = None
    pause: float = 0.0
    patience: float = PATIENCE
    report: Report = no_report

    async def play(self, *, stay: bool = False) -> Played:
        """Plays the whole story at a server and leaves the table as it is then. With `stay` the agents react to people
        until this is cancelled. Raises UpstreamError when the server cannot be reached."""
        try:
            async with Orchestrator.open(self.address, self.token, HOST, link=_LINK) as host:
                for script in SCRIPT["others"]:
                    await self._prepare(host, script)
                async with self._table(host, SCRIPT, self.report, self.pause) as table:
                    return await self._play(table, stay)
        except ConnectionLost as problem:
            raise UpstreamError(str(problem)) from problem

    async def _prepare(self, host: Orchestrator, script: Mapping[str, Any]) -> None:
        async with self._table(host, script, no_report, 0.0) as table:
            for step in script["steps"]:
                await table.perform(*step)
        if script.get("is_closed"):
            await host.close(table.session_id)

    async def _play(self, table: DemoTable, stay: bool) -> Played:
        people = People(self.patience)
        try:
            await self._until_ended(people, _perform(table, people))
            played = Played(table.session_id, len(people.left_open))
            self.report(HOST, f"The story is over. {_summary(played)}")
            if stay:
                self.report(HOST, f"The table stays as it is at {self.address}, and so do the agents, until Ctrl+C")
                await self._until_ended(people, people.listen())
                await asyncio.Event().wait()
            return played
        finally:
            await people.leave()

    async def _until_ended(self, people: People, doing: Awaitable[None]) -> None:
        try:
            await doing
        except (SessionClosed, SessionExpired) as over:
            self.report(HOST, f"Somebody has ended the session, and the team goes home ({over.code})")
            await people.leave()

    @asynccontextmanager
    async def _table(
        self, host: Orchestrator, script: Mapping[str, Any], report: Report, pause: float
    ) -> AsyncIterator[DemoTable]:
        created = await host.create_session(script["purpose"], metadata={"demo": True}, ttl=script.get("ttl"))
        session = created.session_id
        report(HOST, f"opens the session {session}: {script['purpose']}")
        async with AsyncExitStack() as stack:
            agents = {
                name: await stack.enter_async_context(
                    DemoAgent.open(self.address, self.token, session, name, kind or None, link=_LINK)
                )
                for name, kind in script["agents"].items()
            }
            yield DemoTable(session, agents, script, report, pause)


async def _perform(table: DemoTable, people: People) -> None:
    for who, verb, *arguments in table.script["steps"]:
        if verb == "asks":
            await people.ask(table, who, *arguments)
        else:
            await table.perform(who, verb, *arguments)
    await people.settled()


def _summary(played: Played) -> str:
    if played.left_open == 0:
        return "Nothing is left open for you"
    things = "1 thing is" if played.left_open == 1 else f"{played.left_open} things are"
    return f"{things} left open for you, in the inbox of the console"
