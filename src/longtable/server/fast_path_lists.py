"""Lists of tools over streamable HTTP: the SDK encodes each once, and it is sent again while the list is the same."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from pydantic_core import to_json
from starlette.types import Message, Receive, Scope, Send

from longtable.kernel.errors import LongtableError
from longtable.server.admission import Admission
from longtable.server.agent_keys import caller_of
from longtable.server.fast_path import JSON, FastPath, FastPathList
from longtable.server.guard import ADMISSION
from longtable.server.list_readers import FindEncoded, reader_of

_MAX_RESULTS: Final = 50
"""More than there are roles and versions."""


class FastPathLists:
    """`sdk` answers where a list is not encoded yet."""

    def __init__(
        self, encoded: FindEncoded, fast_path: FastPath, sdk: Callable[[Scope, Receive, Send], Awaitable[None]]
    ) -> None:
        self._encoded = encoded
        self._fast_path = fast_path
        self.accept = fast_path.accept_list
        self._sdk = sdk

    async def answer(self, request: FastPathList, scope: Scope, receive: Receive, send: Send) -> None:
        admission: Admission = scope[ADMISSION]
        connection = request.client.connection
        try:
            caller = await caller_of(admission, scope, request.client.name)
            if caller.session_id is None and connection is not None and connection.row.session_id is not None:
                # As in `MessageSender.caller_in_session`: rules may name sessions.
                caller = caller.inside(connection.row.session_id)
            encoded = await self._encoded(caller, connection)
        except LongtableError:
            await self._sdk(scope, receive, send)
            return
        key = (reader_of(caller), request.version)
        if key not in encoded:
            response = _CapturedResponse(send)
            await self._sdk(scope, receive, response.send)
            result = response.result_for(request)
            with suppress(LongtableError):
                if result is not None and len(encoded) < _MAX_RESULTS and await self._encoded(caller, None) is encoded:
                    encoded[key] = result
            return
        self._fast_path.lists_answered += 1
        body = _prefix(request) + encoded[key]
        length = (b"content-length", b"%d" % len(body))
        headers = [length, JSON] if connection is None else [JSON, length, (b"mcp-session-id", connection.id.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class _CapturedResponse:
    def __init__(self, send: Send) -> None:
        self._send = send
        self._body = b""

    async def send(self, message: Message) -> None:
        self._body += message.get("body", b"")
        await self._send(message)

    def result_for(self, request: FastPathList) -> bytes | None:
        """What follows the id; None for anything but a result."""
        prefix = _prefix(request)
        return self._body.removeprefix(prefix) if self._body.startswith(prefix) else None


def _prefix(request: FastPathList) -> bytes:
    return b'{"jsonrpc":"2.0","id":' + to_json(request.request_id) + b',"result":'
