"""One spelling for every JSON value, so that equal values have equal digests."""

import hashlib
import json
from typing import Any

# Created once: `json.dumps` with options creates an encoder for each call.
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode
compact = json.JSONEncoder(separators=(",", ":")).encode
"""JSON without blanks, with its keys in their own order."""


def digest(value: Any) -> str:
    return digest_of(canonical(value))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
