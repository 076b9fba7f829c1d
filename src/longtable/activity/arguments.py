"""What the tools that read the log take."""

from typing import Annotated

from pydantic import Field

from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.durations import Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments


class ReadEvents(MaxChars):
    after: int = Field(default=0, ge=0, le=2**62, description="next_after of the last call.")
    kinds: list[str] | None = Field(default=None, max_length=MAX_ITEMS, description="Only these, e.g. scratchpad/*.")
    limit: int = Field(default=100, ge=1, le=1000, description="Most events.")
    wait_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(
        default=0, description="Wait for news; at most 50 seconds."
    )


class ListActivity(Arguments):
    limit: int = Field(default=100, ge=1, le=500)
    before: int | None = Field(
        default=None, ge=1, le=2**62, description="next_before of the page before; without it, the newest."
    )
