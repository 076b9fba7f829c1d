"""What operations answer with: typed, immutable, and the source of every output schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr


def when_there() -> Any:
    """A field that is left out of the answer when it has nothing to say."""
    return Field(default=None, exclude_if=lambda value: value is None)


class Value(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The newest message, answer (by its moment) and event that a reader has now got; 0 for none."""

    message: int = 0
    answered_at: int = 0
    event: int = 0


class Result(Value):
    """A whole result. One that was written knows its moment; `replayed` marks one that an idempotency key brought
    back, with the moment of the first."""

    _moment: int | None = PrivateAttr(default=None)
    _replayed: bool = PrivateAttr(default=False)
    _fetched: Fetched = PrivateAttr(default_factory=Fetched)
    _observation: tuple[str | None, Sequence[Any]] = PrivateAttr(default=(None, ()))

    @property
    def fetched(self) -> Fetched:
        return self._fetched

    def fetches(self, fetched: Fetched) -> None:
        """Says how far this result brings its reader, for the hints about what else waits."""
        self._fetched = fetched

    @property
    def observation(self) -> tuple[str | None, Sequence[Any]]:
        return self._observation

    def observed(self, object: str, events: Sequence[Any] = ()) -> None:
        """Says what was read and which events that makes, for the record that the dispatcher keeps of it."""
        self._observation = (object, events)

    @property
    def moment(self) -> int | None:
        return self._moment

    @property
    def replayed(self) -> bool:
        return self._replayed

    def written_at(self, moment: int) -> None:
        self._moment = moment

    def replayed_from(self, moment: int) -> None:
        self._moment = moment
        self._replayed = True
