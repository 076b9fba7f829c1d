"""What the note tools take."""

from typing import Annotated

from pydantic import Field, StringConstraints

from longtable.kernel.content import Text
from longtable.notes.model import Order
from longtable.notes.ports import Mode
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

Tag = Annotated[Text, StringConstraints(min_length=1)]


class AddNote(WriteArguments):
    content: Annotated[Text, StringConstraints(min_length=1)] = Field(
        description="The finding itself: a fact, a URL, a snippet. At most 64 KiB."
    )
    tags: list[Tag] = Field(default_factory=list, max_length=MAX_ITEMS, description="Up to 32 words to find it by.")
    source: Text | None = Field(default=None, description="Where it comes from: a URL or words.")
    supersedes: str | None = Field(default=None, description="The id of an earlier note that this one replaces.")


class ReadNotes(Arguments):
    query: Text | None = Field(default=None, description='Words to look for; "a phrase" in quotes.')
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description="Notes with any of these tags.")
    tag: Tag | None = Field(default=None, description="One tag; added to tags.")
    author: Text | None = Field(default=None, description="Notes by this agent.")
    mode: Mode = Field(default="keyword", description="How the query is meant: by words, by meaning, or both.")
    order: Order = Field(default="oldest", description="Which come first; with a query, the best do.")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")

    @property
    def all_tags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(self.tags or ()), *([self.tag] if self.tag else ())]))
