"""What the search tools take."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from longtable.kernel.content import Text
from longtable.notebooks.arguments import NAMESPACES, TAGS, Language, Namespace, Tag
from longtable.search.model import AnyKind, Mode
from longtable.sessions.arguments import SessionId
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.tool import MAX_ITEMS, Arguments

_QUERY = 'Words, "a phrase", or a question.'
_MODE = "How to match."
_LANGUAGES = "Only cells in these, e.g. py."
_KINDS = "Only these kinds of text. Tasks and questions are found only if they are named here, by their words."
QueryText = Annotated[Text, StringConstraints(min_length=1)]
Limit = Annotated[int, Field(ge=1, le=100, description="Most hits.")]


class SearchContext(MaxChars):
    session_id: SessionId | None = None
    query: QueryText = Field(description=_QUERY)
    mode: Mode = Field(default="hybrid", description=_MODE)
    limit: Limit = 10
    scope: Literal["messages", "notes", "draft", "all"] = Field(default="all", description="Where to look.")


class ScratchSearch(MaxChars):
    query: QueryText = Field(description=_QUERY)
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description=TAGS)
    languages: list[Language] | None = Field(default=None, max_length=MAX_ITEMS, description=_LANGUAGES)
    limit: Limit = 10
    mode: Mode = Field(default="hybrid", description=_MODE)


class SearchAll(Arguments):
    query: QueryText | None = Field(default=None, description=_QUERY)
    q: QueryText | None = Field(default=None, description="The same as query.")
    mode: Mode = Field(default="hybrid", description=_MODE)
    kinds: list[AnyKind] | None = Field(default=None, max_length=MAX_ITEMS, description=_KINDS)
    session_id: SessionId | None = Field(default=None, description="Only this session, and the notebooks.")
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description=TAGS)
    languages: list[Language] | None = Field(default=None, max_length=MAX_ITEMS, description=_LANGUAGES)
    limit: Limit = 10
