"""What is wrong with the arguments of a call, so that a model can correct it: which argument, and what is allowed."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, LongtableError
from longtable.kernel.suggestions import closest
from longtable.toolkit.allowed_values import Schema, allowed, choices_of, names_of, values_of

MAX_REPORTED = 20
_MAX_LISTED = 1_000
"""Faults of which there is a list at all: pydantic makes the whole of it, whatever part is used."""
_MAX_WORDS = 500
"""Characters of all faults that are reported; the first one always is."""
_MAX_PATH = 200
_COUNTED = ("List", "Dictionary")
_PLAIN_WORDS = {"string_unicode": "must be valid Unicode", "finite_number": "must be a finite number"}
_LENGTHS = frozenset({"too_long", "string_too_long"})
_OWN_WORDS = ("value_error", "unknown_names")


def invalid_arguments(error: ValidationError, model: type[BaseModel]) -> LongtableError:
    """CapacityLimitReached for a list or an object of too many items, else InvalidArgument with `details.errors`: a
    list of path and message."""
    count = error.error_count()
    if count > _MAX_LISTED:
        return InvalidArgument.at("arguments", f"have {count} faults")
    schema = _schema_of(model)
    # A name that is not known explains one that is missing.
    listed = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    faults: dict[str, str] = {}
    for fault in listed:
        path, node = _located(fault["loc"], schema)
        if fault["type"] == "too_long" and fault["ctx"]["field_type"] in _COUNTED:
            return _too_many(path, fault["ctx"])
        # Of a union there is a fault for each branch; all say the same.
        faults.setdefault(path, _message(fault, node, schema))
    return invalid(faults)


def invalid(faults: Mapping[str, str]) -> InvalidArgument:
    """An error that lists faults by their paths, as many as fit into a short answer."""
    reported: list[dict[str, str]] = []
    left = _MAX_WORDS
    for path, message in faults.items():
        left -= len(path) + len(message)
        if reported and (left < 0 or len(reported) >= MAX_REPORTED):
            break
        reported.append({"path": path[:_MAX_PATH], "message": message[:_MAX_WORDS]})
    first = reported[0]
    end = "" if first["message"].endswith("?") else "."
    return InvalidArgument(f"{first['path']}: {first['message']}{end}", errors=reported)


def unknown_name(given: str, names: Sequence[str], owner: str = "an argument of this tool") -> str:
    """Says that there is no such argument, and which there are."""
    meant = closest(given, names)
    question = "" if meant is None else f". Did you mean {meant!r}?"
    return f"is not {owner}; allowed: {', '.join(names) or 'none'}{question}"


def not_one_of(given: Any, node: Schema, root: Schema) -> str:
    meant = closest(given, values_of(node, root))
    return f"must be {allowed(node, root)}" + ("" if meant is None else f". Did you mean {meant!r}?")


@lru_cache(maxsize=500)
def _schema_of(model: type[BaseModel]) -> Schema:
    return model.model_json_schema()


def _too_many(path: str, context: Mapping[str, Any]) -> CapacityLimitReached:
    size, limit = context["actual_length"], context["max_length"]
    return CapacityLimitReached(
        f"{path}: {size} items; at most {limit} are allowed.", field=path, size=size, limit=limit
    )


def _located(location: tuple[int | str, ...], root: Schema) -> tuple[str, Schema]:
    """The path of an argument, and its schema. The name of the branch of a union is ours and no part of the path; a
    name that the schema does not know can only be the last."""
    node, path = root, []
    for place, part in enumerate(location):
        found = child_of(node, part, root)
        node = node if found is None else found
        if found is not None or (place == len(location) - 1 and _is_closed(node, root)):
            path.append(str(part)[:100])
    return ".".join(path) or "arguments", node


def child_of(node: Schema, part: int | str, root: Schema) -> Schema | None:
    """The schema of a field or an item; None if there is none of that name."""
    found = [child for choice in choices_of(node, root) for child in _children(choice, part)]
    if not found:
        return None
    return found[0] if len(found) == 1 else {"anyOf": found}


def _children(choice: Schema, part: int | str) -> list[Schema]:
    if isinstance(part, int):
        items = choice.get("items")
        return [items] if isinstance(items, Mapping) else []
    child = choice.get("properties", {}).get(part)
    if child is None and not part.endswith("]"):
        child = choice.get("additionalProperties")
    return [child] if isinstance(child, Mapping) else []


def _is_closed(node: Schema, root: Schema) -> bool:
    """Whether it is an object without additional fields."""
    return any(choice.get("additionalProperties") is False for choice in choices_of(node, root))


def _message(fault: Any, node: Schema, root: Schema) -> str:
    kind, given = fault["type"], fault.get("input")
    if kind == "extra_forbidden":
        return unknown_name(str(fault["loc"][-1])[:100], names_of(node, root), _owner(fault["loc"]))
    if kind == "missing":
        return f"is required: {allowed(node, root)}"
    if kind in _PLAIN_WORDS:
        return _PLAIN_WORDS[kind]
    if values_of(node, root):
        return not_one_of(given, node, root)
    if kind in _OWN_WORDS:
        return str(fault["msg"]).removeprefix("Value error, ")
    return _not_allowed(kind, given, fault.get("ctx", {}), allowed(node, root))


def _owner(location: tuple[int | str, ...]) -> str:
    return "an argument of this tool" if len(location) == 1 else "a field here"


def _not_allowed(kind: str, given: Any, context: Mapping[str, Any], words: str) -> str:
    if _is_blank(kind, context):
        return "must not be empty" if words == "a text that is not empty" else f"must not be empty: {words}"
    if kind == "string_pattern_mismatch":
        form = allowed({"type": "string", "pattern": context["pattern"]}, {}).removeprefix("a text")
        words = words if form in words else words + form
    if kind in _LENGTHS:
        return f"must be {words}; it has {context.get('actual_length', len(given))}"
    is_text = isinstance(given, str) and words.startswith("a text")
    return f"must be {words}" if is_text else f"must be {words}, not {_kind_of(given)}"


def _is_blank(kind: str, context: Mapping[str, Any]) -> bool:
    """Whether the fault is an empty text, list or object where something is required."""
    if kind in ("too_short", "string_too_short"):
        return context.get("min_length") == 1
    return kind == "string_pattern_mismatch" and context.get("pattern") == r"\S"


def _kind_of(given: Any) -> str:
    if given is None:
        return "null"
    if isinstance(given, bool | int | float):
        return str(given).lower()[:30]
    if isinstance(given, str):
        return "a text"
    return "a list" if isinstance(given, list) else "an object" if isinstance(given, dict) else "this"
