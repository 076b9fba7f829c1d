"""SQL for notes."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from longtable.fulltext import index, waiting
from longtable.fulltext.index import one_of
from longtable.notes.model import Note, note_id
from longtable.storage import counters
from longtable.storage.database import Transaction

KIND = "note"
AUTHOR_LABEL, TAG_LABEL = "author ", "tag "
"""What a search may be narrowed to, in the index."""
_COLUMNS = "number, content, tags, author, source, supersedes, superseded_by, created_at, origin"


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """Pages go on after a number, or before one when the newest come first."""

    limit: int
    tags: tuple[str, ...] = ()
    author: str | None = None
    after: int = 0
    before: int | None = None

    @property
    def is_narrowed(self) -> bool:
        return bool(self.tags) or self.author is not None


async def insert(tx: Transaction, session_id: str, note: Note) -> None:
    await tx.enqueue(
        """INSERT INTO notes (tenant, session_id, number, content, tags, author, source, supersedes, created_at)
           VALUES (:tenant, :session_id, :number, :content, :tags, :author, :source, :supersedes, :created_at)""",
        session_id=session_id,
        number=note.number,
        content=note.content,
        tags=_tags_text(note.tags),
        author=note.author,
        source=note.source,
        supersedes=note.supersedes,
        created_at=note.created_at,
    )
    if note.tags:
        await tx.execute_many(
            "INSERT INTO note_tags (tenant, session_id, tag, number) VALUES (:tenant, :session_id, :tag, :number)",
            [{"session_id": session_id, "tag": tag, "number": note.number} for tag in note.tags],
        )
    await waiting.add(tx, document(session_id, note))


async def find(tx: Transaction, session_id: str, number: int) -> Note | None:
    found = await some(tx, session_id, [number])
    return found[0] if found else None


async def supersede(tx: Transaction, session_id: str, old: int, new: int) -> bool:
    """False when there is no such note. The first successor stays: notes are never rewritten twice."""
    touched = await tx.execute(
        """UPDATE notes SET superseded_by = COALESCE(superseded_by, :new)
           WHERE tenant = :tenant AND session_id = :session_id AND number = :old""",
        session_id=session_id,
        old=old,
        new=new,
    )
    return touched == 1


async def any_supersedes(tx: Transaction, session_id: str, first: int, last: int) -> bool:
    rows = await tx.tuples(
        """SELECT number FROM notes WHERE tenant = :tenant AND session_id = :session_id
             AND number BETWEEN :first AND :last AND supersedes IS NOT NULL LIMIT 1""",
        session_id=session_id,
        first=first,
        last=last,
    )
    return bool(rows)


async def page(tx: Transaction, session_id: str, where: NoteFilter) -> list[Note]:
    source, order, parameters = _source(where)
    place, direction = ("number > :place", "") if where.before is None else ("number < :place", "DESC")
    rows = await tx.tuples(
        f"{source} AND {place} ORDER BY {order} {direction} LIMIT :limit",
        session_id=session_id,
        limit=where.limit,
        place=where.after if where.before is None else where.before,
        **parameters,
    )
    return _notes(rows)


async def some(tx: Transaction, session_id: str, numbers: Collection[int]) -> list[Note]:
    """The notes with these numbers, in this order."""
    listed = one_of(tx.dialect, "number", "numbers", "bigint")
    rows = await tx.tuples(
        f"SELECT {_COLUMNS} FROM notes WHERE tenant = :tenant AND session_id = :session_id AND {listed}",
        session_id=session_id,
        numbers=json.dumps(list(numbers)),
    )
    found = {note.number: note for note in _notes(rows)}
    return [found[number] for number in numbers if number in found]


async def newest_number(tx: Transaction, session_id: str) -> int:
    """Also how many notes there are: none is ever removed."""
    return await counters.current(tx, session_id, KIND)


async def count(tx: Transaction, session_id: str, where: NoteFilter, most: int) -> int:
    """Up to `most`: a count has to visit every note that matches."""
    if where.tags and where.author is None:
        # A tag has no row without its note, which need not be looked at then.
        source, parameters = _tagged(where.tags)
    else:
        source, _, parameters = _source(where)
    row = await tx.first(
        f"SELECT COUNT(*) AS total FROM ({source} LIMIT :most) AS found", session_id=session_id, most=most, **parameters
    )
    assert row is not None
    return int(row["total"])


async def tag_counts(tx: Transaction, session_id: str, most: int) -> list[tuple[str, int]]:
    """The most used first."""
    rows = await tx.tuples(
        """SELECT tag, COUNT(*) AS used FROM note_tags WHERE tenant = :tenant AND session_id = :session_id
           GROUP BY tag ORDER BY used DESC, tag LIMIT :most""",
        session_id=session_id,
        most=most,
    )
    return [(tag, used) for tag, used in rows]


async def author_counts(tx: Transaction, session_id: str, most: int) -> list[tuple[str, int]]:
    """Authors with their numbers of notes, those with most first."""
    rows = await tx.tuples(
        """SELECT author, COUNT(*) AS written FROM notes WHERE tenant = :tenant AND session_id = :session_id
           GROUP BY author ORDER BY written DESC, author LIMIT :most""",
        session_id=session_id,
        most=most,
    )
    return [(author, written) for author, written in rows]


async def tagged_count(tx: Transaction, session_id: str) -> int:
    """How many notes have a tag."""
    row = await tx.first(
        """SELECT COUNT(DISTINCT number) AS tagged FROM note_tags
           WHERE tenant = :tenant AND session_id = :session_id""",
        session_id=session_id,
    )
    assert row is not None
    return int(row["tagged"])


async def purge(tx: Transaction, session_id: str) -> None:
    rows = await tx.tuples(
        f"SELECT {_COLUMNS} FROM notes WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
    )
    for note in _notes(rows):
        await index.remove(tx, document(session_id, note))
    for table in ("note_tags", "notes"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
        )


def document(session_id: str, note: Note) -> index.SearchDocument:
    labels = (AUTHOR_LABEL + note.author, *(TAG_LABEL + tag for tag in note.tags))
    return index.SearchDocument(KIND, session_id, note_id(note.number), note.content, labels)


def _source(where: NoteFilter) -> tuple[str, str, dict[str, Any]]:
    """The notes that match, unordered and uncut; the order; the parameters."""
    parameters: dict[str, Any] = {}
    conditions = ["notes.tenant = :tenant", "notes.session_id = :session_id"]
    if where.author is not None:
        conditions.append("author = :author")
        parameters["author"] = where.author
    table, order = "notes", "number"
    if where.tags:
        tagged, tags = _tagged(where.tags)
        parameters |= tags
        # CROSS JOIN makes SQLite start with what the filter finds, instead of testing every note.
        table, order = f"({tagged}) AS chosen CROSS JOIN notes", "chosen.tagged"
        conditions.append("notes.number = chosen.tagged")
    return f"SELECT {_COLUMNS} FROM {table} WHERE {' AND '.join(conditions)}", order, parameters


def _tagged(tags: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    names = [f":tag_{position}" for position, _ in enumerate(tags)]
    distinct = "DISTINCT" if len(tags) > 1 else ""
    sql = f"""SELECT {distinct} number AS tagged FROM note_tags
              WHERE tenant = :tenant AND session_id = :session_id AND tag IN ({", ".join(names)})"""
    return sql, {f"tag_{position}": tag for position, tag in enumerate(tags)}


def _notes(rows: Iterable[tuple[Any, ...]]) -> list[Note]:
    return [Note(number, content, _tags(tags), *others) for number, content, tags, *others in rows]


_tags_text = lru_cache(maxsize=4096)(partial(json.dumps, ensure_ascii=False))


@lru_cache(maxsize=4096)
def _tags(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
