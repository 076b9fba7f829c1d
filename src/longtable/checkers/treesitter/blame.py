"""Finds the token at which the parser gave up for the first time, by listening to a second parse."""

import re
from dataclasses import dataclass, field

from tree_sitter import LogType

from longtable.checkers.source import Source
from longtable.checkers.treesitter.grammars import Grammar, parse

MOST_BYTES = 32 * 1024
"""Listening costs about a second for 100 KB."""

_PROCESS = re.compile(r"process version:\d+, version_count:\d+, state:(\d+), row:(\d+), col:(\d+)")
_LEXED = re.compile(r"lexed_lookahead sym:(.*), size:(\d+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Blame:
    """`start` and `end` of the token that did not fit; both at the end of the text when more was expected."""

    start: int
    end: int
    before: int
    symbol: str
    missing: str | None = None
    states: tuple[int, ...] = ()

    @property
    def at_end(self) -> bool:
        # Lua and Ruby have a word that is called like the end of the text.
        return self.symbol == "end" and self.start == self.end


@dataclass(slots=True)
class _Ear:
    """Every version of the parse dies somewhere; the one that came furthest is the one to believe."""

    at: tuple[int, int] = (0, 0)
    state: int = 0
    lexed: tuple[str, int] = ("", 0)
    furthest: tuple[int, int] = (-1, -1)
    symbol: str = ""
    size: int = 0
    states: list[int] = field(default_factory=list)
    missing: str | None = None
    resumed: bool = False
    done: bool = False

    def __call__(self, kind: LogType, message: str) -> None:
        if self.done or (message[0] in "csra" and not message.startswith("re")):
            return
        if self.resumed:
            self._after(message)
        elif message.startswith("process"):
            self._process(message)
        elif message.startswith("lexed"):
            found = _LEXED.match(message)
            self.lexed = (found[1], int(found[2])) if found else ("", 0)
        elif message.startswith("detect_error"):
            self._died(message.partition("lookahead:")[2])
        elif message.startswith("resume"):
            self.resumed = True

    def _process(self, message: str) -> None:
        found = _PROCESS.match(message)
        if found:
            self.state = int(found[1])
            self.at = (int(found[2]), int(found[3]))

    def _died(self, symbol: str) -> None:
        if self.at < self.furthest:
            return
        if self.at > self.furthest:
            self.states.clear()
        self.furthest, self.symbol = self.at, symbol
        self.size = self.lexed[1]
        self.states.append(self.state)

    def _after(self, message: str) -> None:
        if message.startswith("recover_with_missing"):
            self.missing = message.partition("symbol:")[2].rpartition(", state:")[0]
        self.done = True


def find_blame(grammar: Grammar, source: Source) -> Blame | None:
    ear = _Ear()
    grammar.parser.logger = ear
    try:
        parse(grammar, source.data)
    finally:
        grammar.parser.logger = None  # type: ignore[assignment]  # None takes the logger off
    if not ear.states:
        return None
    before = source.offset(*ear.furthest)
    end = min(before + ear.size, len(source.data))
    token = source.data[before:end]
    start = end - len(token.lstrip())
    if ear.symbol == "end" and start == end:
        start = end = len(source.data)
    return Blame(start, max(end, start), before, ear.symbol, ear.missing, tuple(ear.states))
