"""What can be exported, how the file says so, and what an import tells of itself."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from longtable.kernel.errors import ValidationFailed
from longtable.kernel.result import Result, omitted_if_none
from longtable.settings.options import Settings

FORMAT: Final = "longtable"
VERSION: Final = 1
MAX_LINE_BYTES: Final = 64 * 1_048_576
"""Far more than the largest record that the limits of a request let anybody write."""

OnConflict = Literal["refuse", "skip"]


@dataclass(frozen=True, slots=True)
class ExportScope:
    """One session, one scratchpad, everything of a tenant, or (tenant None) of all tenants."""

    tenant: str | None
    session_id: str | None = None
    scratch_id: str | None = None

    @property
    def name(self) -> str:
        if self.session_id is not None:
            return "session"
        if self.scratch_id is not None:
            return "notebook"
        return "all" if self.tenant is None else "tenant"

    @property
    def object(self) -> str | None:
        """As the audit record names it."""
        if self.session_id is not None:
            return f"session:{self.session_id}"
        return None if self.scratch_id is None else f"scratchpad:{self.scratch_id}"


@dataclass(frozen=True, slots=True)
class ImportChoice:
    """`tenant` is where everything goes; None for the tenants that the file names, or else the default one."""

    tenant: str | None = None
    on_conflict: OnConflict = "refuse"
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class TransferLimits:
    """The same as for what agents write; 0 stands for no limit in the last three."""

    sessions: int
    notes: int
    note_bytes: int
    sections: int
    section_bytes: int
    tasks: int
    questions: int
    messages: int
    memory: int
    scratchpads: int
    cells: int
    cell_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> "TransferLimits":
        return cls(
            sessions=settings.max_sessions,
            notes=settings.max_notes,
            note_bytes=settings.max_note_bytes,
            sections=settings.max_sections,
            section_bytes=settings.max_section_bytes,
            tasks=settings.max_tasks,
            questions=settings.max_questions,
            messages=settings.max_messages,
            memory=settings.max_memory,
            scratchpads=settings.max_scratchpads,
            cells=settings.max_cells_per_pad,
            cell_bytes=settings.max_cell_bytes,
        )


class Exported(Result):
    """How much a file has."""

    sessions: int
    scratchpads: int
    records: int
    bytes: int | None = omitted_if_none()
    sha256: str | None = omitted_if_none()


class UnitImported(Result):
    """One session, scratchpad, or all memory across sessions; `records` are those that are new here."""

    id: str | None
    records: int


class Imported(Result):
    """What was made; `skipped` is what was there already. Ids have their tenant before them where there are several."""

    sessions: list[str]
    scratchpads: list[str]
    memory: int
    records: int
    skipped: list[str]
    dry_run: bool | None = omitted_if_none()


def encoded_line(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def refused(line: int, problem: str) -> ValidationFailed:
    """The file cannot be imported; nothing was changed."""
    clean = re.sub(r"[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]", "?", problem)
    return ValidationFailed(f"Line {line:,}: {clean}.", hint="Nothing was imported.", line=line)
