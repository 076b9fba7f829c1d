"""Finds the token that the parser rejected first, by reading the log of a second parse."""

import re
from dataclasses import dataclass, field

from tree_sitter import LogType

from longtable.checkers.source import Source
from longtable.checkers.treesitter.grammars import Grammar, parse

MOST_BYTES = 32 * 1024
"""Logging costs about a second for 100 KB."""

_PROCESS = re.compile(r"process version:\d+, version_count:\d+, state:(\d+), row:(\d+), col:(\d+)")
_LEXED = re.compile(r"lexed_lookahead sym:(.*), size:(\d+)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RejectedToken:
    """`start` and `end` are both at the end of the text when more was expected. `states` are those of the parser."""

    start: int
    end: int
    symbol: str
    states: tuple[int, ...] = ()

    @property
    def at_end(self) -> bool:
        # Lua and Ruby have a keyword that is called like the end of the text.
        return self.symbol == "end" and self.start == self.end


@dataclass(slots=True)
class _ParseLog:
    """The parser follows several versions of the parse, and each fails somewhere: the furthest one counts."""

    position: tuple[int, int] = (0, 0)
    state: int = 0
    lexed_size: int = 0
    furthest: tuple[int, int] = (-1, -1)
    symbol: str = ""
    size: int = 0
    states: list[int] = field(default_factory=list)
    recovering: bool = False

    def __call__(self, kind: LogType, message: str) -> None:
        if self.recovering or (message[0] in "csra" and not message.startswith("re")):
            return
        if message.startswith("process"):
            self._process(message)
        elif message.startswith("lexed"):
            found = _LEXED.match(message)
            self.lexed_size = int(found[2]) if found else 0
        elif message.startswith("detect_error"):
            self._failed(message.partition("lookahead:")[2])
        elif message.startswith("resume"):
            self.recovering = True

    def _process(self, message: str) -> None:
        found = _PROCESS.match(message)
        if found:
            self.state = int(found[1])
            self.position = (int(found[2]), int(found[3]))

    def _failed(self, symbol: str) -> None:
        if self.position < self.furthest:
            return
        if self.position > self.furthest:
            self.states.clear()
        self.furthest, self.symbol, self.size = self.position, symbol, self.lexed_size
        self.states.append(self.state)


def find_rejected(grammar: Grammar, source: Source) -> RejectedToken | None:
    log = _ParseLog()
    grammar.parser.logger = log
    try:
        parse(grammar, source.data)
    finally:
        grammar.parser.logger = None  # type: ignore[assignment]  # None takes the logger off
    if not log.states:
        return None
    before = source.offset(*log.furthest)
    end = min(before + log.size, len(source.data))
    start = end - len(source.data[before:end].lstrip())
    if log.symbol == "end" and start == end:
        start = end = len(source.data)
    return RejectedToken(start, max(end, start), log.symbol, tuple(log.states))
