"""Server-sent events by hand over one socket: read as they come, broken off without a word, or never read at all."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any


class StreamRefused(Exception):
    """The server answered something else than a stream."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"{status} {body.decode(errors='replace')}")
        self.status = status


@dataclass
class EventWire:
    """`cursor` is the last id that was told, to come back with."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    cursor: int | None = None
    _left: bytes = b""

    async def hears(self) -> tuple[str, dict[str, Any]] | None:
        """The next event by its name, or None when the stream is over. Raises what broke the connection."""
        while True:
            block, found, rest = self._left.partition(b"\n\n")
            if not found:
                chunk = await self._chunk()
                if not chunk:
                    return None
                self._left += chunk
                continue
            self._left = rest
            event = self._take(block.decode())
            if event is not None:
                return event

    def breaks_off(self) -> None:
        self.writer.transport.abort()

    def _take(self, block: str) -> tuple[str, dict[str, Any]] | None:
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
        if "id" in fields:
            self.cursor = int(fields["id"])
        return (fields["event"], json.loads(fields["data"])) if "data" in fields else None

    async def _chunk(self) -> bytes:
        size = int((await self.reader.readuntil(b"\r\n")).strip(), 16)
        chunk = await self.reader.readexactly(size)
        await self.reader.readexactly(2)
        return chunk


@asynccontextmanager
async def event_wire(
    address: str, target: str, headers: Mapping[str, str], receive_buffer: int | None = None
) -> AsyncIterator[EventWire]:
    """A stream that has begun. A small `receive_buffer` is a listener far away. Raises StreamRefused, OSError."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    link = socket.socket()
    link.setblocking(False)
    if receive_buffer is not None:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    try:
        await asyncio.get_running_loop().sock_connect(link, (host, int(port)))
        reader, writer = await asyncio.open_connection(sock=link, limit=receive_buffer or 2**16)
    except BaseException:
        link.close()
        raise
    try:
        await _begin(reader, writer, target, {"Host": f"{host}:{port}", "Accept": "text/event-stream", **headers})
        yield EventWire(reader, writer)
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _begin(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: str, headers: Mapping[str, str]
) -> None:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    status = int(head.split(" ", 2)[1])
    if status != 200:
        raise StreamRefused(status, await reader.read(1000))
