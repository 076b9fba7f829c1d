"""What a JSON Schema allows, in words."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_LARGEST = 2**53
"""A bound beyond it only keeps numbers within the types of a store."""

_PATTERNS = {
    r"\S": "with more than blanks",
    r"^\S+$": "without blanks",
    "^[0-9]{1,10}[smhd]?$": "such as 90s, 15m, 24h, 7d",
}
_PLURALS = {"string": "texts", "integer": "integers", "number": "numbers", "object": "objects", "array": "lists"}
_RULES = ("multipleOf", "exclusiveMinimum", "exclusiveMaximum", "format", "minItems", "maxItems", "uniqueItems")
"""Those that are shown as they are."""
_MOST_ITEMS = 1_000
"""What our own lists are limited to where nothing else is said."""
_LONGEST_VALUE = 60
_MOST_CHOICES = 40
_DEEPEST = 8
"""A schema of somebody else may refer to itself."""


def choices_of(node: Any, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """The schemas of which a value has to satisfy one, apart from null."""
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return
    inner = _inner(node, root)
    for choice in inner:
        yield from choices_of(choice, root, depth + 1)
    if not inner and node.get("type") != "null":
        yield node


def _inner(node: Schema, root: Schema) -> Sequence[Any]:
    if "$ref" in node:
        return [referred(node["$ref"], root)]
    kinds = node.get("type")
    if isinstance(kinds, list):
        return [{**node, "type": kind} for kind in kinds]
    return node.get("anyOf") or node.get("oneOf") or []


def referred(reference: Any, root: Schema) -> Any:
    """The schema that a reference within this schema leads to; None for any other reference."""
    found: Any = root
    for part in str(reference).removeprefix("#/").split("/"):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def allowed(node: Schema, root: Schema) -> str:
    """Such as `an integer of 1 to 500`."""
    words = dict.fromkeys(_one(choice, root) for choice in choices_of(node, root))
    return ", or ".join(words) or "null"


def names_of(node: Schema, root: Schema) -> list[str]:
    """Of the fields that an object may have, as far as they are known."""
    return [name for choice in choices_of(node, root) for name in choice.get("properties", ())]


def values_of(node: Schema, root: Schema) -> list[str]:
    """The texts of which one must be given; none if any may be."""
    return [value for choice in choices_of(node, root) for value in _values(choice)]


def _values(choice: Schema) -> list[str]:
    given = choice.get("enum") or ([choice["const"]] if "const" in choice else [])
    return [value if isinstance(value, str) else _json(value) for value in given]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_LONGEST_VALUE]


def _one(choice: Schema, root: Schema) -> str:
    values = _values(choice)
    if values:
        return _listed("one of ", values)
    kind = choice.get("type")
    if not isinstance(kind, str):
        return "any JSON value"
    render = _WORDS.get(kind)
    words = f"of the type {kind}" if render is None else render(choice, root)
    rules = [f"{name} {_json(choice[name])}" for name in _RULES if choice.get(name) not in (None, _MOST_ITEMS)]
    return f"{words} ({', '.join(rules)})" if rules else words


def _text(choice: Schema, root: Schema) -> str:
    least, most, pattern = choice.get("minLength"), choice.get("maxLength"), choice.get("pattern")
    size = _between(least, most, " characters") if most is not None else " that is not empty" if least == 1 else ""
    form = "" if pattern is None else " " + _PATTERNS.get(pattern, f"in the form {pattern}")
    return f"a text{size}{form}"


def _number(choice: Schema, root: Schema) -> str:
    word = "an integer" if choice["type"] == "integer" else "a number"
    least, most = choice.get("minimum"), choice.get("maximum")
    return word + _between(least, None if most is not None and most >= _LARGEST else most, "")


def _list(choice: Schema, root: Schema) -> str:
    items = next(choices_of(choice.get("items"), root), {})
    if values := _values(items):
        return _listed("a list out of ", values)
    word = _PLURALS.get(str(items.get("type")), "values")
    return f"a list of {word}{_fields(items)}"


def _object(choice: Schema, root: Schema) -> str:
    return f"an object{_fields(choice)}"


def _fields(choice: Schema) -> str:
    required = [str(name) for name in choice.get("required", ())]
    others = [name for name in choice.get("properties", ()) if name not in required]
    return _listed(" with ", required) + _listed(" and optional " if required else " with optional ", others)


def _listed(before: str, names: list[str]) -> str:
    more = ", …" if len(names) > _MOST_CHOICES else ""
    return before + ", ".join(names[:_MOST_CHOICES]) + more if names else ""


def _between(least: Any, most: Any, unit: str) -> str:
    if most is None:
        return "" if least is None else f" of at least {least}{unit}"
    return f" of at most {most}{unit}" if least is None else f" of {least} to {most}{unit}"


_WORDS: Mapping[str, Callable[[Schema, Schema], str]] = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "array": _list,
    "object": _object,
    "boolean": lambda _choice, _root: "true or false",
}
