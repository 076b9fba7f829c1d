"""The search tool: its arguments and its words for the model."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.search.model import Found
from longtable.search.service import Search, SearchQuery
from longtable.sessions.tools import SessionId
from longtable.toolkit.tool import Arguments, Envelope, Route, Scope, Tool


class SearchContext(Arguments):
    session_id: SessionId | None = None
    query: Annotated[Text, StringConstraints(min_length=1)] = Field(description='Words; "a phrase" in quotes.')
    mode: Literal["keyword", "semantic", "hybrid"] = "hybrid"
    limit: int = Field(default=10, ge=1, le=100)
    scope: Literal["messages", "notes", "draft", "all"] = "all"


class SearchTools:
    def __init__(self, search: Search) -> None:
        self._search = search

    async def find(self, call: Call, arguments: SearchContext) -> Found:
        wanted = SearchQuery(arguments.query, arguments.mode, arguments.scope, arguments.limit)
        return await self._search.find(call, wanted)


def search_tools(tools: SearchTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="search_context",
            title="Search the session",
            description="Find messages, notes and draft sections of the session by their words, best first.",
            arguments=SearchContext,
            result=Found,
            run=tools.find,
            group="messages",
            roles=EVERYONE,
            audited_as="context_searched",
            scope=Scope.NAMED_SESSION,
            envelope=Envelope.SUCCESS,
            routes=(Route("GET", "/sessions/{session_id}/search"),),
        )
    ]
