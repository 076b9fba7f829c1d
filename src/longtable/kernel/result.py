"""What operations answer with: typed, immutable, and the source of every output schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

_set = object.__setattr__


def omitted_if_none() -> Any:
    """A field that is left out of the answer when it has nothing to say."""
    return Field(default=None, exclude_if=lambda value: value is None)


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
        """Out of what our own store answered, with every field in its place. For the parts that come by the hundred:
        there the checks would take longer than the reading. The tests would hear of a field of a wrong type, as the
        answer cannot be written without a warning then."""
        value = cls.__new__(cls)
        _set(value, "__dict__", fields)
        _set(value, "__pydantic_fields_set__", set(fields))
        _set(value, "__pydantic_extra__", None)
        _set(value, "__pydantic_private__", None)
        return value


@dataclass(frozen=True, slots=True)
class Fetched:
    """The newest message, answer (by its moment) and event that a reader has now got; 0 for none."""

    message: int = 0
    answered_at: int = 0
    event: int = 0


class Result(Value):
    """A whole result. One that was written knows its moment; `replayed` marks one that an idempotency key brought
    back, with the moment of the first."""

    # Beside its fields. They are not private attributes, which pydantic makes anew for every result and finds slowly:
    # these are the class's until a result has its own.
    _moment: ClassVar[int | None] = None
    _replayed: ClassVar[bool] = False
    _fetched: ClassVar[Fetched | None] = None
    _object: ClassVar[str | None] = None
    _events: ClassVar[Sequence[Any]] = ()

    @property
    def fetched(self) -> Fetched | None:
        return self._fetched

    def fetches(self, fetched: Fetched) -> None:
        """Says how far this result brings its reader, for the hints about what else waits."""
        _set(self, "_fetched", fetched if fetched != Fetched() else None)

    @property
    def observation(self) -> tuple[str | None, Sequence[Any]]:
        return self._object, self._events

    def observed(self, object: str, events: Sequence[Any] = ()) -> None:
        """Says what was read and which events that makes, for the record that the dispatcher keeps of it."""
        _set(self, "_object", object)
        _set(self, "_events", events)

    @property
    def moment(self) -> int | None:
        return self._moment

    @property
    def replayed(self) -> bool:
        return self._replayed

    def written_at(self, moment: int) -> None:
        _set(self, "_moment", moment)

    def replayed_from(self, moment: int) -> None:
        _set(self, "_moment", moment)
        _set(self, "_replayed", True)
