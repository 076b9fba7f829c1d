"""Decides about the draft: which version a text becomes, who was faster, what a reader gets."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from longtable.draft import events, store
from longtable.draft.diff import unified_diff
from longtable.draft.model import (
    MAX_READ_BYTES,
    MAX_TITLE,
    DraftDiff,
    DraftLimits,
    NewText,
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
from longtable.kernel.call import Call
from longtable.kernel.content import check_bytes, check_characters
from longtable.kernel.errors import CapacityLimitReached, NotFound, PayloadTooLarge, VersionConflict
from longtable.log.ledger import Ledger, Work
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class Reversion:
    section_id: str
    to_version: int
    expected_version: int | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`to_version` is None for the current one."""

    section_id: str
    from_version: int
    to_version: int | None


class Draft:
    def __init__(
        self, ledger: Ledger, sessions: Sessions, limits: DraftLimits, virtual: Mapping[str, VirtualSection]
    ) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limits = limits
        self._virtual = virtual

    async def write(self, call: Call, new: NewText) -> SectionWritten:
        check_bytes("content", new.content, self._limits.section_bytes)
        if new.title is not None:
            check_characters("title", new.title, MAX_TITLE)

        async def body(work: Work) -> SectionWritten:
            await self._sessions.open_for_writing(work)
            former = await store.find(work.tx, work.caller.session, new.section_id)
            expect(new.section_id, new.expected_version, former.version if former else 0)
            if former is None:
                section = await self._begin(work, new)
            else:
                section = await _continue(work, former, new.title or former.title, new.content)
            if new.position is not None:
                await store.move(work.tx, work.caller.session, section, new.position)
            return SectionWritten(section=section.stamp())

        return await self._written(call, new.section_id, new.expected_version, body)

    async def revert(self, call: Call, wanted: Reversion) -> SectionWritten:
        """A new version with the title and the text of an old one."""

        async def body(work: Work) -> SectionWritten:
            await self._sessions.open_for_writing(work)
            former = await _found(work.tx, work.caller.session, wanted.section_id)
            expect(wanted.section_id, wanted.expected_version, former.version)
            old = await _version(work.tx, work.caller.session, former, "to_version", wanted.to_version)
            section = await _continue(work, former, old.title, old.content or "")
            work.touched(f"section:{section.section_id}", reverted_to=old.version)
            return SectionWritten(section=section.stamp())

        return await self._written(call, wanted.section_id, wanted.expected_version, body)

    async def whole(self, call: Call) -> SectionList:
        session_id = call.caller.session

        async def body(tx: Transaction) -> list[SectionVersion]:
            size = await store.total_bytes(tx, session_id)
            if size > MAX_READ_BYTES:
                raise PayloadTooLarge(
                    f"The draft has {size} bytes; one answer carries at most {MAX_READ_BYTES}.",
                    hint="Read it with include_content=false, then section by section.",
                    size=size,
                    limit=MAX_READ_BYTES,
                )
            return await store.manuscript(tx, session_id)

        sections = await self._ledger.read(call.caller, body)
        return SectionList(sections=[section.view() for section in sections])

    async def outline(self, call: Call) -> SectionList:
        sections = await self._ledger.read(call.caller, lambda tx: store.outline(tx, call.caller.session))
        return SectionList(sections=[section.view() for section in sections])

    async def one(self, call: Call, section_id: str, version: int | None) -> SectionRead:
        session_id = call.caller.session

        async def body(tx: Transaction) -> SectionRead:
            section = await _found(tx, session_id, section_id)
            wanted = section.version if version is None else version
            found = await _version(tx, session_id, section, "version", wanted)
            return SectionRead(section=found.view(), versions=section.version)

        return await self._ledger.read(call.caller, body)

    async def virtual(self, call: Call, name: str) -> SectionRead:
        """A section that is made from other things when it is read."""
        render = self._virtual[name]
        content = await self._ledger.read(call.caller, lambda tx: render(tx, call.caller))
        section = SectionView(section_id=name, title=readable(name), version=0, content=content)
        return SectionRead(section=section, versions=0)

    async def diff(self, call: Call, wanted: Comparison) -> DraftDiff:
        session_id = call.caller.session

        async def body(tx: Transaction) -> tuple[SectionVersion, SectionVersion]:
            section = await _found(tx, session_id, wanted.section_id)
            to_version = section.version if wanted.to_version is None else wanted.to_version
            return (
                await _version(tx, session_id, section, "from_version", wanted.from_version),
                await _version(tx, session_id, section, "to_version", to_version),
            )

        old, new = await self._ledger.read(call.caller, body)
        return DraftDiff(
            section_id=wanted.section_id,
            from_version=old.version,
            to_version=new.version,
            diff=await asyncio.to_thread(_diff, old, new),
        )

    async def _begin(self, work: Work, new: NewText) -> Section:
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
            raise stale(section_id, current, diff) from conflict

    async def _diff_since(self, call: Call, section_id: str, expected: int, current: int) -> str | None:
        if not 0 < expected < current:
            return None
        session_id = call.caller.session

        async def body(tx: Transaction) -> list[SectionVersion | None]:
            return [await store.version(tx, session_id, section_id, number) for number in (expected, current)]

        old, new = await self._ledger.read(call.caller, body)
        return await asyncio.to_thread(_diff, old, new) if old and new else None


async def _continue(work: Work, former: Section, title: str, content: str) -> Section:
    section_id, version = former.section_id, former.version + 1
    section = Section(section_id, title, former.position, version, work.caller.agent, work.now)
    await store.update(work.tx, work.caller.session, section, content)
    work.touched(f"section:{section_id}", version=version)
    work.happened(events.updated(section_id, version, content))
    return section


async def _found(tx: Transaction, session_id: str, section_id: str) -> Section:
    section = await store.find(tx, session_id, section_id)
    if section is None:
        raise NotFound(
            f"There is no section {section_id} in this draft.",
            hint="list_sections shows those there are; read_section also knows notes, plan and user_answers.",
        )
    return section


async def _version(tx: Transaction, session_id: str, section: Section, field: str, number: int) -> SectionVersion:
    found = None
    # Asked of the database only when it can be there: it has no numbers as large as a caller may send.
    if number <= section.version:
        found = await store.version(tx, session_id, section.section_id, number)
    if found is None:
        raise NotFound(f"{field}: the section {section.section_id} has the versions 1 to {section.version}.")
    return found


def _diff(old: SectionVersion, new: SectionVersion) -> str:
    names = [f"{side.section_id} version {side.version}" for side in (old, new)]
    return unified_diff(old.content or "", new.content or "", *names)
