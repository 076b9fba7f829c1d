"""Splits the output of a process into lines of bounded length; of a longer line the beginning is kept."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TRUNCATED = "longtable/cut"
"""In `_meta` of a result that was truncated here."""

_TAIL = 256
_ID = rb'"id"\s*:\s*([0-9]{1,18}|"[^"\\]{1,64}")'
_ID_AT_START = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_AT_END = re.compile(_ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


@dataclass(frozen=True, slots=True)
class TruncatedLine:
    """The beginning and the end of a line that was too long."""

    head: bytes
    tail: bytes

    @property
    def request_id(self) -> int | str | None:
        """The id of the JSON-RPC message, if it is at one of the ends, where every library writes it."""
        match = _ID_AT_START.match(self.head) or _ID_AT_END.search(self.tail)
        if match is None:
            return None
        text = match[1].decode("utf-8", "replace")
        return text.strip('"') if text.startswith('"') else int(text)


class LineSplitter:
    """Of a line of more than `most` bytes only the first `keep` and the end are kept."""

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
    """The result of a call whose response was too long."""
    text = head.decode("utf-8", "ignore")
    return {
        "content": [{"type": "text", "text": text}],
        "isError": False,
        "resultType": "complete",
        "_meta": {TRUNCATED: True},
    }
