"""Frames between the server and the model process: JSON, followed by raw bytes."""

import asyncio
import json
import struct
from typing import Any, BinaryIO

_HEAD = struct.Struct("<II")

Frame = tuple[dict[str, Any], bytes]


def pack(message: dict[str, Any], body: bytes = b"") -> bytes:
    text = json.dumps(message).encode()
    return _HEAD.pack(len(text), len(body)) + text + body


def read(stream: BinaryIO) -> Frame | None:
    """The next frame, or None when the other side has closed the pipe."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    text, body = _HEAD.unpack(head)
    rest = stream.read(text + body)
    return (json.loads(rest[:text]), rest[text:]) if len(rest) == text + body else None


async def receive(stream: asyncio.StreamReader) -> Frame:
    """Raises EOFError when the other side has closed the pipe."""
    text, body = _HEAD.unpack(await stream.readexactly(_HEAD.size))
    rest = await stream.readexactly(text + body)
    return json.loads(rest[:text]), rest[text:]
