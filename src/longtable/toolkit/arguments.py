"""Raw arguments to typed ones, with every fault named by its path."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from pydantic import ValidationError

from longtable.kernel.errors import InvalidArgument
from longtable.toolkit.argument_errors import MAX_REPORTED, invalid, invalid_arguments, unknown_name
from longtable.toolkit.tool import Arguments

A = TypeVar("A", bound=Arguments)


def parse_arguments(model: type[A], raw: Mapping[str, Any]) -> A:
    """Raises InvalidArgument with `details.errors`: a list of path and message. A text is no number here. Raises
    CapacityLimitReached for a list or an object of too many items."""
    if len(raw) > len(_names(model)) + MAX_REPORTED:
        raise _unknown(model, raw)
    try:
        return model.model_validate(dict(raw), strict=True)
    except ValidationError as error:
        raise invalid_arguments(error, model) from None


@lru_cache(maxsize=1_000)
def _names(model: type[Arguments]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _unknown(model: type[Arguments], raw: Mapping[str, Any]) -> InvalidArgument:
    """Found without a look at the values: there may be a hundred thousand."""
    known = _names(model)
    names = islice((name for name in raw if name not in known), MAX_REPORTED)
    return invalid({name[:100]: unknown_name(name[:100], known) for name in names})
