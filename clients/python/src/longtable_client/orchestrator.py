"""The sessions of a tenant: created, listed, closed, and opened for agents."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from longtable_client.connection import ClientConnection, connected
from longtable_client.events import TENANT_EVENTS, ListenOptions, OnLost, TableEvent
from longtable_client.generated.methods import TenantMethods
from longtable_client.link import CallerHeaders, Link
from longtable_client.listening import Listener
from longtable_client.messages import session_path
from longtable_client.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _ServerConnection:
    url: str
    token: str | None
    link: Link


class Orchestrator(TenantMethods):
    def __init__(self, connection: ClientConnection, server: _ServerConnection) -> None:
        super().__init__(connection)
        self._server = server

    @classmethod
    @asynccontextmanager
    async def open(
        cls, url: str, token: str | None = None, agent: str | None = None, *, link: Link | None = None
    ) -> AsyncIterator["Orchestrator"]:
        server = _ServerConnection(url, token, link or Link())
        async with connected(url, CallerHeaders(token, agent=agent), server.link) as connection:
            yield cls(connection, server)

    def workspace(
        self, session: str, agent: str | None = None, agent_type: str | None = None
    ) -> AbstractAsyncContextManager[Workspace]:
        """For an agent, which cannot reach another session through it."""
        server = self._server
        return Workspace.open(server.url, server.token, session, agent, agent_type, link=server.link)

    close = TenantMethods.close_session
    extend = TenantMethods.extend_session

    def events(
        self, after: int | None = None, kinds: Sequence[str] | None = None, on_lost: OnLost | None = None
    ) -> AsyncGenerator[TableEvent, None]:
        """Like the events of a workspace, but of all sessions of the tenant and without an end."""
        return self.listen(None, after, kinds, on_lost)

    def listen(
        self, session_id: str | None, after: int | None, kinds: Sequence[str] | None, on_lost: OnLost | None
    ) -> AsyncGenerator[TableEvent, None]:
        """The events of one session, or (None) of all."""
        path = TENANT_EVENTS if session_id is None else session_path(session_id, "events")
        return Listener(self._connection, ListenOptions(path, after, kinds, on_lost)).events()
