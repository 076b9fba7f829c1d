"""A caller's place at the table: what every method of the client goes through."""

from typing import Any, TypeVar
from urllib.parse import quote

from longtable.client.connection import ClientConnection
from longtable.kernel.result import Result

R = TypeVar("R", bound=Result)


class ToolMethods:
    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @property
    def inbox(self) -> dict[str, int] | None:
        """What the last answer said is new for this caller: `messages`, `answers`, `events_after`."""
        return self._connection.inbox

    async def _read(self, tool: str, result: type[R], /, **arguments: Any) -> R:
        return await self._connection.read(tool, result, given(arguments))

    async def _write(self, tool: str, result: type[R], idempotency_key: str | None, /, **arguments: Any) -> R:
        return await self._connection.write(tool, result, given(arguments), idempotency_key)


def session_path(session_id: str, part: str) -> str:
    return f"/sessions/{quote(session_id, safe='')}/{part}"


def given(arguments: dict[str, Any]) -> dict[str, Any]:
    """An argument without a value is left out: so the tools want it."""
    return {name: value for name, value in arguments.items() if value is not None}
