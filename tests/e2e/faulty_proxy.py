"""A TCP proxy on the loopback that cuts connections at chosen points of a request, as networks and kills do."""

import asyncio
import random
import re
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

Stage = Literal[
    "before the request",
    "during the request",
    "while it is answered",
    "before the response",
    "during the response",
    "after the response",
]
STAGES: Sequence[Stage] = (
    "before the request",
    "during the request",
    "while it is answered",
    "before the response",
    "during the response",
    "after the response",
)
BROKEN = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_LENGTH = re.compile(rb"(?im)^content-length: *(\d+)")
_CHUNKED = re.compile(rb"(?im)^transfer-encoding: *chunked")


class _Cut(Exception):
    """The connection ends here."""


@dataclass
class FaultyProxy:
    """Passes requests on to one of `backends`, and cuts a share of them, at a stage that chance decides."""

    backends: Sequence[int]
    chance: random.Random
    share: float
    cuts: Counter[Stage] = field(default_factory=Counter)
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["FaultyProxy"]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**24)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        backend = self.chance.choice(self.backends)
        try:
            server, to_server = await asyncio.open_connection("127.0.0.1", backend, limit=2**24)
        except OSError:
            reset(to_client)
            return
        try:
            while True:
                await self._pass_one(client, to_client, server, to_server)
        except _Cut:
            reset(to_server)
            reset(to_client)
        except BROKEN:
            return
        finally:
            to_server.close()
            to_client.close()

    async def _pass_one(
        self,
        client: asyncio.StreamReader,
        to_client: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
    ) -> None:
        request = await whole_message(client)
        stage = self.chance.choice(STAGES) if self.chance.random() < self.share else None
        self._cut_at(stage, "before the request")
        if stage == "during the request":
            await write(to_server, request[: self.chance.randrange(1, len(request))])
            self._cut_at(stage, "during the request")
        await write(to_server, request)
        if stage == "while it is answered":
            await _first_bytes(server, self.chance.uniform(0, 0.1))
            self._cut_at(stage, "while it is answered")
        response = await whole_message(server)
        self._cut_at(stage, "before the response")
        if stage == "during the response":
            await write(to_client, response[: self.chance.randrange(1, len(response))])
            self._cut_at(stage, "during the response")
        await write(to_client, response)
        self._cut_at(stage, "after the response")

    def _cut_at(self, stage: Stage | None, here: Stage) -> None:
        if stage == here:
            self.cuts[here] += 1
            raise _Cut


async def whole_message(reader: asyncio.StreamReader) -> bytes:
    """One whole request or response."""
    head = await reader.readuntil(b"\r\n\r\n")
    if _CHUNKED.search(head):
        return head + await _chunks(reader)
    length = _LENGTH.search(head)
    return head + (await reader.readexactly(int(length[1])) if length else b"")


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = bytearray()
    while True:
        line = await reader.readline()
        size = int(line.strip() or b"0", 16)
        parts += line + await reader.readexactly(size + 2)
        if size == 0:
            return bytes(parts)


async def _first_bytes(reader: asyncio.StreamReader, seconds: float) -> None:
    """Waits for an answer for a while, without passing it on."""
    with suppress(TimeoutError, *BROKEN):
        async with asyncio.timeout(seconds):
            await whole_message(reader)


async def write(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


def reset(writer: asyncio.StreamWriter) -> None:
    """Ends a connection as a killed process does: what the other side has sent and nobody has read is lost."""
    connection: socket.socket | None = writer.get_extra_info("socket")
    if connection is not None:
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
