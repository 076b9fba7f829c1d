"""Statements with named parameters: which names they use, and the check that keeps a tenant in its scope."""

import re
from collections.abc import Mapping
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
    """A parsed statement: its parameters in the order of their numbers, its text with `$1`, `$2`, ..., and what stands
    before, between and after the parameters, whose numbers are in `places`."""

    names: frozenset[str]
    order: tuple[str, ...]
    numbered: str
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
    numbered = parts[0] + "".join(f"${place + 1}{part}" for place, part in zip(places, parts[1:], strict=True))
    only_reads = sql.lstrip()[:6].upper() == "SELECT"
    return Statement(frozenset(numbers), tuple(numbers), numbered, tuple(parts), tuple(places), only_reads)


def bind(scope: str, statement: Statement, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statement's parameters with `tenant` among them. Raises RuntimeError: a wrong statement is a bug."""
    if scope != SYSTEM:
        if "tenant" in parameters:
            raise RuntimeError("In a tenant's scope the transaction itself binds :tenant; do not pass it.")
        if "tenant" not in statement.names:
            raise RuntimeError(f"In a tenant's scope every statement mentions :tenant. Not so: {statement.numbered}")
        parameters = {**parameters, "tenant": scope}
    if parameters.keys() != statement.names:
        passed, expected = sorted(parameters), sorted(statement.names)
        raise RuntimeError(f"The statement has the parameters {expected} and was given {passed}: {statement.numbered}")
    return parameters
