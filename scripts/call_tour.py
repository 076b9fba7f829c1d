"""Follows one tool call through the code: every function of ours that runs for it, in the order in which they begin.

    python scripts/call_tour.py [TOOL ...]     add_note, read_notes and scratch_append_cell without arguments

The call arrives as an ASGI request at an application on SQLite, with auth off and a session in a header, and is
followed through every thread until the last byte of its response is sent.
"""

import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import longtable
from longtable.app import open_app
from longtable.server import running_responses
from longtable.server.http import HttpApp
from longtable.settings.options import Settings

SOURCE = str(Path(longtable.__file__).parent)
SESSION = "call-tour"
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tour", "version": "1"},
}
CALLS: dict[str, dict[str, Any]] = {
    "add_note": {"content": "The importer drops rows without a date.", "tags": ["importer"]},
    "read_notes": {"limit": 10},
    "scratch_append_cell": {"scratch_id": "tour", "cell": {"language": "py", "content": "total = 1\n"}},
}
BEFORE: list[tuple[str, dict[str, Any]]] = [
    ("create_session", {"purpose": "a tour", "session_id": SESSION}),
    ("add_note", {"content": "The first note.", "tags": ["importer"]}),
    ("scratch_create", {"scratch_id": "tour"}),
]
COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
WARM_UP = 3
"""Calls before the one that is followed: caches are filled, and nothing runs that only the first call needs."""
NEVER = 3_600.0
REPEATED = 5
"""The shortest tour counts: a timer may have fired during the others."""


@dataclass
class CallTour:
    """What ran for one call, in its own task, in callbacks and in other threads. A coroutine that is resumed counts
    once, as the call that began it; a comprehension is a part of its function, as it is from Python 3.12 on."""

    task: asyncio.Task[Any] | None
    calls: list[CodeType] = field(default_factory=list)
    _frames: set[FrameType] = field(default_factory=set)

    def record(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(SOURCE) or code.co_name in COMPREHENSIONS:
            return
        # Frames are kept, so that the next one cannot be taken for one that has ended.
        if frame not in self._frames and not _is_of_another_task(self.task):
            self._frames.add(frame)
            self.calls.append(code)

    @property
    def functions(self) -> list[str]:
        """Distinct, in the order of their first call."""
        return list(dict.fromkeys(f"{_file(code)}: {code.co_qualname}" for code in self.calls))

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(map(_file, self.calls)))

    def summary(self) -> str:
        return f"{len(self.calls)} calls, {len(self.functions)} functions, {len(self.files)} files"


def _is_of_another_task(task: asyncio.Task[Any] | None) -> bool:
    """Such as a periodic job that runs at this moment."""
    try:
        return asyncio.current_task() not in (task, None)
    except RuntimeError:
        return False


def _file(code: CodeType) -> str:
    return code.co_filename.removeprefix(SOURCE).lstrip("/\\")


class _Recorder:
    """The profile function of every thread, which records only during a tour."""

    def __init__(self) -> None:
        self.tour: CallTour | None = None

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if self.tour is not None:
            self.tour.record(frame, event, argument)


async def tour_of(tool: str) -> CallTour:
    recorder = _Recorder()
    # On a slow machine a call may last so long that its client is watched, which is not part of the way.
    watched_after, running_responses.WATCHED_AFTER = running_responses.WATCHED_AFTER, NEVER
    threading.setprofile(recorder)
    sys.setprofile(recorder)
    try:
        async with _application() as http:
            for name, arguments in [*BEFORE, *[(tool, CALLS[tool])] * WARM_UP]:
                await _call(http, name, arguments)
            tours = []
            for _ in range(REPEATED):
                recorder.tour = tour = CallTour(asyncio.current_task())
                await _call(http, tool, CALLS[tool])
                recorder.tour = None
                tours.append(tour)
            return min(tours, key=lambda tour: len(tour.calls))
    finally:
        running_responses.WATCHED_AFTER = watched_after
        sys.setprofile(None)
        threading.setprofile(None)


@asynccontextmanager
async def _application() -> AsyncIterator[HttpApp]:
    with TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), log_level="error")
        async with open_app(settings, "tour") as app:
            http = HttpApp(app)
            async with http.running():
                yield http


async def _call(http: HttpApp, tool: str, arguments: dict[str, Any]) -> None:
    params = {"name": tool, "arguments": arguments, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = {
        "host": "127.0.0.1",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": "tools/call",
        "mcp-name": tool,
    }
    if tool != "create_session":
        headers["x-session-id"] = SESSION
    scope = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"},
        **{"method": "POST", "path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": ""},
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        **{"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)},
    }
    sent: list[Any] = []

    parts = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        for part in parts:
            return part
        # The client stays until it has its response.
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    await http(scope, receive, send)
    answer = json.loads(sent[1]["body"])
    if sent[0]["status"] != 200 or answer["result"]["isError"]:
        raise RuntimeError(f"{tool} was refused: {answer}")


def main() -> None:
    for tool in sys.argv[1:] or CALLS:
        tour = asyncio.run(tour_of(tool))
        print(f"{tool}: {tour.summary()}")
        for number, function in enumerate(tour.functions, 1):
            print(f"{number:5} {function}")


if __name__ == "__main__":
    main()
