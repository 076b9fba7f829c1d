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
    """A parsed statement: its parameters in the order of their numbers, and its text with `$1`, `$2`, ..."""

    names: frozenset[str]
    order: tuple[str, ...]
    numbered: str


@lru_cache(maxsize=4096)
def parse(sql: str) -> Statement:
    numbers: dict[str, int] = {}

    def number(token: re.Match[str]) -> str:
        name = token["name"]
        return token[0] if name is None else f"${numbers.setdefault(name, len(numbers) + 1)}"

    numbered = _TOKEN.sub(number, sql)
    return Statement(frozenset(numbers), tuple(numbers), numbered)


def bind(scope: str, statement: Statement, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The statement's parameters with `tenant` among them. Raises RuntimeError: a wrong statement is a bug."""
    if scope != SYSTEM:
        parameters = _with_tenant(scope, statement, parameters)
    if parameters.keys() != statement.names:
        passed, expected = sorted(parameters), sorted(statement.names)
        raise RuntimeError(f"The statement has the parameters {expected} and was given {passed}: {statement.numbered}")
    return parameters


def _with_tenant(scope: str, statement: Statement, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    if "tenant" in parameters:
        raise RuntimeError("In a tenant's scope the transaction itself binds :tenant; do not pass it.")
    if "tenant" not in statement.names:
        raise RuntimeError(f"In a tenant's scope every statement mentions :tenant. Not so: {statement.numbered}")
    return {**parameters, "tenant": scope}
