"""The note tools: their arguments, their words for the model, their routes."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.ids import number_of
from longtable.notes.model import PREFIX, NewNote, NoteAdded, NotePage, Order
from longtable.notes.ports import Mode
from longtable.notes.service import NoteQuery, Notes
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Tool, WriteArguments

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


class NoteTools:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def add(self, call: Call, arguments: AddNote) -> NoteAdded:
        supersedes = None
        if arguments.supersedes is not None:
            supersedes = number_of(PREFIX, arguments.supersedes)
            if supersedes is None:
                raise InvalidArgument.at("supersedes", "must be the id of a note, such as n3")
        new = NewNote(arguments.content, tuple(arguments.tags), arguments.source, supersedes)
        return await self._notes.add(call, new)

    async def read(self, call: Call, arguments: ReadNotes) -> NotePage:
        tags = [*(arguments.tags or ()), *([arguments.tag] if arguments.tag else ())]
        wanted = NoteQuery(
            limit=arguments.limit,
            query=arguments.query,
            tags=tuple(dict.fromkeys(tags)),
            author=arguments.author,
            mode=arguments.mode,
            cursor=arguments.cursor,
            order=arguments.order,
        )
        return await self._notes.read(call, wanted)


def note_tools(tools: NoteTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="add_note",
            title="Pin a note",
            description="Pin a finding, fact or URL to the session's corkboard, where every agent can find it.",
            arguments=AddNote,
            result=NoteAdded,
            run=tools.add,
            group="workspace",
            roles=WORKERS,
            audited_as="note_added",
            writes=True,
            routes=(Route("POST", "/sessions/{session_id}/notes", 201),),
        ),
        Tool(
            name="read_notes",
            title="Read notes",
            description="Read the corkboard: all notes in order, or those that match a query, tags or an author.",
            arguments=ReadNotes,
            result=NotePage,
            run=tools.read,
            group="workspace",
            roles=EVERYONE,
            audited_as="notes_read",
            routes=(Route("GET", "/sessions/{session_id}/notes"),),
        ),
    ]
