"""Raw arguments to typed ones, with every fault named by its path."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from pydantic import ValidationError

from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, LongtableError
from longtable.toolkit.tool import Arguments

A = TypeVar("A", bound=Arguments)

_MAX_REPORTED = 20
_MAX_LISTED = 1_000
"""Faults of which there is a list at all: pydantic makes the whole of it, whatever part is used."""
_PLAIN_WORDS = {"extra_forbidden": "is not an argument of this tool", "missing": "is required"}
_COUNTED = ("List", "Dictionary")


def parse_arguments(model: type[A], raw: Mapping[str, Any]) -> A:
    """Raises InvalidArgument with `details.errors`: a list of path and message. A text is no number here. Raises
    CapacityLimitReached for a list or an object of too many items."""
    if len(raw) > len(_names(model)) + _MAX_REPORTED:
        raise _unknown(model, raw)
    try:
        return model.model_validate(dict(raw), strict=True)
    except ValidationError as error:
        raise _translated(error, model) from None


@lru_cache(maxsize=1_000)
def _names(model: type[Arguments]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _unknown(model: type[Arguments], raw: Mapping[str, Any]) -> InvalidArgument:
    """Found without a look at the values: there may be a hundred thousand."""
    known = frozenset(_names(model))
    names = islice((name for name in raw if name not in known), _MAX_REPORTED)
    message = _not_an_argument(model)
    faults = [{"path": name[:100], "message": message} for name in names]
    return InvalidArgument(f"{faults[0]['path']}: {message}.", errors=faults)


def _translated(error: ValidationError, model: type[Arguments]) -> LongtableError:
    count = error.error_count()
    if count > _MAX_LISTED:
        return InvalidArgument.at("arguments", f"have {count} faults")
    listed = error.errors(include_url=False, include_input=False)
    for fault in listed:
        if fault["type"] == "too_long" and fault["ctx"]["field_type"] in _COUNTED:
            return _too_many(fault)
    faults = [{"path": _path(fault["loc"]), "message": _message(fault, model)} for fault in listed[:_MAX_REPORTED]]
    first = faults[0]
    return InvalidArgument(f"{first['path']}: {first['message']}.", errors=faults)


def _too_many(fault: Any) -> CapacityLimitReached:
    path, size, limit = _path(fault["loc"]), fault["ctx"]["actual_length"], fault["ctx"]["max_length"]
    return CapacityLimitReached(
        f"{path}: {size} items; at most {limit} are allowed.", field=path, size=size, limit=limit
    )


def _path(location: tuple[int | str, ...]) -> str:
    # The name of the branch of a union is ours, not the caller's.
    parts = [str(part)[:100] for part in location if not (isinstance(part, str) and ("[" in part or "-" in part))]
    return ".".join(parts) or "arguments"


def _message(fault: Any, model: type[Arguments]) -> str:
    kind = fault["type"]
    if kind == "extra_forbidden" and len(fault["loc"]) == 1:
        return _not_an_argument(model)
    if _is_blank(kind, fault.get("ctx", {})):
        return "must not be empty"
    message = _PLAIN_WORDS.get(kind, fault["msg"])
    return str(message).removeprefix("Value error, ")


def _not_an_argument(model: type[Arguments]) -> str:
    return f"{_PLAIN_WORDS['extra_forbidden']}; allowed: {', '.join(_names(model)) or 'none'}"


def _is_blank(kind: str, context: Mapping[str, Any]) -> bool:
    """A text of which there must be something; of a list pydantic says so well enough itself."""
    if kind == "too_short":
        return context.get("field_type") == "Value" and context.get("min_length") == 1
    return kind == "string_pattern_mismatch" and context.get("pattern") == r"\S"
