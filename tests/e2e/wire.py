"""HTTP/1.1 by hand over one keep-alive connection: fast enough for load, and able to send what no client would."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.table import MODERN, Refused, modern_meta

Header = tuple[str, str | bytes]


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a refusal, in whichever of the two forms it comes."""
        problem = self.json["error"]
        code: str = problem["data"]["code"] if "data" in problem else problem["code"]
        return code


@dataclass
class Wire:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    host: str
    ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    always: Sequence[Header] = ()

    async def sends(self, method: str, path: str, headers: Sequence[Header] = (), body: bytes | None = None) -> Reply:
        """One request as it is given; Host and Content-Length are added unless they are there."""
        given = {name.lower() for name, _ in headers}
        added: list[Header] = [] if "host" in given else [("Host", self.host)]
        if body is not None and not given & {"content-length", "transfer-encoding"}:
            added.append(("Content-Length", str(len(body))))
        head = b"".join(_line(name, value) for name, value in [*added, *headers])
        await self.writes(f"{method} {path} HTTP/1.1\r\n".encode("latin-1") + head + b"\r\n" + (body or b""))
        return await self.hears()

    async def writes(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def hears(self) -> Reply:
        async with asyncio.timeout(60):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            if headers.get("transfer-encoding") == "chunked":
                body = await self._chunks()
            else:
                body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return Reply(int(head[0].split(" ")[1]), headers, body)

    async def asks(
        self, method: str, params: dict[str, Any], headers: Sequence[Header] = (), path: str = "/mcp"
    ) -> Reply:
        """One JSON-RPC request of the current revision."""
        body = modern_request(method, params, next(self.ids))
        return await self.sends("POST", path, [*modern_headers(method, params), *self.always, *headers], body)

    async def calls(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool. Raises Refused with the code of a failure."""
        reply = await self.asks("tools/call", {"name": tool, "arguments": arguments})
        message = reply.json
        if "error" in message:
            problem = message["error"]
            raise Refused(reply.code, problem.get("message") or problem["error"], {})
        body: dict[str, Any] = message["result"]["structuredContent"]
        if not body.get("ok", body.get("success")):
            problem = body["error"] if isinstance(body["error"], dict) else body
            raise Refused(problem["code"], problem["error"], problem["details"])
        return body

    async def _chunks(self) -> bytes:
        parts = bytearray()
        while size := int((await self.reader.readline()).strip(), 16):
            parts += await self.reader.readexactly(size)
            await self.reader.readline()
        await self.reader.readline()
        return bytes(parts)


def modern_request(method: str, params: dict[str, Any], number: Any = 1) -> bytes:
    meta = modern_meta("wire")
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": meta}}).encode()


def modern_headers(method: str, params: dict[str, Any]) -> list[Header]:
    named = [("Mcp-Name", params["name"])] if "name" in params else []
    return [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", method),
        *named,
    ]


@asynccontextmanager
async def wire_to(address: str, *always: Header) -> AsyncIterator[Wire]:
    """A connection of its own. `always` goes with every JSON-RPC request."""
    host = address.removeprefix("http://")
    name, _, port = host.rpartition(":")
    reader, writer = await asyncio.open_connection(name, int(port), limit=2**24)
    try:
        yield Wire(reader, writer, host, always=always)
    finally:
        writer.close()


def _line(name: str, value: str | bytes) -> bytes:
    return name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()) + b"\r\n"
