"""What the tools about holds take, and what others take to be held."""

from typing import Annotated

from pydantic import Field

from longtable.holds.model import MAX_SECONDS
from longtable.kernel.content import Text
from longtable.toolkit.durations import Seconds
from longtable.toolkit.tool import Arguments, WriteArguments

HoldSeconds = Annotated[
    int,
    Seconds(0, MAX_SECONDS),
    Field(description="For people: seconds in which it can be undone, and reaches nobody."),
]


class ListHolds(Arguments):
    """Nothing to choose."""


class UndoHold(WriteArguments):
    hold_id: Text
