"""The corkboard and the draft of the session."""

from collections.abc import Sequence
from typing import Literal

from longtable.client.tool_methods import ToolMethods
from longtable.draft.model import DraftDiff, DraftRead, SectionList, SectionRead, SectionWritten
from longtable.notes.model import NoteAdded, NotePage, Order

Mode = Literal["keyword", "semantic", "hybrid"]


class NotesAndDraft(ToolMethods):
    async def add_note(
        self,
        content: str,
        *,
        tags: Sequence[str] = (),
        source: str | None = None,
        supersedes: str | None = None,
        idempotency_key: str | None = None,
    ) -> NoteAdded:
        return await self._write(
            "add_note",
            NoteAdded,
            idempotency_key,
            content=content,
            tags=list(tags),
            source=source,
            supersedes=supersedes,
        )

    async def read_notes(  # noqa: PLR0913 - each one is an argument of the tool
        self,
        *,
        query: str | None = None,
        tags: Sequence[str] | None = None,
        tag: str | None = None,
        author: str | None = None,
        mode: Mode = "keyword",
        order: Order = "oldest",
        limit: int = 50,
        cursor: str | None = None,
    ) -> NotePage:
        return await self._read(
            "read_notes",
            NotePage,
            query=query,
            tags=None if tags is None else list(tags),
            tag=tag,
            author=author,
            mode=mode,
            order=order,
            limit=limit,
            cursor=cursor,
        )

    async def write_draft_section(
        self,
        section_id: str,
        content: str,
        *,
        title: str | None = None,
        expected_version: int | None = None,
        position: int | None = None,
        idempotency_key: str | None = None,
    ) -> SectionWritten:
        return await self._write(
            "write_draft_section",
            SectionWritten,
            idempotency_key,
            section_id=section_id,
            content=content,
            title=title,
            expected_version=expected_version,
            position=position,
        )

    async def revert_draft_section(
        self,
        section_id: str,
        to_version: int,
        *,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> SectionWritten:
        return await self._write(
            "revert_draft_section",
            SectionWritten,
            idempotency_key,
            section_id=section_id,
            to_version=to_version,
            expected_version=expected_version,
        )

    async def read_draft(
        self, section_id: str | None = None, *, version: int | None = None, include_content: bool = True
    ) -> DraftRead:
        return await self._read(
            "read_draft", DraftRead, section_id=section_id, version=version, include_content=include_content
        )

    async def diff_draft(self, section_id: str, from_version: int, to_version: int | None = None) -> DraftDiff:
        return await self._read(
            "diff_draft", DraftDiff, section_id=section_id, from_version=from_version, to_version=to_version
        )

    async def list_sections(self) -> SectionList:
        return await self._read("list_sections", SectionList)

    async def read_section(self, section_name: str) -> SectionRead:
        return await self._read("read_section", SectionRead, section_name=section_name)
