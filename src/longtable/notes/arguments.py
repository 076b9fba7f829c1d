"""What the note tools take."""

from typing import Annotated

from pydantic import Field, StringConstraints

from longtable.kernel.content import Text
from longtable.kernel.page import Order
from longtable.notes.ports import Mode
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

Tag = Annotated[Text, StringConstraints(min_length=1)]


class AddNote(WriteArguments):
    content: Annotated[Text, StringConstraints(min_length=1)] = Field(description="The finding, at most 64 KiB.")
    tags: list[Tag] = Field(default_factory=list, max_length=MAX_ITEMS, description="Up to 32 words.")
    source: Text | None = Field(default=None, description="Its origin.")
    supersedes: str | None = Field(default=None, description="Id of the note it replaces.")


class ReadNotes(MaxChars):
    unlisted = frozenset({"tag", "before", "after"})
    query: Text | None = Field(default=None, description='Words; "a phrase".')
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description="With any of these.")
    tag: Tag | None = Field(default=None, description="One more tag.")
    author: Text | None = Field(default=None, description="Of this agent.")
    mode: Mode = Field(default="keyword", description="How to match.")
    order: Order | None = Field(default=None, description="Default: newest.")
    limit: int = Field(default=50, ge=1, le=500, description="Most notes.")
    cursor: str | None = Field(default=None, description="older or next_cursor.")
    before: str | None = Field(default=None, description="Id of a note: the page that ends before it.")
    after: str | None = Field(default=None, description="Id of a note: the page that begins after it.")

    @property
    def all_tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(self.tags or ()), *([self.tag] if self.tag else ())]))


class CountNoteTags(Arguments):
    """Nothing but the session."""
