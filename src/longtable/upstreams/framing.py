"""Lines of JSON-RPC from a process, never more of one than fits; of an answer that is too long, the beginning."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TRUNCATED = "longtable/cut"
"""In `_meta` of an answer that we put together from the beginning of one that was too long."""

_TAIL = 256
_ID = rb'"id"\s*:\s*([0-9]{1,18}|"[^"\\]{1,64}")'
_ID_AT_START = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_AT_END = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


@dataclass(frozen=True, slots=True)
class TruncatedLine:
    """A line that was not kept whole."""

    head: bytes
    tail: bytes

    @property
    def request_id(self) -> int | str | None:
        """Which request it answers, where that stands at one of its ends, as every library writes it."""
        match = _ID_AT_START.match(self.head) or _ID_AT_END.search(self.tail)
        if match is None:
            return None
        text = match[1].decode("utf-8", "replace")
        return text.strip('"') if text.startswith('"') else int(text)


class LineSplitter:
    """Splits what comes in. A line of more than `most` bytes is let go but for its first `keep` and its end."""

    def __init__(self, most: int, keep: int) -> None:
        self._most = most
        self._keep = keep
        self._kept = bytearray()
        self._tail = b""
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | TruncatedLine]:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._take(chunk[start:end])
            yield self._finish()
            start = end + 1
        self._take(chunk[start:])

    def _take(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size <= self._most:
            self._kept += chunk
            return
        del self._kept[self._keep :]
        self._kept += chunk[: max(self._keep - len(self._kept), 0)]
        self._tail = (self._tail + chunk)[-_TAIL:]

    def _finish(self) -> bytes | TruncatedLine:
        whole = self._size <= self._most
        line: bytes | TruncatedLine = bytes(self._kept) if whole else TruncatedLine(bytes(self._kept), self._tail)
        self._kept, self._tail, self._size = bytearray(), b"", 0
        return line


def truncated_result(head: bytes) -> dict[str, Any]:
    """Stands for the result of a call that was too long to be read."""
    text = head.decode("utf-8", "ignore")
    return {
        "content": [{"type": "text", "text": text}],
        "isError": False,
        "resultType": "complete",
        "_meta": {TRUNCATED: True},
    }
