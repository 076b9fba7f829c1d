"""What operations answer with: typed, immutable, and the source of every output schema."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr


def when_there() -> Any:
    """A field that is left out of the answer when it has nothing to say."""
    return Field(default=None, exclude_if=lambda value: value is None)


class Value(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Result(Value):
    """A whole result. `replayed` marks one that an idempotency key brought back."""

    _replayed: bool = PrivateAttr(default=False)

    @property
    def replayed(self) -> bool:
        return self._replayed

    def as_replay(self) -> None:
        self._replayed = True
