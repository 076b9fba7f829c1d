"""What the generated methods of the client share."""

from collections.abc import Mapping
from typing import Any, TypeVar

from longtable_client.connection import ClientConnection
from longtable_client.generated.results import SessionRead
from longtable_client.messages import arguments_of
from longtable_client.records import Record

R = TypeVar("R", bound=Record)


class ToolCalls:
    """`required` arguments are sent as they are, `optional` ones unless they are None."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @property
    def inbox(self) -> dict[str, int] | None:
        """What is new for this caller since the last result: `messages`, `answers`, `events_after`."""
        return self._connection.inbox

    async def _read(self, address: str, result: type[R], required: Mapping[str, Any], /, **optional: Any) -> R:
        return await self._connection.read(address, result, arguments_of(required, optional))

    async def _write(self, address: str, result: type[R], required: Mapping[str, Any], /, **optional: Any) -> R:
        key = optional.pop("idempotency_key", None)
        return await self._connection.write(address, result, arguments_of(required, optional), key)

    async def _write_without_key(
        self, address: str, result: type[R], required: Mapping[str, Any], /, **optional: Any
    ) -> R:
        return await self._connection.write_without_key(address, result, arguments_of(required, optional))


class SessionCalls(ToolCalls):
    def __init__(self, connection: ClientConnection, session: str | None) -> None:
        super().__init__(connection)
        self._session = session

    async def session_id(self) -> str:
        if self._session is None:
            self._session = (await self._read("get_session", SessionRead, {})).session.session_id
        return self._session
