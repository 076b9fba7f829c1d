"""JMESPath expressions `{{ ... }}` inside values: which variables they reference, and how they are rendered."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions

from longtable.kernel.errors import InvalidArgument

ANYTHING = "@"
"""Stands for all variables."""

_REFERENCE = re.compile(r"\{\{\s*(.+?)\s*\}\}", re.DOTALL)
_FIRST_CHILD_ONLY = frozenset({"subexpression", "index_expression", "pipe"})
_PROJECTIONS = frozenset({"projection", "value_projection", "filter_projection", "flatten"})
_ALL_CHILDREN = frozenset(
    {
        "comparator",
        "or_expression",
        "and_expression",
        "not_expression",
        "multi_select_list",
        "multi_select_dict",
        "key_val_pair",
        "function_expression",
    }
)
_NO_REFERENCE = frozenset({"literal", "index", "slice", "expref"})


def expressions(value: Any) -> Iterator[str]:
    """Every expression inside a value."""
    if isinstance(value, str):
        yield from _REFERENCE.findall(value)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from expressions(each)
    elif isinstance(value, list):
        for each in value:
            yield from expressions(each)


def problem_with(expression: str) -> str | None:
    """Why it is no valid expression, or None."""
    try:
        parsed = jmespath.compile(expression).parsed
    except (JMESPathError, RecursionError):
        return "is not a JMESPath expression"
    unknown = sorted(_functions(parsed) - set(Functions.FUNCTION_TABLE))
    return f"calls {unknown[0]}(), which JMESPath does not have" if unknown else None


def referenced_names(value: Any) -> frozenset[str]:
    """The variables that the expressions in a value can read."""
    return frozenset(name for text in expressions(value) for name in _roots(jmespath.compile(text).parsed))


def render(value: Any, variables: Mapping[str, Any]) -> Any:
    """Replaces every expression by its value: unchanged where it stands alone, as text inside a text. Raises
    InvalidArgument when it cannot be evaluated, such as the length of a number."""
    if isinstance(value, str):
        found = list(_REFERENCE.finditer(value))
        if len(found) == 1 and found[0][0] == value.strip():
            return _search(found[0][1], variables)
        return _REFERENCE.sub(lambda match: _as_text(_search(match[1], variables)), value)
    if isinstance(value, Mapping):
        return {name: render(each, variables) for name, each in value.items()}
    if isinstance(value, list):
        return [render(each, variables) for each in value]
    return value


def _search(expression: str, variables: Mapping[str, Any]) -> Any:
    try:
        return jmespath.search(expression, variables)
    except (JMESPathError, RecursionError, TypeError, ValueError):
        raise InvalidArgument(f"{{{{ {expression[:80]} }}}} cannot be worked out with what is known here.") from None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _roots(node: Mapping[str, Any]) -> Iterator[str]:
    """A part that is applied to the result of another reads no further variables."""
    kind, children = node["type"], node["children"]
    if kind == "field":
        yield node["value"]
    elif kind in _FIRST_CHILD_ONLY or kind in _PROJECTIONS:
        yield from _roots(children[0])
    elif kind in _ALL_CHILDREN:
        for child in children:
            yield from _roots(child)
    elif kind not in _NO_REFERENCE:
        yield ANYTHING


def _functions(node: Any) -> set[str]:
    if not isinstance(node, Mapping):
        return set()
    own = {node["value"]} if node["type"] == "function_expression" else set()
    return own.union(*(_functions(child) for child in node["children"]))
