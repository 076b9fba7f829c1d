"""One session at a server, as one agent, and the scratchpads of its tenant. Nothing here takes a session: a place
cannot reach into another."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

from longtable.activity.model import EventList
from longtable.client.connection import CallerHeaders, ClientConnection, Link, connected
from longtable.client.conversation import Conversation
from longtable.client.listening import Listener, ListenOptions, OnLost, TableEvent
from longtable.client.notebooks import NotebookMethods
from longtable.client.notes_and_draft import NotesAndDraft
from longtable.client.plan_and_questions import PlanAndQuestions
from longtable.client.tool_methods import given, session_path
from longtable.questions.model import QuestionPage
from longtable.questions.model import Status as QuestionStatus
from longtable.sessions.model import SessionRead
from longtable.workspace.model import WorkspaceRead


class Workspace(NotesAndDraft, PlanAndQuestions, Conversation, NotebookMethods):
    """Its methods are the tools, by their names. Each raises the error whose code the server gives, and
    ConnectionLost when the server cannot be reached."""

    def __init__(self, connection: ClientConnection, session: str | None) -> None:
        super().__init__(connection)
        self._session = session

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
    ) -> AsyncIterator["Workspace"]:
        """Without a session: that of the token or, with auth off, the shared one of the project."""
        async with connected(url, CallerHeaders(token, session, agent, agent_type), link or Link()) as connection:
            yield cls(connection, session)

    async def session_id(self) -> str:
        if self._session is None:
            self._session = (await self.get_session()).session.session_id
        return self._session

    async def get_session(self) -> SessionRead:
        return await self._read("get_session", SessionRead)

    async def get_workspace(self, *, limit: int = 500) -> WorkspaceRead:
        path = session_path(await self.session_id(), "workspace")
        return await self._connection.get(path, WorkspaceRead, {"limit": limit})

    async def list_questions(
        self, *, status: QuestionStatus | None = None, limit: int = 1000, cursor: str | None = None
    ) -> QuestionPage:
        path = session_path(await self.session_id(), "questions")
        query = given({"status": status, "limit": limit, "cursor": cursor})
        return await self._connection.get(path, QuestionPage, query)

    async def read_events(
        self, *, after: int = 0, kinds: Sequence[str] | None = None, limit: int = 100, wait_seconds: float | str = 0
    ) -> EventList:
        chosen = None if kinds is None else list(kinds)
        return await self._read(
            "read_events", EventList, after=after, kinds=chosen, limit=limit, wait_seconds=wait_seconds
        )

    async def events(
        self, after: int | None = None, kinds: Sequence[str] | None = None, on_lost: OnLost | None = None
    ) -> AsyncGenerator[TableEvent, None]:
        """Events after `after`, or from now on, each once and in order, until the session ends. A lost connection
        is made again by itself; `on_lost` is told."""
        path = session_path(await self.session_id(), "events")
        async with aclosing(Listener(self._connection, ListenOptions(path, after, kinds, on_lost)).events()) as events:
            async for event in events:
                yield event
