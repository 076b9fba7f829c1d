"""A store from before there were vectors: what was found is found, and waits to be found by meaning too."""

import shutil
from pathlib import Path

from longtable.fulltext import index
from longtable.fulltext.index import Document
from longtable.fulltext.words import parse_query
from longtable.storage.database import Row, Transaction
from longtable.storage.migrate import MIGRATIONS
from tests.stores import Store
from tests.vectors.desk import Desk

NOTE = Document("note", "s-acme", "n1", "bread and butter")


async def test_texts_of_an_older_store_keep_their_words_and_wait_to_be_embedded(place: Store, tmp_path: Path) -> None:
    older = tmp_path / "older"
    older.mkdir()
    for path in MIGRATIONS.glob("000[1-7]_*.sql"):
        shutil.copy(path, older)
    before = await place.open(migrations=older)
    await before.write("acme", lambda tx: index.add(tx, NOTE))
    await before.close()

    database = await place.open()

    async def found(tx: Transaction) -> list[Row]:
        match = index.match(tx, "note", ["s-acme"], parse_query("butter"))
        return await tx.all(match.sql, **match.parameters)

    assert [row["ref"] for row in await database.read("acme", found)] == ["n1"]
    assert await Desk(database).waiting() == ["n1"]
    await database.write("acme", lambda tx: index.remove(tx, NOTE))
    assert await database.read("acme", found) == []
