"""An answer that was cut to `max_chars` leaves out what is empty, and what its items have in common. A program relies
on the fields that the OpenAPI document promises: over REST they come back, empty where nothing of them fits."""

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel

Json = dict[str, Any]

MARKS: Final[Json] = {
    "truncated": {"type": "boolean", "description": "Whether something of it was left out or cut."},
    "read_on": {"type": "object", "description": "The arguments that show all of it.", "additionalProperties": True},
}
"""What any part of an answer may have besides its own fields when it was cut."""


_IN_COMMON: Final = ("session_id", "sender_type", "visibility")
"""Fields that may stand in the answer instead of in each of its items."""


def completed(kind: type[BaseModel], answer: Mapping[str, Any]) -> Json:
    """The answer with every required field of the result and of all its parts."""
    return _with_every_field(kind, answer, {name: answer[name] for name in _IN_COMMON if name in answer})


def _with_every_field(kind: type[BaseModel], fields: Mapping[str, Any], common: Mapping[str, Any]) -> Json:
    whole = dict(fields)
    for own_name, field in kind.model_fields.items():
        name = field.alias or own_name
        if name in whole:
            whole[name] = _whole(field.annotation, whole[name], common)
        elif field.is_required():
            whole[name] = common[name] if name in common else _empty(field.annotation, common)
    return whole


def _whole(annotation: Any, value: Any, common: Mapping[str, Any]) -> Any:
    kind, choices = _kind(annotation)
    if isinstance(value, list):
        return [_whole(choices[0], each, common) for each in value] if kind is list and choices else value
    if not isinstance(value, dict):
        return value
    if kind is dict:
        return {name: _whole(choices[1], each, common) for name, each in value.items()}
    return _with_every_field(kind, value, common) if _is_model(kind) else value


def _empty(annotation: Any, common: Mapping[str, Any]) -> Any:
    if _allows_none(annotation):
        return None
    kind, _ = _kind(annotation)
    return _with_every_field(kind, {}, common) if _is_model(kind) else kind()


def _kind(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type without None, and the types inside of it."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(inside[0])
    if origin in (Union, UnionType):
        return _kind(next(each for each in inside if each is not NoneType))
    return origin or annotation, inside


def _allows_none(annotation: Any) -> bool:
    return annotation is Any or NoneType in get_args(annotation)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
