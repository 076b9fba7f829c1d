"""Exports as files: a whole session, and the audit log. For the owner, and for everybody while auth is off; streamed
and audited."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from longtable.app import App
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.errors import Forbidden, InvalidArgument, LongtableError
from longtable.log.export import audit_lines
from longtable.rest.ports import Admitted, bind_to_session
from longtable.rest.replies import refusal
from longtable.workspace.contents import Contents
from longtable.workspace.export_json import session_as_json
from longtable.workspace.export_markdown import session_as_markdown

SESSION_EXPORT = "/sessions/{session_id}/export"
AUDIT_EXPORT = "/audit/export"
_CHUNK = 65_536
_EXPORTERS = frozenset({Role.OWNER, Role.LOCAL})
_FORMATS = {
    "json": (session_as_json, "application/json"),
    "md": (session_as_markdown, "text/markdown; charset=utf-8"),
}


@dataclass(frozen=True, slots=True)
class _ExportFile:
    name: str
    media_type: str
    pieces: AsyncIterator[str]


class Exports:
    def __init__(self, app: App, admission_of: Callable[[Request], Admitted]) -> None:
        self._app = app
        self._admission_of = admission_of

    def routes(self) -> list[Route]:
        return [Route(SESSION_EXPORT, self._session), Route(AUDIT_EXPORT, self._audit)]

    async def _session(self, request: Request) -> Response:
        call = Call(self._admission_of(request).caller, "export_session", "session_exported")
        session_id = request.path_params["session_id"]
        try:
            call = replace(call, caller=await self._in_session(call.caller, session_id))
            _check_owner(call.caller)
            export, media_type = _FORMATS[_format(request)]
        except LongtableError as error:
            return self._refused(call, error)
        pieces = export(Contents(self._app.ledger, call.caller, self._app.clock()))
        file = _ExportFile(f"{session_id}.{_format(request)}", media_type, pieces)
        self._app.ledger.observe(call, "SUCCESS", f"session:{session_id}")
        return await _attached(file)

    async def _audit(self, request: Request) -> Response:
        call = Call(self._admission_of(request).caller, "export_audit_log", "audit_exported")
        try:
            _check_owner(call.caller)
            _check_parameters(request, ())
            # Its own record is the last in the file, so that a reader can see whether the file is complete.
            self._app.ledger.observe(call, "SUCCESS")
            await self._app.ledger.flush()
        except LongtableError as error:
            return self._refused(call, error)
        return await _attached(_ExportFile("audit.jsonl", "application/x-ndjson", self._records(call.caller.tenant)))

    async def _records(self, tenant: str) -> AsyncIterator[str]:
        async for lines in audit_lines(self._app.database, tenant, "audit_exported"):
            yield "".join(lines)

    async def _in_session(self, caller: Caller, session_id: str) -> Caller:
        bound = bind_to_session(caller, session_id)
        await self._app.session_resolver.check(bound, session_id, to_change=False)
        return bound

    def _refused(self, call: Call, error: LongtableError) -> Response:
        self._app.ledger.observe(call, error.code)
        return refusal(error)


def _check_owner(caller: Caller) -> None:
    if caller.role not in _EXPORTERS:
        raise Forbidden(f"The role {caller.role} may not export.", allowed=sorted(_EXPORTERS))


def _format(request: Request) -> str:
    _check_parameters(request, ("format",))
    formats = request.query_params.getlist("format") or ["json"]
    if len(formats) > 1 or formats[0] not in _FORMATS:
        raise InvalidArgument.at("format", f"must be one of {', '.join(_FORMATS)}, given once")
    return formats[0]


def _check_parameters(request: Request, allowed: tuple[str, ...]) -> None:
    for name in request.query_params:
        if name not in allowed:
            raise InvalidArgument.at(name, f"is not a parameter here; allowed: {', '.join(allowed) or 'none'}")


async def _attached(file: _ExportFile) -> Response:
    # Started before the status is sent: an unreadable store is reported in the envelope.
    first = await anext(file.pieces, "")
    headers = {
        "Content-Disposition": f'attachment; filename="{file.name}"',
        "Content-Type": file.media_type,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingResponse(_in_chunks(first, file.pieces), headers=headers)


async def _in_chunks(first: str, pieces: AsyncIterator[str]) -> AsyncIterator[bytes]:
    """Neither a message for every character nor everything in memory."""
    waiting = [first.encode()]
    size = len(waiting[0])
    async for piece in pieces:
        waiting.append(piece.encode())
        size += len(waiting[-1])
        if size >= _CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)
