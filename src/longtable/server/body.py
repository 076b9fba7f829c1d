"""A request's body, read once, never more than is allowed, and handed on as if it had not been read."""

import asyncio
from collections.abc import Mapping

from starlette.types import Receive

from longtable.kernel.errors import InvalidArgument, PayloadTooLarge, RequestTimeout, UnsupportedMediaType
from longtable.server.intake import BUFFERED, Peer, overloaded

OPEN_BYTES = 65_536
"""Largest body of a request without a credential."""

STALL_SECONDS = 30.0
"""For a request that comes by another way than a socket of ours."""
BYTES_A_SECOND = 1_024
"""The least pace of a body after the time in which some of it must come."""

_DIGITS = 18
BODY = "longtable.body"
"""Where the scope of a request has the bytes of its body."""

MESSAGE = "longtable.message"
"""Where the scope of a request to an MCP endpoint has its body as JSON; None for what is none."""


async def read_body(receive: Receive, limit: int, peer: Peer | None = None) -> bytes:
    """Raises PayloadTooLarge, RequestTimeout for a body that does not come, and Overloaded where there is no room
    for it."""
    if peer is not None and not peer.receiving:
        return await _read(receive, limit, peer, None)
    seconds = STALL_SECONDS if peer is None else peer.body_seconds
    try:
        async with asyncio.timeout(seconds) as pace:
            return await _read(receive, limit, peer, pace, seconds)
    except TimeoutError:
        raise RequestTimeout("The request body did not arrive in time.", seconds=seconds) from None


def announced_size(headers: Mapping[bytes, bytes], limit: int) -> int | None:
    """The size that the headers tell; None where they tell none. Raises PayloadTooLarge, and UnsupportedMediaType for a
    compressed body, before anything is read."""
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise UnsupportedMediaType("A compressed request body is not read here.", hint="Send it without encoding.")
    announced = headers.get(b"content-length", b"0")
    if not announced.isdigit():
        return None
    if len(announced) > _DIGITS or int(announced) > limit:
        raise _too_large(limit)
    return None if b"transfer-encoding" in headers else int(announced)


async def _read(
    receive: Receive, limit: int, peer: Peer | None, pace: asyncio.Timeout | None, seconds: float = 0.0
) -> bytes:
    now = asyncio.get_running_loop().time
    began = now()
    parts: bytes | bytearray = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise InvalidArgument.at("body", "ended before it was whole")
        piece: bytes = message.get("body", b"")
        if len(parts) + len(piece) > limit:
            raise _too_large(limit)
        if peer is not None and peer.refused:
            raise overloaded(BUFFERED)
        if not message.get("more_body", False):
            return bytes(parts + piece) if parts else piece
        if not isinstance(parts, bytearray):
            parts = bytearray()
        parts += piece
        if pace is not None:
            pace.reschedule(min(now(), began + len(parts) / BYTES_A_SECOND) + seconds)


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"The request body is larger than {limit} bytes.", limit=limit)
