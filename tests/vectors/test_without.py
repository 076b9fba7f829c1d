"""Without pgvector, or without a model, everything but the search by meaning works, and says what is missing."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from longtable.server.intake import Intake
from longtable.server.metrics import Metrics
from longtable.storage.postgres import PostgresDatabase
from longtable.vectors.meaning import VectorSearch
from longtable.vectors.nearest import Nearest
from tests.schemas import PostgresLogin, administer
from tests.stores import RecordingHooks, Store
from tests.table import open_table
from tests.vectors.indexed_notes import IndexedNotes
from tests.vectors.synthetic import EVERYTHING, MODEL, MadeUpModel, StoredVectors, vector_of


@pytest.fixture
async def bare(postgres: PostgresLogin) -> AsyncIterator[str]:
    """A database of its own that has no extension, for a login that may not create one."""
    name = f"bare_{secrets.token_hex(6)}"
    await administer(postgres.admin_url, f"CREATE DATABASE {name} OWNER {postgres.role}")
    parts = urlsplit(postgres.url("public"))
    yield parts._replace(path=f"/{name}").geturl()
    await administer(postgres.admin_url, f"DROP DATABASE {name} WITH (FORCE)")


async def test_without_the_extension_texts_are_kept_and_removed_and_the_remedy_is_named(bare: str) -> None:
    database = await PostgresDatabase.open(bare, RecordingHooks())
    indexed = IndexedNotes(database)
    meaning = VectorSearch(indexed.model, Nearest(StoredVectors(database).store, lambda: MODEL))

    await indexed.adds("n1", "bread")
    await indexed.adds("n2", "butter")
    await indexed.removes("n2")
    query = await meaning.query("bread")
    found = await meaning.nearest.find("acme", ["s-acme"], vector_of("bread"), EVERYTHING, 10)

    assert (query, found) == (None, [])
    assert meaning.status == "unavailable"
    assert "CREATE EXTENSION vector" in (meaning.problem or "")
    assert await indexed.waiting() == ["n1"]
    await database.close()


async def test_a_model_that_cannot_be_had_makes_search_by_meaning_unavailable(store: Store) -> None:
    model = MadeUpModel(state="off", problem="It is switched off. Set enable_semantic_search to true.")
    meaning = VectorSearch(model, Nearest(StoredVectors(await store.open()).store, lambda: None))

    assert meaning.status == "unavailable"
    assert "enable_semantic_search" in (meaning.problem or "")


async def test_a_model_that_is_not_loaded_yet_is_warming(store: Store) -> None:
    model = MadeUpModel(state="loading")
    meaning = VectorSearch(model, Nearest(StoredVectors(await store.open()).store, lambda: MODEL))

    assert meaning.status == "warming"


async def test_with_search_by_meaning_switched_off_texts_are_found_by_their_words(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, enable_semantic_search="false") as table:
        alice = table.agent("alice", await table.session("sess_one"))
        await alice.adds_note("bread and butter")

        found = await alice.calls("search_context", query="butter", mode="hybrid")

        assert [hit["id"] for hit in found["results"]] == ["n1"]
        assert found["degraded"]
        assert await table.app.slices.indexer.waiting() == 0


async def test_the_metrics_tell_how_many_texts_wait(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, enable_semantic_search="true") as table:
        alice = table.agent("alice", await table.session("sess_one"))
        await alice.adds_note("bread and butter")
        await alice.adds_note("nuts and bolts")

        text, _ = await Metrics(table.app, Intake(table.app.settings, table.app.refusals)).render()

        assert b"longtable_embedding_queue 2.0" in text
        assert b"longtable_embedding_bytes 0.0" in text
        assert b"longtable_vector_bytes 0.0" in text
