"""Turns offsets of a text into lines and columns."""

import re
from bisect import bisect_right

from longtable.checkers.findings import Position

_LINE_END = re.compile(r"\r\n|\n|\r")
BYTE_ORDER_MARK = "\ufeff"


class Lines:
    """The line starts of one text, computed for the first position."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []

    def position(self, offset: int) -> Position:
        if not self._starts:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self._text))]
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def without_mark(text: str) -> str:
    """A byte order mark says how bytes are ordered and is no part of the text."""
    return text.removeprefix(BYTE_ORDER_MARK)


def encodable(text: str) -> str:
    """The same text with a replacement character for each half of a surrogate pair, which no encoding can carry."""
    return text.encode("utf-8", "replace").decode() if not _is_encodable(text) else text


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
