"""Decides about the draft: which version a text becomes, who was faster, what a reader gets."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from longtable.draft import events, store
from longtable.draft.arguments import (
    DiffDraft,
    ListSections,
    ReadDraft,
    ReadSection,
    RevertDraftSection,
    WriteDraftSection,
)
from longtable.draft.diff import unified_diff
from longtable.draft.manuscript import parts_within, window
from longtable.draft.model import (
    MAX_READ_BYTES,
    MAX_TITLE,
    RESERVED,
    DraftDiff,
    DraftLimits,
    DraftRead,
    Section,
    SectionList,
    SectionRead,
    SectionVersion,
    SectionView,
    SectionWritten,
    expect,
    readable,
    stale,
)
from longtable.draft.ports import VirtualSection
from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.content import check_bytes, check_characters
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound, PayloadTooLarge, VersionConflict
from longtable.kernel.result import Result
from longtable.kernel.suggestions import did_you_mean
from longtable.log.ledger import Ledger, Work
from longtable.log.model import Replaced
from longtable.log.page_cache import PageKind, newest_event
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import first_within, part_of, short_diff
from longtable.toolkit.tool import Route, tool

R = TypeVar("R", bound=Result)

_DRAFT = "/sessions/{session_id}/draft"
_SECTION = f"{_DRAFT}/{{section_id}}"
_PAGES = PageKind("sections", newest_event)


class Draft:
    def __init__(
        self, ledger: Ledger, sessions: Sessions, limits: DraftLimits, virtual: Mapping[str, VirtualSection]
    ) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limits = limits
        self._virtual = virtual

    @tool(
        "write_draft_section",
        title="Write a section",
        description="Write a section of the draft, new or again; earlier versions stay.",
        group="workspace",
        roles=WORKERS,
        audited_as="section_written",
        writes=True,
        routes=(Route("PUT", _SECTION, 201, created_in="section"),),
    )
    async def write(self, call: Call, arguments: WriteDraftSection) -> SectionWritten:
        check_bytes("content", arguments.content, self._limits.section_bytes)
        if arguments.title is not None:
            check_characters("title", arguments.title, MAX_TITLE)

        async def body(work: Work) -> SectionWritten:
            await self._sessions.open_for_writing(work)
            former = await store.find(work.tx, work.caller.session, arguments.section_id)
            expect(arguments.section_id, arguments.expected_version, former.version if former else 0)
            if former is None:
                section = await self._begin(work, arguments)
            else:
                if arguments.position is not None:
                    work.replaces(Replaced("sections", former.section_id, {"position": former.position}))
                section = await _continue(work, former, arguments.title or former.title, arguments.content)
            if arguments.position is not None:
                await store.move(work.tx, work.caller.session, section, arguments.position)
            return SectionWritten(section=section.stamp())

        return await self._written(call, arguments.section_id, arguments.expected_version, body)

    @tool(
        "revert_draft_section",
        title="Revert a section",
        description="Bring an old version of a section back, as a new version.",
        group="workspace",
        roles=WORKERS,
        audited_as="section_reverted",
        writes=True,
        routes=(Route("POST", f"{_SECTION}/revert"),),
    )
    async def revert(self, call: Call, arguments: RevertDraftSection) -> SectionWritten:
        """A new version with the title and the text of an old one."""

        async def body(work: Work) -> SectionWritten:
            await self._sessions.open_for_writing(work)
            former = await _found(work.tx, work.caller.session, arguments.section_id)
            expect(arguments.section_id, arguments.expected_version, former.version)
            old = await _version(work.tx, work.caller.session, former, "to_version", arguments.to_version)
            section = await _continue(work, former, old.title, old.content or "")
            work.touched(f"section:{section.section_id}", reverted_to=old.version)
            return SectionWritten(section=section.stamp())

        return await self._written(call, arguments.section_id, arguments.expected_version, body)

    @tool(
        "read_draft",
        title="Read the draft",
        description="Read the draft in order, or one section, also in an earlier version.",
        group="workspace",
        roles=EVERYONE,
        audited_as="draft_read",
        routes=(Route("GET", _DRAFT), Route("GET", _SECTION)),
    )
    async def read(self, call: Call, arguments: ReadDraft) -> DraftRead:
        if arguments.section_id is not None:
            return await self._read_one(call, arguments.section_id, arguments)
        if arguments.version is not None:
            raise InvalidArgument.at("version", "needs a section_id")
        if not arguments.include_content:
            outline = await self._listed(call, arguments.offset)
            return DraftRead(**dict(outline))
        sections, end = await self._manuscript(call, arguments.offset)
        result = DraftRead(sections=sections, next_offset=end, truncated=_is_cut(end))
        return _observed(call, result, "draft", sections)

    @tool(
        "diff_draft",
        title="Compare versions",
        description="Show what changed between two versions of a section.",
        group="workspace",
        roles=EVERYONE,
        audited_as="draft_compared",
        routes=(Route("GET", f"{_SECTION}/diff"),),
    )
    async def diff(self, call: Call, arguments: DiffDraft) -> DraftDiff:
        session_id = call.caller.session

        async def body(tx: Transaction) -> tuple[SectionVersion, SectionVersion]:
            section = await _found(tx, session_id, arguments.section_id)
            to_version = section.version if arguments.to_version is None else arguments.to_version
            return (
                await _version(tx, session_id, section, "from_version", arguments.from_version),
                await _version(tx, session_id, section, "to_version", to_version),
            )

        old, new = await self._ledger.read(call.caller, body)
        diff, end = part_of(await asyncio.to_thread(_diff, old, new), arguments.offset, call.max_chars)
        return DraftDiff(
            section_id=arguments.section_id,
            from_version=old.version,
            to_version=new.version,
            diff=diff,
            next_offset=end,
            truncated=_is_cut(end),
        )

    @tool(
        "list_sections",
        title="List sections",
        description="List the sections of the draft without their texts.",
        group="workspace",
        roles=EVERYONE,
        audited_as="sections_listed",
    )
    async def list_sections(self, call: Call, arguments: ListSections) -> SectionList:
        return await self._ledger.pages.read(call, _PAGES, lambda: self._listed(call, arguments.offset))

    @tool(
        "read_section",
        title="Read a section",
        description="Read one section, or all notes, the plan or the answers, as one text.",
        group="workspace",
        roles=EVERYONE,
        audited_as="section_read",
    )
    async def read_section(self, call: Call, arguments: ReadSection) -> SectionRead:
        name = arguments.section_name
        if name in RESERVED:
            return _part(call, await self._render(call, name), arguments.offset)
        found = _part(call, await self._section(call, name, None, "section_name"), arguments.offset)
        return _observed(call, found, f"section:{name}", [found.section])

    async def _read_one(self, call: Call, section_id: str, arguments: ReadDraft) -> DraftRead:
        found = await self._section(call, section_id, arguments.version)
        if not arguments.include_content:
            bare = found.section.model_copy(update={"content": None})
            return DraftRead(section=bare, versions=found.versions)
        result = DraftRead(**dict(_part(call, found, arguments.offset)))
        return _observed(call, result, f"section:{section_id}", [found.section])

    async def _manuscript(self, call: Call, offset: int) -> tuple[list[SectionView], int | None]:
        """The texts that one answer shows, and where the next one goes on."""
        session_id, most = call.caller.session, call.max_chars

        async def body(tx: Transaction) -> tuple[list[SectionVersion], int]:
            size = await store.total_bytes(tx, session_id) if most is None else 0
            if size > MAX_READ_BYTES:
                raise PayloadTooLarge(
                    f"The draft has {size} bytes; one answer carries at most {MAX_READ_BYTES}.",
                    hint="Read it with include_content=false, then section by section.",
                    size=size,
                    limit=MAX_READ_BYTES,
                )
            if most is None and not offset:
                return await store.manuscript(tx, session_id), 0
            first, count, before = window(await store.lengths(tx, session_id), offset, most or MAX_READ_BYTES)
            return await store.manuscript(tx, session_id, first, count), before

        sections, before = await self._ledger.read(call.caller, body)
        shown, end = parts_within(sections, offset - before, most)
        return shown, None if end is None else before + end

    async def _listed(self, call: Call, offset: int) -> SectionList:
        """The sections without their texts."""
        sections = await self._ledger.read(call.caller, lambda tx: store.outline(tx, call.caller.session))
        views = [section.view() for section in sections[offset:]]
        count = len(first_within([view.model_dump() for view in views], call.max_chars))
        end = offset + count if count < len(views) else None
        return SectionList(sections=views[:count], next_offset=end, truncated=_is_cut(end))

    async def _section(
        self, call: Call, section_id: str, version: int | None, argument: str = "section_id"
    ) -> SectionRead:
        session_id = call.caller.session

        async def body(tx: Transaction) -> SectionRead:
            section = await _found(tx, session_id, section_id, argument)
            number = section.version if version is None else version
            found = await _version(tx, session_id, section, "version", number)
            return SectionRead(section=found.view(), versions=section.version)

        return await self._ledger.read(call.caller, body)

    async def _render(self, call: Call, name: str) -> SectionRead:
        """A section that is rendered from other things when it is read."""
        render = self._virtual[name]
        content = await self._ledger.read(call.caller, lambda tx: render(tx, call.caller))
        section = SectionView(section_id=name, title=readable(name), version=0, content=content)
        return SectionRead(section=section, versions=0)

    async def _begin(self, work: Work, new: WriteDraftSection) -> Section:
        session_id, section_id = work.caller.session, new.section_id
        count = await store.count(work.tx, session_id)
        if count >= self._limits.sections:
            raise CapacityLimitReached(
                f"This draft has {self._limits.sections} sections, which is the limit.", limit=self._limits.sections
            )
        title = new.title or readable(section_id)
        section = Section(section_id, title, count, 1, work.caller.agent, work.now)
        await store.insert(work.tx, session_id, section, new.content)
        work.touched(f"section:{section_id}", version=1)
        work.happened(events.created(section_id))
        return section

    async def _written(
        self, call: Call, section_id: str, expected: int | None, body: Callable[[Work], Awaitable[SectionWritten]]
    ) -> SectionWritten:
        try:
            return await self._ledger.write(call, SectionWritten, body)
        except VersionConflict as conflict:
            # Only now: comparing inside the transaction would keep every other writer waiting.
            current: int = conflict.details["current_version"]
            diff = await self._diff_since(call, section_id, expected or 0, current)
            if diff is None:
                raise stale(section_id, current) from conflict
            shown, is_cut = short_diff(diff)
            raise stale(section_id, current, shown, is_cut=is_cut) from conflict

    async def _diff_since(self, call: Call, section_id: str, expected: int, current: int) -> str | None:
        """From nothing, for a writer to whom the section is new."""
        if not 0 <= expected < current:
            return None
        session_id = call.caller.session

        async def body(tx: Transaction) -> list[SectionVersion | None]:
            return [
                await store.version(tx, session_id, section_id, number) for number in (expected or current, current)
            ]

        old, new = await self._ledger.read(call.caller, body)
        if old is None or new is None:
            return None
        return await asyncio.to_thread(_diff, old if expected else replace(old, version=0, content=""), new)


def _part(call: Call, found: SectionRead, offset: int) -> SectionRead:
    """As much of the text as the answer may have."""
    text = found.section.content or ""
    part, end = part_of(text, offset, call.max_chars)
    if part == text:
        return found
    section = found.section.model_copy(update={"content": part, "truncated": True})
    return SectionRead(section=section, versions=found.versions, next_offset=end, truncated=_is_cut(end))


def _is_cut(end: int | None) -> bool | None:
    return None if end is None else True


def _observed(call: Call, result: R, object: str, sections: Sequence[SectionView]) -> R:
    """The result of a read, with the events that it causes. Reads by people cause none."""
    caller = call.caller
    reads = [] if caller.is_human else [events.read(section.section_id, caller.agent) for section in sections]
    result.observed(object, reads)
    return result


async def _continue(work: Work, former: Section, title: str, content: str) -> Section:
    section_id, version = former.section_id, former.version + 1
    section = Section(section_id, title, former.position, version, work.caller.agent, work.now)
    await store.update(work.tx, work.caller.session, section, content)
    work.touched(f"section:{section_id}", version=version)
    work.happened(events.updated(section_id, version, content))
    return section


async def _found(tx: Transaction, session_id: str, section_id: str, argument: str = "section_id") -> Section:
    section = await store.find(tx, session_id, section_id)
    if section is None:
        known = [each.section_id for each in await store.outline(tx, session_id)]
        others = "list_sections shows those there are; read_section also knows notes, plan and user_answers."
        raise NotFound(
            f"{argument}: there is no section {section_id} in this draft.",
            hint=did_you_mean(section_id, known, others),
        )
    return section


async def _version(tx: Transaction, session_id: str, section: Section, field: str, number: int) -> SectionVersion:
    found = None
    # A larger number may not even fit the database's type.
    if number <= section.version:
        found = await store.version(tx, session_id, section.section_id, number)
    if found is None:
        raise NotFound(f"{field}: the section {section.section_id} has the versions 1 to {section.version}.")
    return found


def _diff(old: SectionVersion, new: SectionVersion) -> str:
    names = [f"{side.section_id} version {side.version}" for side in (old, new)]
    return unified_diff(old.content or "", new.content or "", *names)
