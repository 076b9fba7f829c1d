"""Looks through CSS for what a forgiving parser mends in silence: open comments, strings and brackets, and
declarations that run into each other."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<comment>/\*(?:[^*]|\*(?!/))*+(?P<comment_end>\*/)?)
    |(?P<string>"(?:[^"\\\n\r\f]|\\(?:\r\n|.))*+(?P<double_end>")?|'(?:[^'\\\n\r\f]|\\(?:\r\n|.))*+(?P<single_end>')?)
    |(?P<url>\burl\(\s*+(?!["'\s])(?:[^)\\"'(\s]|\\.)*+\s*+\))
    |(?P<escape>\\.)
    |(?P<mark>[][(){};:])""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_DECLARATION = re.compile(r"\s*([*_]?[A-Za-z-][\w-]*)\s*\Z")
_BARE_NUMBER = re.compile(r"\s*[\d.]+\s*")
_FILTERS = ("filter", "-ms-filter")


@dataclass(frozen=True, slots=True)
class CssFault:
    message: str
    offset: int


@dataclass(slots=True)
class Scan:
    faults: list[CssFault] = field(default_factory=list)
    deepest: int = 0


@dataclass(slots=True)
class _Statement:
    """What stands between two of `{`, `}` and `;`. The colons are those outside of brackets."""

    start: int
    colons: list[int] = field(default_factory=list)


def scan(text: str) -> Scan:
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.result = Scan()
        self.open: list[tuple[str, int]] = []
        self.blocks: list[tuple[int, int]] = []
        self.blank: list[tuple[int, int]] = []
        self.statement = _Statement(0)

    def run(self) -> Scan:
        for match in _TOKEN.finditer(self.text):
            fault = self._literal_fault(match)
            if fault is not None:
                self.result.faults.append(fault)
                return self.result
            if match.group("comment"):
                self.blank.append(match.span())
            elif match.group("mark") and not self._mark(match.group(), match.start()):
                return self.result
        self.result.faults.extend(self._unclosed())
        return self.result

    def _literal_fault(self, match: re.Match[str]) -> CssFault | None:
        if match.group("comment") and not match.group("comment_end"):
            return CssFault("This comment is not closed by */", match.start())
        if match.group("string") and not (match.group("double_end") or match.group("single_end")):
            return CssFault("This string is not closed on its line", match.start())
        return None

    def _mark(self, character: str, offset: int) -> bool:
        """False when the brackets are so wrong that the rest would be misread."""
        if character in "([{":
            if character == "{":
                self._check_prelude(offset)
                self.statement = _Statement(offset + 1)
            self.open.append((character, offset))
            self.result.deepest = max(self.result.deepest, len(self.open))
            return True
        if character in _CLOSERS:
            return self._close(character, offset)
        if self.open and self.open[-1][0] != "{":
            return True
        if character == ":":
            self.statement.colons.append(offset)
        else:
            self._end_statement(offset)
        return True

    def _check_prelude(self, end: int) -> None:
        if _BARE_NUMBER.fullmatch(self.text, self.statement.start, end):
            self.result.faults.append(CssFault("A number is no selector; a '%' may be missing", end))

    def _close(self, character: str, offset: int) -> bool:
        if not self.open:
            self.result.faults.append(CssFault(f"'{character}' closes nothing", offset))
            return False
        opener, start = self.open[-1]
        if opener != _CLOSERS[character]:
            message = f"'{opener}' is not closed before this '{character}'"
            blame = start if opener in "([" else offset
            self.result.faults.append(CssFault(message, blame))
            return False
        if character == "}":
            self._end_statement(offset)
            self.blocks.append((start, offset))
        self.open.pop()
        return True

    def _end_statement(self, end: int) -> None:
        statement, self.statement = self.statement, _Statement(end + 1)
        self.blank, blank = [], self.blank
        if not self.open or not statement.colons:
            return
        first = statement.colons[0]
        name = _DECLARATION.match(self._plain(statement.start, first, blank))
        if name is None or name.group(1).startswith("--") or name.group(1).lower() in _FILTERS:
            return
        if len(statement.colons) > 1:
            message = "A second ':' in one declaration; a ';' may be missing before it"
            self.result.faults.append(CssFault(message, statement.colons[1]))
        elif not self._plain(first + 1, end, blank).strip():
            self.result.faults.append(CssFault(f"The property {name.group(1)} has no value", first))

    def _plain(self, start: int, end: int, blank: list[tuple[int, int]]) -> str:
        """A part of the text without its comments."""
        parts = []
        for comment_start, comment_end in blank:
            if start <= comment_start < end:
                parts.append(self.text[start:comment_start])
                start = comment_end
        return "".join([*parts, self.text[start:end]])

    def _unclosed(self) -> Iterator[CssFault]:
        for character, offset in self.open[-1:]:
            yield CssFault(f"'{character}' is not closed", self._better_blame(offset))

    def _better_blame(self, offset: int) -> int:
        """The missing brace is most likely that of the first block whose '}' is less indented than its start."""
        taken = (start for start, end in sorted(self.blocks) if start > offset and self._steps_back(start, end))
        return next(taken, offset)

    def _steps_back(self, start: int, end: int) -> bool:
        line = self.text.rfind("\n", 0, end) + 1
        return not self.text[line:end].strip() and end - line < self._indent(start)

    def _indent(self, offset: int) -> int:
        line = self.text.rfind("\n", 0, offset) + 1
        return len(self.text[line:offset]) - len(self.text[line:offset].lstrip())
