"""SQL for the draft."""

from typing import Any

from longtable.draft.model import Section, SectionVersion
from longtable.fulltext import index, waiting
from longtable.storage.database import Transaction

KIND = "section"
MANY = 2**31
"""More sections than a draft can have."""

_HERE = "tenant = :tenant AND session_id = :session_id"
_THIS = f"{_HERE} AND section_id = :section_id"


async def find(tx: Transaction, session_id: str, section_id: str) -> Section | None:
    row = await tx.first(
        f"SELECT section_id, title, position, version, author, updated_at FROM sections WHERE {_THIS}",
        session_id=session_id,
        section_id=section_id,
    )
    return Section(**row) if row else None


async def count(tx: Transaction, session_id: str) -> int:
    return await _number(tx, f"SELECT COUNT(*) AS number FROM sections WHERE {_HERE}", session_id=session_id)


async def total_bytes(tx: Transaction, session_id: str) -> int:
    """The size of all current texts together."""
    sql = f"SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS number FROM sections WHERE {_HERE}"
    return await _number(tx, sql, session_id=session_id)


async def outline(tx: Transaction, session_id: str) -> list[SectionVersion]:
    """The current version of every section, in order, without the texts."""
    rows = await tx.all(
        f"""SELECT section_id, version, title, NULL AS content, author, updated_at AS created_at, origin
            FROM sections WHERE {_HERE} ORDER BY position, section_id""",
        session_id=session_id,
    )
    return [SectionVersion(**row) for row in rows]


_CURRENT = """FROM sections JOIN section_versions USING (tenant, session_id, section_id, version)
    WHERE tenant = :tenant AND session_id = :session_id"""


async def lengths(tx: Transaction, session_id: str) -> list[int]:
    """The characters of every current text, in the order of the sections."""
    rows = await tx.tuples(f"SELECT LENGTH(content) {_CURRENT} ORDER BY position, section_id", session_id=session_id)
    return [row[0] for row in rows]


async def manuscript(tx: Transaction, session_id: str, first: int = 0, count: int = MANY) -> list[SectionVersion]:
    """The current version of every section, in order, or of `count` from the one at place `first` on."""
    rows = await tx.all(
        f"""SELECT section_id, version, section_versions.title, content, section_versions.author, created_at,
                section_versions.origin
            {_CURRENT} ORDER BY position, section_id LIMIT :count OFFSET :first""",
        session_id=session_id,
        first=first,
        count=count,
    )
    return [SectionVersion(**row) for row in rows]


async def version(tx: Transaction, session_id: str, section_id: str, number: int) -> SectionVersion | None:
    row = await tx.first(
        f"""SELECT section_id, version, title, content, author, created_at, origin
            FROM section_versions WHERE {_THIS} AND version = :number""",
        session_id=session_id,
        section_id=section_id,
        number=number,
    )
    return SectionVersion(**row) if row else None


async def insert(tx: Transaction, session_id: str, section: Section, content: str) -> None:
    await tx.execute(
        """INSERT INTO sections
               (tenant, session_id, section_id, title, position, version, bytes, author, updated_at)
           VALUES (:tenant, :session_id, :section_id, :title, :position, :version, :bytes, :author, :updated_at)""",
        **_columns(session_id, section, content),
        position=section.position,
    )
    await _keep(tx, session_id, section, content)
    await waiting.add(tx, document(session_id, section.section_id, section.title, content))


async def update(tx: Transaction, session_id: str, section: Section, content: str) -> None:
    """Makes `section` the version after the current one; its position stays."""
    former = await version(tx, session_id, section.section_id, section.version - 1)
    assert former is not None
    await tx.execute(
        f"""UPDATE sections SET title = :title, version = :version, bytes = :bytes, author = :author,
                updated_at = :updated_at, origin = NULL
            WHERE {_THIS}""",
        **_columns(session_id, section, content),
    )
    await _keep(tx, session_id, section, content)
    if (former.title, former.content) != (section.title, content):
        await index.remove(tx, document(session_id, former.section_id, former.title, former.content or ""))
        await waiting.add(tx, document(session_id, section.section_id, section.title, content))


async def move(tx: Transaction, session_id: str, section: Section, position: int) -> None:
    """Moves the section to `position`, or to the end; the others close up."""
    last = await count(tx, session_id) - 1
    old, new = section.position, min(position, last)
    await tx.execute(
        f"""UPDATE sections
            SET position = CASE WHEN section_id = :section_id THEN CAST(:new AS BIGINT) ELSE position + :step END
            WHERE {_HERE} AND position >= :first AND position <= :last""",
        session_id=session_id,
        section_id=section.section_id,
        new=new,
        step=1 if new < old else -1,
        first=min(old, new),
        last=max(old, new),
    )


async def purge(tx: Transaction, session_id: str) -> None:
    for section in await outline(tx, session_id):
        kept = await version(tx, session_id, section.section_id, section.version)
        assert kept is not None
        await index.remove(tx, document(session_id, kept.section_id, kept.title, kept.content or ""))
    for table in ("section_versions", "sections"):
        await tx.execute(f"DELETE FROM {table} WHERE {_HERE}", session_id=session_id)


async def any_read_before(tx: Transaction, moment: int) -> bool:
    """Whether the log still has an event about a read before `moment`; in SYSTEM scope."""
    row = await tx.first(
        "SELECT 1 AS found FROM events WHERE kind = 'scratchpad/section_read' AND created_at <= :moment LIMIT 1",
        moment=moment,
    )
    return row is not None


async def forget_reads(tx: Transaction, moment: int, limit: int) -> None:
    """Deletes the oldest of these events, of all tenants; in SYSTEM scope."""
    await tx.execute(
        """DELETE FROM events WHERE (tenant, seq) IN (
               SELECT tenant, seq FROM events WHERE kind = 'scratchpad/section_read' AND created_at <= :moment
               ORDER BY created_at LIMIT :limit)""",
        moment=moment,
        limit=limit,
    )


def document(session_id: str, section_id: str, title: str, content: str) -> index.SearchDocument:
    return index.SearchDocument(KIND, session_id, section_id, f"{title}\n{content}")


async def _keep(tx: Transaction, session_id: str, section: Section, content: str) -> None:
    await tx.execute(
        """INSERT INTO section_versions
               (tenant, session_id, section_id, version, title, content, author, created_at)
           VALUES (:tenant, :session_id, :section_id, :version, :title, :content, :author, :created_at)""",
        session_id=session_id,
        section_id=section.section_id,
        version=section.version,
        title=section.title,
        content=content,
        author=section.author,
        created_at=section.updated_at,
    )


async def _number(tx: Transaction, sql: str, **parameters: Any) -> int:
    row = await tx.first(sql, **parameters)
    assert row is not None
    return int(row["number"])


def _columns(session_id: str, section: Section, content: str) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "section_id": section.section_id,
        "title": section.title,
        "version": section.version,
        "bytes": len(content.encode()),
        "author": section.author,
        "updated_at": section.updated_at,
    }
