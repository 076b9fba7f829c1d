"""A text as the parser sees it, in bytes, and the way back to lines and columns."""

import bisect
import functools

from longtable.checkers.findings import Finding, Position

_LONGEST = 40


class Source:
    """Offsets are bytes; places are lines and columns from 1, columns in characters."""

    def __init__(self, text: str) -> None:
        # Half a surrogate pair has no UTF-8; a mark of the same kind keeps the columns right.
        self.text = text
        self.data = text.encode("utf-8", "replace")

    @functools.cached_property
    def starts(self) -> list[int]:
        starts, at = [0], self.data.find(b"\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.data.find(b"\n", at + 1)
        return starts

    def row(self, offset: int) -> int:
        """Counted from 0."""
        return bisect.bisect_right(self.starts, offset) - 1

    def offset(self, row: int, column: int) -> int:
        return min(self.starts[min(row, len(self.starts) - 1)] + column, len(self.data))

    def position(self, offset: int) -> Position:
        row = self.row(offset)
        return row + 1, len(self.data[self.starts[row] : offset].decode("utf-8", "ignore")) + 1

    def line(self, row: int) -> str:
        """Empty beyond the ends."""
        if not 0 <= row < len(self.starts):
            return ""
        end = self.starts[row + 1] if row + 1 < len(self.starts) else len(self.data)
        return self.data[self.starts[row] : end].decode("utf-8", "replace").rstrip("\r\n")

    def cut(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def finding(self, message: str, start: int, end: int | None = None) -> Finding:
        line, column = self.position(start)
        if end is None or end <= start:
            return Finding(message, line=line, column=column)
        end_line, end_column = self.position(end)
        return Finding(message, line=line, column=column, end_line=end_line, end_column=end_column)

    def last(self) -> int:
        """The end of the last line that says something."""
        return len(self.data.rstrip())


def shown(token: str) -> str:
    """A token in quotes, on one line, and not too long."""
    line = token.split("\n", 1)[0].strip()
    return f"'{line[:_LONGEST]}...'" if len(line) > _LONGEST else f"'{line}'"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
