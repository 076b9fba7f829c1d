"""Message framing between the server and a worker: a head of JSON, then a text as it is, each with its length."""

import json
import struct
from typing import Any

PREFIX = struct.Struct(">II")
MOST_BYTES = 256 * 1_048_576


def encode(head: bytes, body: bytes = b"") -> list[bytes]:
    """Parts to be written one after the other; a large text is not copied."""
    return [PREFIX.pack(len(head), len(body)) + head, body]


def to_json(value: Any) -> bytes:
    """Lone surrogates are escaped, so any text can be written."""
    return json.dumps(value, separators=(",", ":")).encode()


def to_bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def to_text(body: bytes) -> str:
    return body.decode(errors="surrogatepass")
