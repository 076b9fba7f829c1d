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
from tests.table import open_table
from tests.vectors.indexed_notes import IndexedNotes

SESSION = """INSERT INTO sessions (tenant, session_id, purpose, metadata, created_by, created_at, expires_at, status)
             VALUES (:tenant, 's-acme', '', '{}', 'ann', 1, 4102444800000000, 'active')"""
NOTE = """INSERT INTO notes (tenant, session_id, number, content, tags, author, created_at)
          VALUES (:tenant, 's-acme', 1, 'bread and 全文検索', '[]', 'ann', 1)"""


async def older(place: Store, tmp_path: Path, before: str = "0008") -> None:
    """A note, indexed as one text of two words was in an earlier version."""
    folder = tmp_path / "older"
    folder.mkdir()
    for path in MIGRATIONS.glob("*.sql"):
        if path.name < before:
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
        match = index.match(tx, index.MatchRequest("note", ["s-acme"], parse_query(words)))
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


async def test_after_an_upgrade_answers_say_what_cannot_be_found_yet(place: Store, tmp_path: Path) -> None:
    await older(place, tmp_path, "0018")

    async with open_table(place, tmp_path, auth_tokens="acme:secret") as table:
        ann = table.agent("ann", "s-acme", token="secret")
        before = await ann.calls("search_context", query="bread")
        await complete(table.app.database, TEXTS)
        after = await ann.calls("search_context", query="bread")

    assert before["indexing"] == 1
    assert ([hit["id"] for hit in after["results"]], after.get("indexing")) == (["n1"], None)


async def test_words_are_filled_in_beside_what_is_changed_meanwhile(place: Store, tmp_path: Path) -> None:
    await older(place, tmp_path, "0018")
    database = await place.open()
    numbered = await IndexedNotes(database).rows("SELECT document_id FROM documents")

    await complete(database, TEXTS)

    assert await IndexedNotes(database).rows("SELECT document_id FROM documents") == numbered, "vectors stay"
    gone = index.SearchDocument("note", "s-acme", "n1", "bread and 全文検索", ("author ann",))
    await database.write("acme", lambda tx: index.remove(tx, gone))
    assert [await found(database, words) for words in ("bread", "検索")] == [[], []]


async def test_a_text_that_has_no_words_yet_can_be_removed(place: Store, tmp_path: Path) -> None:
    await older(place, tmp_path, "0018")
    database = await place.open()
    gone = index.SearchDocument("note", "s-acme", "n1", "bread and 全文検索", ("author ann",))

    await database.write("acme", lambda tx: index.remove(tx, gone))
    await complete(database, TEXTS)

    assert await found(database, "bread") == []


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
