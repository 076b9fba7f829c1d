"""MCP over the pipes of a process, with messages of bounded size."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse, jsonrpc_message_adapter

from longtable.upstreams.entries import MIB, StdioEntry
from longtable.upstreams.framing import LineSplitter, TruncatedLine, truncated_result
from longtable.upstreams.process import UpstreamProcess

LONGEST_LINE = 16 * MIB
"""A list of ten thousand tools fits."""

_CHUNK = 65_536
_LARGE_MESSAGE = 65_536
_PIPE_SECONDS = 1.0

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def stdio_streams(entry: StdioEntry, on_started: Callable[[UpstreamProcess], None]) -> AsyncIterator[Streams]:
    """The process lives as long as the context."""
    process = await UpstreamProcess.start(entry)
    on_started(process)
    arriving, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, leaving = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with arriving, incoming, outgoing, leaving, anyio.create_task_group() as group:
            group.start_soon(_read, process, arriving, entry.limits.max_response_bytes)
            group.start_soon(_write, process, leaving)
            group.start_soon(_close_after_exit, process, arriving)
            yield incoming, outgoing
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await process.stop()


async def _read(process: UpstreamProcess, arriving: MemoryObjectSendStream[Incoming], keep: int) -> None:
    lines = LineSplitter(max(LONGEST_LINE, 4 * keep), keep)
    async with arriving:
        try:
            while chunk := await process.stdout.read(_CHUNK):
                for line in lines.feed(chunk):
                    message = _message(line)
                    if message is not None:
                        await arriving.send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError, _Unanswerable):
            return


def _message(line: bytes | TruncatedLine) -> SessionMessage | None:
    """None for a line that is no message: some programs print greetings or logs."""
    if isinstance(line, TruncatedLine):
        request_id = line.request_id
        if request_id is None:
            raise _Unanswerable
        return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=request_id, result=truncated_result(line.head)))
    if not line.strip():
        return None
    try:
        if len(line) > _LARGE_MESSAGE:
            return _large_message(line)
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except (ValueError, RecursionError):
        return None


def _large_message(line: bytes) -> SessionMessage:
    """Ten times as fast: parsing a large message blocks the event loop."""
    value = json.loads(line)
    if isinstance(value, dict) and isinstance(value.get("result"), dict) and isinstance(value.get("id"), int | str):
        answer = JSONRPCResponse.model_construct(jsonrpc="2.0", id=value["id"], result=value["result"])
        return SessionMessage(answer)
    return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))


class _Unanswerable(Exception):
    """A line that is too long and has no request id: the connection ends, so that no caller waits for ever."""


async def _close_after_exit(process: UpstreamProcess, arriving: MemoryObjectSendStream[Incoming]) -> None:
    await process.wait_until_exit()
    # A descendant outside its group may still hold the pipe: wait for the rest of the output, but not for ever.
    await anyio.sleep(_PIPE_SECONDS)
    await arriving.aclose()


async def _write(process: UpstreamProcess, leaving: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with leaving:
        try:
            async for message in leaving:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(text.encode() + b"\n")
                await process.stdin.drain()
        except (OSError, RuntimeError, asyncio.IncompleteReadError):  # uvloop raises RuntimeError for a closed pipe.
            return
