"""A whole server with the real model: what agents write is found by meaning, and gone when it is gone."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import DAY, MINUTE
from longtable.search.texts import TEXTS
from longtable.storage.database import SYSTEM
from longtable.toolkit.dispatch import Invocation
from longtable.toolkit.tool import Envelope
from longtable.vectors import reindex
from tests.stores import Store
from tests.table import Agent, Table, open_table
from tests.vectors.indexed_notes import gaps, until
from tests.vectors.synthetic import EVERYTHING

pytestmark = pytest.mark.slow

TEXTS_OF_EACH_KIND = {
    "note": "The invoice was paid twice by mistake.",
    "message": "Our ship reaches the harbour at dawn.",
    "section": "Bees carry pollen from flower to flower.",
    "scratchpad": "How to bake sourdough bread at home.",
    "cell": "The telescope saw a distant galaxy.",
}
QUESTIONS = {
    "note": "double payment of a bill",
    "message": "when does the boat arrive in port",
    "section": "insects that fertilise plants",
    "scratchpad": "recipe for a loaf",
    "cell": "astronomy of far away stars",
}


@pytest.fixture
async def table(place: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Table]:
    """Whatever waits for a quiet moment after the start waits in vain: what is written must not."""
    monkeypatch.setattr("longtable.background.JOB_DELAY", 600.0)
    async with open_table(place, tmp_path, enable_semantic_search="true") as opened:
        yield opened


@pytest.fixture
async def alice(table: Table) -> Agent:
    return table.agent("alice", await table.session("sess_one"))


async def writes_all(agent: Agent) -> None:
    await agent.adds_note(TEXTS_OF_EACH_KIND["note"])
    await agent.calls("add_message", content=TEXTS_OF_EACH_KIND["message"])
    await agent.calls("write_draft_section", section_id="intro", content=TEXTS_OF_EACH_KIND["section"])
    await agent.calls("scratch_create", scratch_id="pad", metadata={"title": TEXTS_OF_EACH_KIND["scratchpad"]})
    cell = {"language": "md", "content": TEXTS_OF_EACH_KIND["cell"]}
    await agent.calls("scratch_append_cell", scratch_id="pad", cell=cell)


async def best(table: Table, question: str) -> str | None:
    """The kind of the nearest text."""
    meaning = table.app.slices.meaning
    query = await meaning.query(question)
    if query is None:
        return None
    rows = await table.app.database.read(
        SYSTEM, lambda tx: tx.all("SELECT document_id, kind, session_id FROM documents")
    )
    scopes = sorted({row["session_id"] for row in rows})
    found = await meaning.nearest.find("default", scopes, query, EVERYTHING, 1)
    kinds = {row["document_id"]: row["kind"] for row in rows}
    return kinds[found[0].document_id] if found else None


async def is_done(table: Table) -> bool:
    return await table.app.slices.indexer.waiting() == 0


async def vectors(table: Table) -> int:
    row = await table.app.database.read(SYSTEM, lambda tx: tx.first("SELECT COUNT(*) AS number FROM vectors"))
    assert row is not None
    return int(row["number"])


async def test_every_kind_of_text_is_found_by_what_it_means(table: Table, alice: Agent) -> None:
    await writes_all(alice)

    await until(lambda: is_done(table))

    assert {kind: await best(table, question) for kind, question in QUESTIONS.items()} == dict(
        zip(QUESTIONS, QUESTIONS, strict=True)
    )


async def test_a_text_is_found_within_two_seconds_of_its_commit(table: Table, alice: Agent) -> None:
    await alice.adds_note("Something so that the model is loaded.")
    await until(lambda: is_done(table))

    await alice.calls("scratch_create", scratch_id="pad")
    await alice.calls(
        "scratch_append_cell", scratch_id="pad", cell={"language": "md", "content": TEXTS_OF_EACH_KIND["cell"]}
    )
    committed = time.monotonic()

    async def found() -> bool:
        return await best(table, QUESTIONS["cell"]) == "cell"

    await until(found)
    assert time.monotonic() - committed < 10


async def test_the_event_loop_goes_on_while_a_model_loads_and_texts_are_embedded_and_found(
    table: Table, alice: Agent
) -> None:
    with gaps() as longest:
        await writes_all(alice)
        await until(lambda: is_done(table))
        await best(table, QUESTIONS["note"])

    assert longest[0] < 0.25


async def test_redaction_and_purge_leave_no_vectors(table: Table, alice: Agent) -> None:
    await writes_all(alice)
    await until(lambda: is_done(table))
    close = await score(table, QUESTIONS["note"])

    await redacts_note(table)
    distant = await score(table, QUESTIONS["note"])
    await until(lambda: is_done(table))
    before = await vectors(table)
    table.clock.ahead = DAY + MINUTE
    await table.app.jobs.run()
    table.clock.ahead += 30 * DAY
    await table.app.jobs.run()

    assert close > 0.4 > distant
    assert before == 4, "what stands for a redacted note is not indexed"
    assert await vectors(table) == 2, "those of the scratchpad, which belongs to no session"


async def redacts_note(table: Table) -> None:
    boss = Caller("default", Role.OWNER, "boss", "generic", Surface.CLI, "sess_one")
    outcome = await table.app.dispatcher.call(
        Invocation("redact", {"kind": "note", "id": "n1"}, boss, CurrentSession()), Envelope.OK
    )
    assert outcome.error is None


async def score(table: Table, question: str) -> float:
    """How near the nearest text of the session is."""
    meaning = table.app.slices.meaning
    query = await meaning.query(question)
    assert query is not None
    found = await meaning.nearest.find("default", ["sess_one"], query, EVERYTHING, 1)
    return found[0].score


async def test_reindexing_finds_what_the_index_had_lost(table: Table, alice: Agent) -> None:
    await writes_all(alice)
    await until(lambda: is_done(table))
    database = table.app.database
    await reindex.empty(database)
    lost = (await alice.calls("search_context", query="invoice", mode="keyword"))["results"]

    indexed = [await reindex.reindex(database, "default", TEXTS, lambda _: None) for _ in range(2)]
    table.app.slices.indexer.wake()
    await until(lambda: is_done(table))

    assert lost == []
    assert indexed == [5, 5]
    assert len((await alice.calls("search_context", query="invoice", mode="keyword"))["results"]) == 1
    assert await best(table, QUESTIONS["cell"]) == "cell"
    assert await vectors(table) == 5
