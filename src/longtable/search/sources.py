"""Where each kind of text is stored: the tables that decide who may find it, and those that hold the rest.

`documents`, the index, comes first; CROSS JOIN makes SQLite keep that order, instead of searching once for every row
of another table."""

from collections.abc import Mapping
from dataclasses import dataclass

from longtable.messages.store import VISIBLE
from longtable.search.model import Kind


@dataclass(frozen=True, slots=True)
class TextSource:
    """`tables` and `condition` decide whether a document may be found, `more_tables` and `more_conditions` give the
    rest of its columns. `filters` are the ones that this kind can satisfy."""

    filters: frozenset[str]
    tables: str
    condition: str
    more_tables: str
    more_conditions: str
    own_columns: Mapping[str, str]

    @property
    def columns(self) -> str:
        """The same for all kinds."""
        return ", ".join(f"{self.own_columns.get(name, 'NULL')} AS {name}" for name in _COLUMNS)

    @property
    def ranked_columns(self) -> str:
        """What a text is ranked by: the title of its scratchpad counts for a cell."""
        return ", ".join(self.own_columns[name] for name in _RANKED if name in self.own_columns)


_RANKED = ["title", "content", "description", "summary"]
_COLUMNS = [
    "content",
    "author",
    "tags",
    "cell_tags",
    "at",
    "title",
    "description",
    "summary",
    "visibility",
    "scratch_id",
    "namespace",
    "language",
]


def _start_of(text: str) -> str:
    return f"SUBSTR({text}, 1, :most)"


NOTE_NUMBER = "CAST(SUBSTR(documents.ref, 2) AS BIGINT)"
_PAD_COLUMNS = {
    "tags": "scratchpads.tags",
    "title": "scratchpads.title",
    "scratch_id": "scratchpads.scratch_id",
    "namespace": "scratchpads.namespace",
}

SOURCES: dict[Kind, TextSource] = {
    "note": TextSource(
        filters=frozenset({"tags"}),
        tables="CROSS JOIN notes",
        condition=f"""AND notes.tenant = :tenant AND notes.session_id = documents.session_id
            AND notes.number = {NOTE_NUMBER}""",
        more_tables="",
        more_conditions="",
        own_columns=dict(
            content=_start_of("notes.content"), author="notes.author", tags="notes.tags", at="notes.created_at"
        ),
    ),
    "message": TextSource(
        filters=frozenset(),
        tables="CROSS JOIN messages",
        condition=f"""AND messages.tenant = :tenant AND messages.session_id = documents.session_id
            AND messages.number = CAST(documents.ref AS BIGINT) AND {VISIBLE}""",
        more_tables="",
        more_conditions="",
        own_columns=dict(
            content=_start_of("messages.content"),
            author="messages.sender",
            at="messages.created_at",
            visibility="messages.visibility",
        ),
    ),
    "section": TextSource(
        filters=frozenset(),
        tables="",
        condition="",
        more_tables="CROSS JOIN sections CROSS JOIN section_versions",
        more_conditions="""AND sections.tenant = :tenant AND sections.session_id = documents.session_id
            AND sections.section_id = documents.ref AND section_versions.tenant = :tenant
            AND section_versions.session_id = documents.session_id AND section_versions.section_id = documents.ref
            AND section_versions.version = sections.version""",
        own_columns=dict(
            content=_start_of("section_versions.content"),
            author="section_versions.author",
            at="section_versions.created_at",
            title="sections.title",
        ),
    ),
    "cell": TextSource(
        filters=frozenset({"namespaces", "tags", "languages"}),
        tables="CROSS JOIN cells CROSS JOIN scratchpads",
        condition="""AND cells.tenant = :tenant AND cells.cell_id = documents.ref
            AND scratchpads.tenant = :tenant AND scratchpads.pad = cells.pad AND scratchpads.trashed_at IS NULL""",
        more_tables="CROSS JOIN cell_texts",
        more_conditions="AND cell_texts.tenant = :tenant AND cell_texts.cell_id = documents.ref",
        own_columns=dict(
            **_PAD_COLUMNS,
            content=_start_of("cell_texts.content"),
            cell_tags="cells.tags",
            at="cells.updated_at",
            language="cells.language",
        ),
    ),
    "scratchpad": TextSource(
        filters=frozenset({"namespaces", "tags"}),
        tables="CROSS JOIN scratchpads",
        condition="""AND scratchpads.tenant = :tenant AND scratchpads.pad = CAST(documents.ref AS BIGINT)
            AND scratchpads.trashed_at IS NULL""",
        more_tables="",
        more_conditions="",
        own_columns=dict(
            **_PAD_COLUMNS,
            at="scratchpads.updated_at",
            description=_start_of("scratchpads.description"),
            summary=_start_of("scratchpads.summary"),
        ),
    ),
}
