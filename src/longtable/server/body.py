"""A request's body, read once, never more than is allowed, and handed on as if nobody had looked."""

from collections.abc import Mapping

from starlette.types import Message, Receive

from longtable.kernel.errors import PayloadTooLarge

BODY = "longtable.body"
"""Where the scope of a request has the bytes of its body."""


async def read_body(headers: Mapping[str, str], receive: Receive, limit: int) -> bytes:
    """Raises PayloadTooLarge, for an announced size before anything is read."""
    announced = headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    parts = bytearray()
    while True:
        message = await receive()
        parts += message.get("body", b"")
        if len(parts) > limit:
            raise _too_large(limit)
        if message["type"] != "http.request" or not message.get("more_body", False):
            return bytes(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    waiting = True

    async def again() -> Message:
        nonlocal waiting
        if waiting:
            waiting = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


def _too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"The request body is larger than {limit} bytes.", limit=limit)
