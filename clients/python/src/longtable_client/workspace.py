"""One session at a server, as one agent, and the scratchpads of its tenant. No method takes a session, so that no other
can be reached."""

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Self

from longtable_client.connection import connected
from longtable_client.events import ListenOptions, OnLost, TableEvent
from longtable_client.generated.methods import SessionMethods
from longtable_client.generated.results import MessageView, NoteView
from longtable_client.link import CallerHeaders, Link
from longtable_client.listening import Listener
from longtable_client.messages import session_path

_PAGE = 500


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
        """Without a session it is the token's or, with auth off, the shared one of the project. An agent that neither
        you nor a token names gets a name of its own, so that two of them are told apart."""
        if agent is None and token is None:
            agent = f"longtable-client-{secrets.token_hex(2)}"
        async with connected(url, CallerHeaders(token, session, agent, agent_type), link or Link()) as connection:
            yield cls(connection, session)

    async def all_notes(
        self, *, tags: Sequence[str] | None = None, author: str | None = None
    ) -> AsyncGenerator[NoteView, None]:
        """Every note, from the first to the newest, read page by page."""
        cursor: str | None = None
        while True:
            page = await self.read_notes(tags=tags, author=author, order="oldest", limit=_PAGE, cursor=cursor)
            for note in page.notes:
                yield note
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    async def all_messages(self, after_id: int = 0) -> AsyncGenerator[MessageView, None]:
        """Every message that this agent may see after `after_id`, from the first to the newest, read page by page."""
        while True:
            page = await self.get_messages(_PAGE, after_id=after_id)
            for message in page.messages:
                yield message
            if not page.has_more:
                return
            after_id = page.next_after_id

    async def events(
        self, after: int | None = None, kinds: Sequence[str] | None = None, on_lost: OnLost | None = None
    ) -> AsyncGenerator[TableEvent, None]:
        """Events after `after`, or from now on, each once and in order, until the session ends. It connects
        again when a connection is lost, after a call of `on_lost`."""
        path = session_path(await self.session_id(), "events")
        async with aclosing(Listener(self._connection, ListenOptions(path, after, kinds, on_lost)).events()) as events:
            async for event in events:
                yield event
