"""One spelling for every JSON value, so that equal values have equal digests."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(value: Any) -> str:
    return digest_of(canonical(value))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
