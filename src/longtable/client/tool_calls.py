"""What the generated methods of the client share."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from longtable.client.connection import ClientConnection
from longtable.kernel.result import Result
from longtable.sessions.model import SessionRead

R = TypeVar("R", bound=Result)


class ToolCalls:
    """`required` arguments are sent as they are, `optional` ones unless they are None."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @property
    def inbox(self) -> dict[str, int] | None:
        """What is new for this caller since the last result: `messages`, `answers`, `events_after`."""
        return self._connection.inbox

    async def _read(self, address: str, result: type[R], required: Mapping[str, Any], /, **optional: Any) -> R:
        return await self._connection.read(address, result, _arguments(required, optional))

    async def _write(self, address: str, result: type[R], required: Mapping[str, Any], /, **optional: Any) -> R:
        key = optional.pop("idempotency_key", None)
        return await self._connection.write(address, result, _arguments(required, optional), key)

    async def _write_without_key(
        self, address: str, result: type[R], required: Mapping[str, Any], /, **optional: Any
    ) -> R:
        return await self._connection.write_without_key(address, result, _arguments(required, optional))


class SessionCalls(ToolCalls):
    def __init__(self, connection: ClientConnection, session: str | None) -> None:
        super().__init__(connection)
        self._session = session

    async def session_id(self) -> str:
        if self._session is None:
            self._session = (await self._read("get_session", SessionRead, {})).session.session_id
        return self._session


def session_path(session_id: str, part: str) -> str:
    return f"/sessions/{quote(session_id, safe='')}/{part}"


def _arguments(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    there = {name: value for name, value in optional.items() if value is not None}
    return {name: _plain(value) for name, value in (*required.items(), *there.items())}


def _plain(value: Any) -> Any:
    """Sequences and mappings as lists and dictionaries."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
