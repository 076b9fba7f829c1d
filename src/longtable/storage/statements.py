"""Statements with named parameters: which names they use, and the check that keeps a tenant in its scope."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from longtable.storage.database import SYSTEM

# Literals, quoted names, comments and casts are matched first, so that a colon in them is never a parameter.
_TOKEN: Final = re.compile(
    r"""
    '(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | (?P<quote>\$\w*\$).*?(?P=quote) | ::
    | :(?P<name>[A-Za-z_]\w*)
    """,
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A parsed statement: its parameters in the order of their numbers, its text with `$1`, `$2`, ... and with `?1`,
    `?2`, ..., and what stands before, between and after the parameters, whose numbers are in `places`."""

    names: frozenset[str]
    order: tuple[str, ...]
    numbered: str
    positional: str
    parts: tuple[str, ...]
    places: tuple[int, ...]
    only_reads: bool


@lru_cache(maxsize=4096)
def parse(sql: str) -> Statement:
    numbers: dict[str, int] = {}
    parts, places, end = [], [], 0
    for token in _TOKEN.finditer(sql):
        if token["name"] is not None:
            parts.append(sql[end : token.start()])
            places.append(numbers.setdefault(token["name"], len(numbers)))
            end = token.end()
    parts.append(sql[end:])
    only_reads = sql.lstrip()[:6].upper() == "SELECT"
    return Statement(
        frozenset(numbers),
        tuple(numbers),
        _with_numbers(parts, places, "$"),
        _with_numbers(parts, places, "?"),
        tuple(parts),
        tuple(places),
        only_reads,
    )


def _with_numbers(parts: Sequence[str], places: Sequence[int], sign: str) -> str:
    return parts[0] + "".join(f"{sign}{place + 1}{part}" for place, part in zip(places, parts[1:], strict=True))


def bind(scope: str, statement: Statement, parameters: Mapping[str, Any]) -> list[Any]:
    """The values of the statement's parameters in their order, with the scope for `tenant`. Raises RuntimeError: a
    wrong statement is a bug."""
    order, count = statement.order, len(parameters)
    try:
        if scope == SYSTEM:
            if count == len(order):
                return [parameters[name] for name in order]
        elif count + 1 == len(order) and "tenant" in statement.names and "tenant" not in parameters:
            return [scope if name == "tenant" else parameters[name] for name in order]
    except KeyError:
        pass
    raise _wrong(scope, statement, parameters)


def _wrong(scope: str, statement: Statement, parameters: Mapping[str, Any]) -> RuntimeError:
    if scope != SYSTEM:
        if "tenant" in parameters:
            return RuntimeError("In a tenant's scope the transaction itself binds :tenant; do not pass it.")
        if "tenant" not in statement.names:
            return RuntimeError(f"In a tenant's scope every statement mentions :tenant. Not so: {statement.numbered}")
    passed, expected = sorted(parameters), sorted(statement.names)
    return RuntimeError(f"The statement has the parameters {expected} and was given {passed}: {statement.numbered}")
