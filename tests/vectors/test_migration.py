"""A store of an older version: its texts are found again by their words, as they are read now, and by their meaning."""

import shutil
from pathlib import Path

from longtable.fulltext import index
from longtable.fulltext.words import parse_query
from longtable.search.texts import TEXTS
from longtable.storage.database import Database, Transaction
from longtable.storage.migrate import MIGRATIONS
from longtable.vectors.reindex import complete, empty
from tests.stores import Store
from tests.vectors.indexed_notes import IndexedNotes

SESSION = """INSERT INTO sessions (tenant, session_id, purpose, metadata, created_by, created_at, expires_at, status)
             VALUES (:tenant, 's-acme', '', '{}', 'ann', 1, 2, 'active')"""
NOTE = """INSERT INTO notes (tenant, session_id, number, content, tags, author, created_at)
          VALUES (:tenant, 's-acme', 1, 'bread and 全文検索', '[]', 'ann', 1)"""


async def older(place: Store, tmp_path: Path) -> None:
    """A note, indexed as one text of two words was before there were vectors."""
    folder = tmp_path / "older"
    folder.mkdir()
    for path in MIGRATIONS.glob("000[1-7]_*.sql"):
        shutil.copy(path, folder)
    database = await place.open(migrations=folder)

    async def body(tx: Transaction) -> None:
        for statement in (SESSION, NOTE):
            await tx.execute(statement)
        await index.add(tx, index.SearchDocument("note", "s-acme", "n1", "bread and"))

    await database.write("acme", body)
    await database.close()


async def found(database: Database, words: str) -> list[str]:
    async def body(tx: Transaction) -> list[str]:
        match = index.match(tx, "note", ["s-acme"], parse_query(words))
        return [row["ref"] for row in await tx.all(match.sql, **match.parameters)]

    return await database.read("acme", body)


async def test_texts_of_an_older_store_are_found_by_their_words_as_they_are_read_now(
    place: Store, tmp_path: Path
) -> None:
    await older(place, tmp_path)

    database = await place.open()
    await complete(database, TEXTS)

    assert [await found(database, words) for words in ("bread", "検索")] == [["n1"], ["n1"]]
    assert await IndexedNotes(database).waiting() == ["n1"]
    changed = index.SearchDocument("note", "s-acme", "n1", "bread and 全文検索")
    await database.write("acme", lambda tx: index.remove(tx, changed))
    assert [await found(database, words) for words in ("bread", "検索")] == [[], []]


async def test_an_index_that_was_left_empty_is_filled(place: Store, tmp_path: Path) -> None:
    await older(place, tmp_path)
    database = await place.open()
    await complete(database, TEXTS)
    await empty(database)

    await complete(database, TEXTS)

    assert await found(database, "検索") == ["n1"]


async def test_an_index_that_is_whole_is_left_alone(place: Store, tmp_path: Path) -> None:
    await older(place, tmp_path)
    database = await place.open()
    await complete(database, TEXTS)
    before = await IndexedNotes(database).rows("SELECT document_id FROM documents")

    await complete(database, TEXTS)

    assert await IndexedNotes(database).rows("SELECT document_id FROM documents") == before
