"""Checks that XML is well-formed, with expat: no entity is ever loaded from elsewhere."""

from contextlib import suppress
from dataclasses import replace
from typing import Any
from xml.parsers import expat

from longtable.checkers.findings import Finding, Position, Report
from longtable.checkers.positions import Lines, encodable, without_mark

CHECKER = "expat"
_NO_ELEMENT, _MISMATCH, _OPEN_CDATA, _BOMB = 3, 7, 20, 43
"""Codes of expat; the module has names only for some of them."""
_OF_NAMESPACES = (27, 28, 38, 39, 40)
"""XML without them is well-formed by itself, and there are programs that read it so: a warning is enough."""


def check(text: str) -> Report:
    plain = encodable(without_mark(text))
    report = Report(checker=CHECKER)
    try:
        _parse(plain, None)
        _parse(plain, None, namespaces=True)
    except expat.ExpatError as error:
        if error.code in _OF_NAMESPACES:
            report.warnings.append(replace(_finding(error, plain), code="STRUCTURE"))
        else:
            report.errors.append(_finding(error, plain))
    return report


class _Elements:
    """The elements that are open, with their lines."""

    def __init__(self) -> None:
        self.open: list[tuple[str, int]] = []
        self.parser: Any = None

    def starts(self, name: str, attributes: dict[str, str]) -> None:
        self.open.append((name, self.parser.CurrentLineNumber))

    def ends(self, name: str) -> None:
        self.open.pop()


def _parse(text: str, elements: _Elements | None, *, namespaces: bool = False) -> None:
    # The text is decoded already, whatever encoding its declaration names.
    parser = expat.ParserCreate("utf-8", " " if namespaces else None)
    if elements is not None:
        elements.parser = parser
        parser.StartElementHandler = elements.starts
        parser.EndElementHandler = elements.ends
    parser.Parse(text.encode(), True)


def _finding(error: expat.ExpatError, text: str) -> Finding:
    elements = _Elements()
    with suppress(expat.ExpatError):
        _parse(text, elements)
    reason = expat.ErrorString(error.code) or "not well-formed"
    message = f"{reason[:1].upper()}{reason[1:]}"
    if error.code == _BOMB:
        message = "The entities stand for far more text than is written here; refused"
    elif elements.open and error.code in (_MISMATCH, _NO_ELEMENT):
        name, line = elements.open[-1]
        message = f"{message}: <{name}> of line {line} is not closed"
    line, column = _position(error, text)
    return Finding(message, line=line, column=column)


def _position(error: expat.ExpatError, text: str) -> Position:
    """Where the fault starts; expat sees some only at the end of the text."""
    if error.code == _OPEN_CDATA:
        return Lines(text).position(max(text.rfind("<![CDATA["), 0))
    end = Lines(text).position(len(text.rstrip()))
    return min((error.lineno, error.offset + 1), end)
