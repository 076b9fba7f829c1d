"""Text that became no token: the scanner of Kotlin takes anything for the end of a statement, up to the end of file."""

from tree_sitter import Node

from longtable.checkers.treesitter.leaves import leaves

_SPACE = b" \t\r\n\v\f;"
_NO_LOSS = (b"", b"!")
"""The first sign of `!is` and `!in` is none of the tokens."""


def first_lost(root: Node, data: bytes, end: int) -> int | None:
    """Where the first such text begins, before `end`."""
    at = 0
    for leaf in leaves(root, end):
        place = _begin(data, at, leaf.start)
        if place is not None:
            return place
        at = max(at, leaf.end)
    return _begin(data, at, end)


def _begin(data: bytes, start: int, end: int) -> int | None:
    piece = data[start:end]
    # Of a character only the quotes are tokens; the question mark of `as T?` at the end of a line may be lost.
    if data[start - 1 : start] == b"'" or piece.strip(_SPACE + b"?") in _NO_LOSS:
        return None
    return end - len(piece.lstrip(_SPACE))
