"""How tokens are called in messages."""

import re

from longtable.checkers.treesitter.grammars import Grammar

_WORDS = {
    "identifier": "a name",
    "type_identifier": "a type name",
    "simple_identifier": "a name",
    "constant": "a constant name",
    "number": "a number",
    "string": "a string",
    "_automatic_semicolon": "';'",
    "_semi": "a new line",
    "_newline": "a new line",
    "\n": "a new line",
    "\\n": "a new line",
    "end": "the end",
}
_PLAIN = re.compile(r"[^\w\s]{1,3}|[a-z]{2,12}")
_MOST_EXPECTED = 3


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def called(symbol: str) -> str | None:
    """None for symbols that mean something to the grammar only."""
    if symbol in _WORDS:
        return _WORDS[symbol]
    if "comment" in symbol:
        return None
    return f"'{symbol}'" if _PLAIN.fullmatch(symbol) else None


def expected(grammar: Grammar, states: tuple[int, ...]) -> str:
    """What could have come, such as "',' or ')'"; empty when too much could have."""
    names: set[str] = set()
    for state in states:
        iterator = grammar.language.lookahead_iterator(state)
        for name in iterator.names() if iterator else ():
            word = called(name)
            if word is None and not _is_extra(name):
                return ""
            names.add(word or "")
        if len(names) > _MOST_EXPECTED + 1:
            return ""
    return " or ".join(sorted(names - {""}))


def _is_extra(name: str) -> bool:
    return "comment" in name or name in ("ERROR", "html_comment", "preproc_directive")
