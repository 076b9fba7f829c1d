"""Sends the team to a server: every agent with a connection and a name of its own, as real agents come."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from longtable.client import ConnectionLost, Link, Orchestrator
from longtable.client.connection import CallerHeaders
from longtable.demo import PATIENCE
from longtable.demo.agent import DemoAgent
from longtable.demo.cast import HOST, TYPES
from longtable.demo.coffee import PURPOSE
from longtable.demo.others import add_other_sessions
from longtable.demo.people import People
from longtable.demo.story import Story
from longtable.demo.table import Table, Tell
from longtable.kernel.errors import SessionClosed, SessionExpired, UpstreamError

_LINK = Link(attempts=4)


@dataclass(frozen=True, slots=True)
class Played:
    """The session of the story, and how many matters are still open for people."""

    session_id: str
    left_open: int


class Team:
    def __init__(self, story: Story, people: People, table: Table) -> None:
        self._story = story
        self._people = people
        self._table = table

    async def play(self) -> Played:
        try:
            await self._story.play()
        except (SessionClosed, SessionExpired) as over:
            self._table.tell(HOST, f"Somebody has ended the session, and the team goes home ({over.code})")
            await self._people.leave()
        return Played(self._table.session_id, len(self._people.left_open))

    async def listen(self) -> None:
        """Reacts to what people say after the story, and returns when nothing is open any more."""
        try:
            await self._people.listen()
        except (SessionClosed, SessionExpired) as over:
            self._table.tell(HOST, f"Somebody has ended the session, and the team goes home ({over.code})")


def say_nothing(who: str, what: str) -> None:
    """For who does not want to be told."""


async def play(
    address: str, token: str | None = None, pause: float = 0.0, patience: float = PATIENCE, tell: Tell = say_nothing
) -> Played:
    """Plays the whole story at a server, and leaves the table as it is then."""
    async with team_at(address, token, pause, patience, tell) as team:
        return await team.play()


@asynccontextmanager
async def team_at(address: str, token: str | None, pause: float, patience: float, tell: Tell) -> AsyncIterator[Team]:
    """Raises UpstreamError when the server cannot be reached."""
    try:
        async with AsyncExitStack() as stack:
            host = await stack.enter_async_context(Orchestrator.open(address, token, HOST, link=_LINK))
            await add_other_sessions(host)
            session = (await host.create_session(PURPOSE, metadata={"demo": True})).session_id
            tell(HOST, f"opens the session {session}: {PURPOSE}")
            agents = {
                name: await stack.enter_async_context(
                    DemoAgent.taken(address, CallerHeaders(token, session, name, kind), _LINK)
                )
                for name, kind in TYPES.items()
            }
            table, people = Table(session, agents, tell, pause), People(patience)
            stack.push_async_callback(people.leave)
            yield Team(Story(table, people), people, table)
    except ConnectionLost as problem:
        raise UpstreamError(str(problem)) from problem
