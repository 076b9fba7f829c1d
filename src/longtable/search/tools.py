"""The search tools: their arguments and their words for the model."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument
from longtable.notebooks.arguments import NAMESPACES, TAGS, Language, Namespace, Tag, once
from longtable.search.model import ALL_KINDS, AnyFound, Found, Kind, Mode, ScratchFound
from longtable.search.service import MAX_SESSIONS, Narrowing, Search, SearchQuery
from longtable.sessions.arguments import SessionId
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Envelope, Route, Scope, Tool

_QUERY = 'What to look for: words, names as they are written, "a phrase" in quotes, or a question.'
_MODE = "By words, by meaning, or both."
_LANGUAGES = "Only cells in one of these languages."
QueryText = Annotated[Text, StringConstraints(min_length=1)]
Limit = Annotated[int, Field(ge=1, le=100)]


class SearchContext(Arguments):
    session_id: SessionId | None = None
    query: QueryText = Field(description=_QUERY)
    mode: Mode = Field(default="hybrid", description=_MODE)
    limit: Limit = 10
    scope: Literal["messages", "notes", "draft", "all"] = "all"


class ScratchSearch(Arguments):
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
    kinds: list[Kind] | None = Field(default=None, max_length=MAX_ITEMS, description="Only these kinds of text.")
    session_id: SessionId | None = Field(default=None, description="Only this session, and the notebooks.")
    namespaces: list[Namespace] | None = Field(default=None, max_length=MAX_ITEMS, description=NAMESPACES)
    tags: list[Tag] | None = Field(default=None, max_length=MAX_ITEMS, description=TAGS)
    languages: list[Language] | None = Field(default=None, max_length=MAX_ITEMS, description=_LANGUAGES)
    limit: Limit = 10


class SearchTools:
    def __init__(self, search: Search) -> None:
        self._search = search

    async def in_session(self, call: Call, arguments: SearchContext) -> Found:
        wanted = self._wanted(arguments.query, arguments)
        return await self._search.find_in_session(call, wanted, arguments.scope)

    async def in_notebooks(self, call: Call, arguments: ScratchSearch) -> ScratchFound:
        wanted = self._wanted(arguments.query, arguments)
        return await self._search.find_in_notebooks(call, wanted, _narrowing(arguments))

    async def anywhere(self, call: Call, arguments: SearchAll) -> AnyFound:
        query = arguments.query or arguments.q
        if query is None:
            raise InvalidArgument.at("query", "is required")
        if arguments.q not in (None, query):
            raise InvalidArgument.at("q", "differs from query")
        wanted = self._wanted(query, arguments)
        kinds = tuple(kind for kind in ALL_KINDS if arguments.kinds is None or kind in arguments.kinds)
        return await self._search.find_anywhere(call, wanted, kinds, arguments.session_id, _narrowing(arguments))

    def _wanted(self, query: str, arguments: SearchContext | ScratchSearch | SearchAll) -> SearchQuery:
        """Who names no limit is not refused for ours."""
        is_named = "limit" in arguments.model_fields_set
        limit = arguments.limit if is_named else min(arguments.limit, self._search.most_hits)
        return SearchQuery(query, arguments.mode, limit)


def search_tools(tools: SearchTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="search_context",
            title="Search the session",
            description="Find messages, notes and draft sections of the session by words and meaning, best first.",
            arguments=SearchContext,
            result=Found,
            run=tools.in_session,
            group="messages",
            roles=EVERYONE,
            audited_as="context_searched",
            scope=Scope.NAMED_SESSION,
            envelope=Envelope.SUCCESS,
            routes=(Route("GET", "/sessions/{session_id}/search"),),
        ),
        Tool(
            name="search",
            title="Search everything",
            description="Find cells, scratchpads, notes, sections and messages by words and meaning, best first: in "
            "your session and the notebooks. An orchestrator or a person who names no session searches the "
            f"{MAX_SESSIONS} sessions used last.",
            arguments=SearchAll,
            result=AnyFound,
            run=tools.anywhere,
            group="workspace",
            roles=EVERYONE,
            audited_as="everything_searched",
            scope=Scope.TENANT,
            over_mcp=False,
            routes=(Route("GET", "/search"),),
        ),
    ]


def scratch_search_tools(tools: SearchTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="scratch_search",
            title="Search scratchpads",
            description="Find cells, and scratchpads by title, description or summary, by words and meaning, best "
            "first. cell_id is null where the scratchpad itself was found.",
            arguments=ScratchSearch,
            result=ScratchFound,
            run=tools.in_notebooks,
            group="notebooks",
            roles=EVERYONE,
            audited_as="scratchpads_searched",
            scope=Scope.TENANT,
        )
    ]


def _narrowing(arguments: ScratchSearch | SearchAll) -> Narrowing:
    return Narrowing(once(arguments.namespaces), once(arguments.tags), once(arguments.languages))
