"""The draft tools: their arguments, their words for the model, their routes."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, StringConstraints

from longtable.draft import events
from longtable.draft.model import (
    RESERVED,
    SECTION_ID,
    DraftDiff,
    DraftRead,
    NewText,
    SectionList,
    SectionRead,
    SectionView,
    SectionWritten,
)
from longtable.draft.service import Comparison, Draft, Reversion
from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument
from longtable.kernel.result import Result
from longtable.toolkit.tool import Arguments, Route, Tool, WriteArguments

R = TypeVar("R", bound=Result)

_DRAFT = "/sessions/{session_id}/draft"
_SECTION = f"{_DRAFT}/{{section_id}}"


def _writable(section_id: str) -> str:
    if section_id in RESERVED:
        raise ValueError(f"must not be one of {', '.join(RESERVED)}: these are made from other things")
    return section_id


SectionId = Annotated[str, StringConstraints(pattern=SECTION_ID)]
Version = Annotated[int, Field(ge=1)]
Expected = Annotated[
    int, Field(ge=0, description="Write only if this is the current version; 0 if there must be none yet.")
]


class WriteDraftSection(WriteArguments):
    section_id: Annotated[SectionId, AfterValidator(_writable)] = Field(
        description="Short name of the section, such as market_analysis."
    )
    content: Text = Field(description="The whole text of the section, at most 1 MiB. It may be empty.")
    title: Annotated[Text, StringConstraints(min_length=1)] | None = Field(
        default=None, description="Heading of the section; left out, it stays as it is."
    )
    expected_version: Expected | None = None
    position: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Place in the draft, 0 is the first; left out, new sections go last."
    )


class ReadDraft(Arguments):
    section_id: SectionId | None = Field(default=None, description="One section; left out, the whole draft.")
    version: int | None = Field(default=None, ge=1, description="An earlier version of that section.")
    include_content: bool = Field(default=True, description="false for titles and versions only.")


class DiffDraft(Arguments):
    section_id: SectionId
    from_version: Version
    to_version: int | None = Field(default=None, ge=1, description="Left out, the current version.")


class RevertDraftSection(WriteArguments):
    section_id: SectionId
    to_version: Version = Field(description="The version whose title and text come back.")
    expected_version: Expected | None = None


class ListSections(Arguments):
    pass


class ReadSection(Arguments):
    section_name: SectionId = Field(description="A section of the draft, or one of notes, plan, user_answers.")


class DraftTools:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    async def write(self, call: Call, arguments: WriteDraftSection) -> SectionWritten:
        new = NewText(
            section_id=arguments.section_id,
            content=arguments.content,
            title=arguments.title,
            expected_version=arguments.expected_version,
            position=arguments.position,
        )
        return await self._draft.write(call, new)

    async def revert(self, call: Call, arguments: RevertDraftSection) -> SectionWritten:
        wanted = Reversion(arguments.section_id, arguments.to_version, arguments.expected_version)
        return await self._draft.revert(call, wanted)

    async def read(self, call: Call, arguments: ReadDraft) -> DraftRead:
        if arguments.section_id is not None:
            return await self._read_one(call, arguments.section_id, arguments)
        if arguments.version is not None:
            raise InvalidArgument.at("version", "needs a section_id")
        if not arguments.include_content:
            return DraftRead(sections=(await self._draft.outline(call)).sections)
        sections = (await self._draft.whole(call)).sections
        return _told(call, DraftRead(sections=sections), "draft", sections)

    async def _read_one(self, call: Call, section_id: str, arguments: ReadDraft) -> DraftRead:
        found = await self._draft.one(call, section_id, arguments.version)
        if not arguments.include_content:
            bare = found.section.model_copy(update={"content": None})
            return DraftRead(section=bare, versions=found.versions)
        result = DraftRead(section=found.section, versions=found.versions)
        return _told(call, result, f"section:{section_id}", [found.section])

    async def diff(self, call: Call, arguments: DiffDraft) -> DraftDiff:
        wanted = Comparison(arguments.section_id, arguments.from_version, arguments.to_version)
        return await self._draft.diff(call, wanted)

    async def list(self, call: Call, arguments: ListSections) -> SectionList:
        return await self._draft.outline(call)

    async def read_section(self, call: Call, arguments: ReadSection) -> SectionRead:
        if arguments.section_name in RESERVED:
            return await self._draft.virtual(call, arguments.section_name)
        found = await self._draft.one(call, arguments.section_name, None)
        return _told(call, found, f"section:{arguments.section_name}", [found.section])


def _told(call: Call, result: R, object: str, sections: Sequence[SectionView]) -> R:
    """The result of a read, with what it tells the others. That a person looked is nobody's business."""
    caller = call.caller
    readings = [] if caller.is_human else [events.read(section.section_id, caller.agent) for section in sections]
    result.observed(object, readings)
    return result


def draft_tools(tools: DraftTools) -> list[Tool[Any]]:
    return [*_to_write(tools), *_to_read(tools), *_by_section_name(tools)]


_tool: Any = partial(Tool, group="workspace")


def _to_write(tools: DraftTools) -> list[Tool[Any]]:
    return [
        _tool(
            name="write_draft_section",
            title="Write a section",
            description="Write a section of the session's draft, new or again. Every earlier version stays readable.",
            arguments=WriteDraftSection,
            result=SectionWritten,
            run=tools.write,
            roles=WORKERS,
            audited_as="section_written",
            writes=True,
            routes=(Route("PUT", _SECTION),),
        ),
        _tool(
            name="revert_draft_section",
            title="Revert a section",
            description="Bring an old version of a section back, as a new version. Nothing is lost.",
            arguments=RevertDraftSection,
            result=SectionWritten,
            run=tools.revert,
            roles=WORKERS,
            audited_as="section_reverted",
            writes=True,
            routes=(Route("POST", f"{_SECTION}/revert"),),
        ),
    ]


def _to_read(tools: DraftTools) -> list[Tool[Any]]:
    return [
        _tool(
            name="read_draft",
            title="Read the draft",
            description="Read the whole draft in order, or one section, also in an earlier version.",
            arguments=ReadDraft,
            result=DraftRead,
            run=tools.read,
            roles=EVERYONE,
            audited_as="draft_read",
            routes=(Route("GET", _DRAFT), Route("GET", _SECTION)),
        ),
        _tool(
            name="diff_draft",
            title="Compare versions",
            description="Show what changed between two versions of a section, as a unified diff.",
            arguments=DiffDraft,
            result=DraftDiff,
            run=tools.diff,
            roles=EVERYONE,
            audited_as="draft_compared",
            routes=(Route("GET", f"{_SECTION}/diff"),),
        ),
    ]


def _by_section_name(tools: DraftTools) -> list[Tool[Any]]:
    return [
        _tool(
            name="list_sections",
            title="List sections",
            description="List the sections of the draft in order, without their texts.",
            arguments=ListSections,
            result=SectionList,
            run=tools.list,
            roles=EVERYONE,
            audited_as="sections_listed",
        ),
        _tool(
            name="read_section",
            title="Read a section",
            description="Read one section, or all notes, the plan or the user's answers as one text.",
            arguments=ReadSection,
            result=SectionRead,
            run=tools.read_section,
            roles=EVERYONE,
            audited_as="section_read",
        ),
    ]
