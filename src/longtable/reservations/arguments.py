"""What the tools about reservations take."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from longtable.kernel.content import Text
from longtable.reservations.model import MAX_REASON, MAX_SECONDS, Mode
from longtable.reservations.paths import MAX_PATH, normalised
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.durations import Seconds
from longtable.toolkit.tool import MAX_ITEMS, WriteArguments

FilePath = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_PATH), AfterValidator(normalised)]
Reason = Annotated[Text, StringConstraints(max_length=MAX_REASON)]


class Reserve(WriteArguments):
    paths: list[FilePath] = Field(
        min_length=1, max_length=MAX_ITEMS, description="src/app.py, src/**, docs/*.md; a folder means all in it."
    )
    mode: Mode = Field(default="exclusive", description="shared: beside others who share.")
    ttl: Annotated[int, Seconds(1, MAX_SECONDS)] = Field(default=3600, description="In seconds, or 15m; at most 24h.")
    reason: Reason | None = Field(default=None, description="What for.")


class Release(WriteArguments, MaxChars):
    unlisted = frozenset({"agent", "force"})

    paths: list[FilePath] | None = Field(
        default=None, min_length=1, max_length=MAX_ITEMS, description="Default: all of yours."
    )
    agent: Text | None = Field(default=None, description="Whose, with force.")
    force: bool = Field(default=False, description="Another's; for orchestrators.")


class ListReservations(MaxChars):
    paths: list[FilePath] | None = Field(
        default=None, min_length=1, max_length=MAX_ITEMS, description="Only what overlaps these."
    )
    cursor: str | None = Field(default=None, description="From next_cursor.")
