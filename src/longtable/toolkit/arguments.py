"""Raw arguments to typed ones, with every fault named by its path."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from longtable.kernel.errors import InvalidArgument
from longtable.toolkit.tool import Arguments

A = TypeVar("A", bound=Arguments)

_MAX_REPORTED = 20
_PLAIN_WORDS = {"extra_forbidden": "is not an argument of this tool", "missing": "is required"}


def parse_arguments(model: type[A], raw: Mapping[str, Any]) -> A:
    """Raises InvalidArgument with `details.errors`: a list of path and message. A text is no number here."""
    try:
        return model.model_validate(dict(raw), strict=True)
    except ValidationError as error:
        raise _translated(error, model) from None


def _translated(error: ValidationError, model: type[Arguments]) -> InvalidArgument:
    faults = [
        {"path": _path(fault["loc"]), "message": _message(fault, model)}
        for fault in error.errors(include_url=False, include_input=False)[:_MAX_REPORTED]
    ]
    first = faults[0]
    return InvalidArgument(f"{first['path']}: {first['message']}.", errors=faults)


def _path(location: tuple[int | str, ...]) -> str:
    # The name of the branch of a union is ours, not the caller's.
    parts = [str(part) for part in location if not (isinstance(part, str) and ("[" in part or "-" in part))]
    return ".".join(parts) or "arguments"


def _message(fault: Any, model: type[Arguments]) -> str:
    kind = fault["type"]
    if kind == "extra_forbidden" and len(fault["loc"]) == 1:
        names = [field.alias or name for name, field in model.model_fields.items()]
        return f"{_PLAIN_WORDS[kind]}; allowed: {', '.join(names) or 'none'}"
    if _is_blank(kind, fault.get("ctx", {})):
        return "must not be empty"
    message = _PLAIN_WORDS.get(kind, fault["msg"])
    return str(message).removeprefix("Value error, ")


def _is_blank(kind: str, context: Mapping[str, Any]) -> bool:
    """A text of which there must be something; of a list pydantic says so well enough itself."""
    if kind == "too_short":
        return context.get("field_type") == "Value" and context.get("min_length") == 1
    return kind == "string_pattern_mismatch" and context.get("pattern") == r"\S"
