"""Results of operations: typed, immutable, and the source of every output schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import is_
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json, to_json

_set = object.__setattr__
_KEPT = ("fetched", "valid_until", "moment", "replayed", "is_measured")
_is_none = partial(is_, None)
"""Not a function of Python, which would be called for every field of every part of a page."""


def omitted_if_none() -> Any:
    """A field that is left out of the response when it is None."""
    return Field(default=None, exclude_if=_is_none)


class Value(BaseModel):
    """A part of a result. A field whose name pydantic has taken goes by an alias, in and out."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        serialize_by_alias=True,
        validate_by_alias=True,
        validate_by_name=True,
    )

    @classmethod
    def unchecked(cls, **fields: Any) -> Self:
        """From rows of our own store, with every field set. For parts that come by the hundred, where checks would take
        longer than the read. A field of the wrong type fails the tests: its serialisation warns."""
        value = cls.__new__(cls)
        _set(value, "__dict__", fields)
        _set(value, "__pydantic_fields_set__", set(fields))
        _set(value, "__pydantic_extra__", None)
        _set(value, "__pydantic_private__", None)
        return value


@dataclass(frozen=True, slots=True)
class Fetched:
    """The newest message, answer (by its time) and event that a reader has received; 0 for none."""

    message: int = 0
    answered_at: int = 0
    event: int = 0


class Result(Value):
    """A whole result. One that was written knows its moment; `replayed` marks one that an idempotency key brought
    back, with the moment of the first."""

    # Not private attributes, which pydantic creates for every result and looks up slowly: these belong to the class
    # until a result sets its own.
    moment: ClassVar[int | None] = None
    replayed: ClassVar[bool] = False
    fetched: ClassVar[Fetched | None] = None
    encoded: ClassVar[bytes | None] = None
    """The fields as JSON, where they have been encoded already."""
    valid_until: ClassVar[int | None] = None
    """The moment at which the clock changes this result by itself."""
    parts: ClassVar[Sequence[Any]] = ()
    """The items of a page that others were added to, encoded."""
    is_measured: ClassVar[bool] = False
    """Whether it is as short as its reader wants."""
    _json: ClassVar[dict[str, Any] | None] = None
    _object: ClassVar[str | None] = None
    _events: ClassVar[Sequence[Any]] = ()

    @classmethod
    def of_json(cls, **fields: Any) -> Self:
        """A page of rows of our own store whose parts are JSON already: each has the fields of its model in their
        order, without those that are left out. Tests compare that with what the models make of it."""
        result = cls.unchecked(**fields)
        _set(result, "_json", fields)
        return result

    def json_fields(self) -> dict[str, Any]:
        """The fields as they are sent. Whoever adds to them must not change those that are there."""
        if self._json is not None:
            return self._json.copy()
        fields: dict[str, Any] = self.model_dump(mode="json") if self.encoded is None else from_json(self.encoded)
        return fields

    def only_encoded(self, encoded: bytes | None = None) -> Self:
        """This result in encoded form alone: its own fields, or those in `encoded`. To whoever sends it, it is the
        same."""
        kept = self.unchecked()
        _set(kept, "encoded", to_json(self.json_fields()) if encoded is None else encoded)
        for name in _KEPT:
            _set(kept, name, getattr(self, name))
        return kept

    def holds_until(self, moment: int | None) -> None:
        _set(self, "valid_until", moment)

    def with_parts(self, parts: Sequence[Any], encoded: bytes) -> Self:
        """The same page with these items."""
        kept = self.only_encoded(encoded)
        _set(kept, "parts", parts)
        return kept

    def measured(self) -> None:
        _set(self, "is_measured", True)

    def fetches(self, fetched: Fetched) -> None:
        """Records how far this result brings its reader, for the inbox hints."""
        _set(self, "fetched", fetched if fetched != Fetched() else None)

    @property
    def observation(self) -> tuple[str | None, Sequence[Any]]:
        return self._object, self._events

    def observed(self, object: str, events: Sequence[Any] = ()) -> None:
        """Records what was read and the events of that, for the audit record of the dispatcher."""
        _set(self, "_object", object)
        _set(self, "_events", events)

    def written_at(self, moment: int) -> None:
        _set(self, "moment", moment)

    def replayed_from(self, moment: int) -> None:
        _set(self, "moment", moment)
        _set(self, "replayed", True)


class LimitedResult(Result):
    """A result with texts, which may be cut to the length that its reader wants."""

    truncated: bool | None = omitted_if_none()
    """Whether something was left out or cut."""
