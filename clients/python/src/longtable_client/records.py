"""Results: immutable, with the fields of the server's answer as attributes. Fields that only a newer server knows are
left out, so that its answers can be read."""

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, ClassVar, NamedTuple, Self, Union, dataclass_transform, get_args, get_origin, get_type_hints

_Reader = Callable[[Any], Any]


class _Field(NamedTuple):
    name: str
    wire_name: str
    read: _Reader | None
    """None for values that are taken as they are."""

    is_list: bool


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record:
    """A result or a part of one."""

    wire_names: ClassVar[Mapping[str, str]] = {}
    """Of fields that have another name on the wire."""

    def __init__(self, **fields: Any) -> None:
        for name in fields:
            if name not in type(self).__annotations__:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
        vars(self).update(fields)

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """From JSON. A field that is left out has its default."""
        record = cls.__new__(cls)
        values = vars(record)
        for name, wire_name, read, is_list in _FIELDS.get(cls) or _fields(cls):
            if wire_name in body:
                values[name] = body[wire_name] if read is None else read(body[wire_name])
            elif is_list:
                values[name] = []
        return record

    def as_dict(self) -> dict[str, Any]:
        """As JSON, without what was left out."""
        return {self.wire_names.get(name, name): _as_json(value) for name, value in vars(self).items()}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        # Of the names alone: values may be lists.
        return hash((type(self), *vars(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")


def _as_json(value: Any) -> Any:
    if isinstance(value, Record):
        return value.as_dict()
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    return value


_FIELDS: dict[type[Record], list[_Field]] = {}
"""Of the classes that were read before."""


def _fields(record: type[Record]) -> list[_Field]:
    types = get_type_hints(record)
    _FIELDS[record] = [
        _Field(name, record.wire_names.get(name, name), _reader(types[name]), get_origin(types[name]) is list)
        for name in record.__annotations__
    ]
    return _FIELDS[record]


def _reader(kind: Any) -> _Reader | None:
    """How a value of this type is made of JSON: records of objects, also in lists, in objects and where there may be
    none."""
    origin, parts = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Record):
        return kind.of
    if origin in (Union, UnionType):
        return _optional(next(filter(None, map(_reader, parts)), None))
    item = _reader(parts[-1]) if origin in (list, dict) else None
    if item is None:
        return None
    if origin is list:
        return lambda values: [item(value) for value in values]
    return lambda values: {name: item(value) for name, value in values.items()}


def _optional(read: _Reader | None) -> _Reader | None:
    return None if read is None else lambda value: None if value is None else read(value)
