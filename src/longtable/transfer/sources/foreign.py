"""What the sources share: the session that they fill, names and times that come from elsewhere, and lines of JSON."""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from longtable.kernel.clock import from_iso, to_iso
from longtable.kernel.names import MAX_NAME, name_problem
from longtable.transfer.model import MAX_LINE_BYTES, refused

Line = dict[str, Any]

_FIRST: Final = "1970-01-01T00:00:00.000000Z"


@dataclass(frozen=True, slots=True)
class NewSession:
    """Where the things go, and who imports them when."""

    session_id: str
    imported_by: str
    now: int
    expires_at: int
    note_bytes: int

    def line(self, purpose: str, origin: str) -> Line:
        return {
            "type": "session",
            "id": self.session_id,
            "purpose": purpose,
            "metadata": {},
            "created_by": self.imported_by,
            "created_at": to_iso(self.now),
            "expires_at": to_iso(self.expires_at),
            "status": "active",
            "origin": origin,
        }


def json_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Each object with the number of its line; blank lines are left out. Raises ValidationFailed."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                raise refused(number, f"a line may have at most {MAX_LINE_BYTES:,} bytes")
            if not raw.strip():
                continue
            try:
                value = json.loads(raw)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise refused(number, "it is not a JSON object")
            yield number, value


def text_of(value: Any) -> str:
    """A text that every store can keep; nothing for what is none."""
    text = value if isinstance(value, str) else ""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def name_of(value: Any, otherwise: str) -> str:
    """A name as agents may have one, as near as can be."""
    name = unicodedata.normalize("NFC", " ".join(text_of(value).split()))[:MAX_NAME]
    return otherwise if name_problem(name) else name


def moment_of(value: Any, otherwise: str = _FIRST) -> str:
    """An ISO time, one as SQLite writes it, or seconds since 1970."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return to_iso(int(value * 1_000_000))
        # More digits than microseconds have, as Go writes them, are cut by `fromisoformat`.
        moment = from_iso(text_of(value))
    except (ValueError, OverflowError, OSError):
        return otherwise
    return to_iso(moment) if moment >= 0 else otherwise


def object_of(value: Any, limit: int) -> Mapping[str, Any]:
    """A JSON object, also one that is written as text; an empty one for what is none or too large."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    fits = isinstance(value, dict) and len(json.dumps(value).encode()) <= limit and "\\u0000" not in json.dumps(value)
    return value if fits else {}


def pieces(text: str, most: int) -> list[str]:
    """The text in parts of at most so many characters."""
    return [text[first : first + most] for first in range(0, len(text), most)] or [""]


def fitting(text: str, most_bytes: int) -> list[str]:
    """The same for bytes."""
    return pieces(text, most_bytes if text.isascii() else most_bytes // 4)


def tags_of(values: Any) -> list[str]:
    """Short words, each once."""
    texts = [" ".join(text_of(value).split())[:64] for value in values] if isinstance(values, list) else []
    return list(dict.fromkeys(text for text in texts if text))[:32]
