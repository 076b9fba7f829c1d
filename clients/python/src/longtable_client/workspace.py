"""One session at a server, as one agent, and the scratchpads of its tenant. No method takes a session, so that no other
can be reached."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Self

from longtable_client.connection import connected
from longtable_client.events import ListenOptions, OnLost, TableEvent
from longtable_client.generated.methods import SessionMethods
from longtable_client.link import CallerHeaders, Link
from longtable_client.listening import Listener
from longtable_client.messages import session_path


class Workspace(SessionMethods):
    """Its methods are the tools, by their names. Each raises the error whose code the server gives, and
    ConnectionLost when the server cannot be reached."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        token: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        agent_type: str | None = None,
        *,
        link: Link | None = None,
    ) -> AsyncIterator[Self]:
        """Without a session it is the token's or, with auth off, the shared one of the project."""
        async with connected(url, CallerHeaders(token, session, agent, agent_type), link or Link()) as connection:
            yield cls(connection, session)

    async def events(
        self, after: int | None = None, kinds: Sequence[str] | None = None, on_lost: OnLost | None = None
    ) -> AsyncGenerator[TableEvent, None]:
        """Events after `after`, or from now on, each once and in order, until the session ends. It connects
        again when a connection is lost, after a call of `on_lost`."""
        path = session_path(await self.session_id(), "events")
        async with aclosing(Listener(self._connection, ListenOptions(path, after, kinds, on_lost)).events()) as events:
            async for event in events:
                yield event
