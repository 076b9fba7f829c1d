"""Texts are indexed many at once, a moment after they were written. Nobody who searches, redacts or deletes notices."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.storage.database import SYSTEM
from longtable.vectors import word_indexer
from tests.spec.search.reading import pad, scratch_hits
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow
NEVER = 3_600.0
SOON = 40


@pytest.fixture
def unindexed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is indexed in the background while a test lasts."""
    monkeypatch.setattr(word_indexer, "INDEXED_AFTER", NEVER)


async def waiting(table: Table) -> int:
    if table.app.database.dialect != "sqlite":
        return 0
    rows = await table.app.database.read(SYSTEM, lambda tx: tx.tuples("SELECT COUNT(*) FROM waiting_texts"))
    return int(rows[0][0])


async def found(agent: Agent, word: str) -> list[str]:
    """What a search finds, in the session and among the notebooks."""
    session = await agent.calls("search_context", query=word, mode="keyword")
    cells = [cell for _, cell in await scratch_hits(agent, word, mode="keyword")]
    return sorted([*(hit["kind"] for hit in session["results"]), *("cell" if cell else "scratchpad" for cell in cells)])


async def writes_everything(agent: Agent, word: str) -> list[str]:
    """A text of each kind; the ids of its cells."""
    await agent.adds_note(f"a note about the {word}", tags=[word])
    await agent.calls("add_message", content=f"a message about the {word}")
    await agent.calls("write_draft_section", section_id="intro", content=f"a section about the {word}")
    return await pad(agent, "plans", f"a cell about the {word}", title=f"The {word}")


@pytest.mark.usefixtures("unindexed")
async def test_a_text_of_any_kind_is_found_right_after_it_was_written(table: Table, alice: Agent) -> None:
    await writes_everything(alice, "wombat")

    assert await found(alice, "wombat") == ["cell", "message", "note", "scratchpad", "section"]
    assert await waiting(table) == 0
    assert [note["id"] for note in await alice.reads_notes(query="wombat", tag="wombat")] == ["n1"]


@pytest.mark.usefixtures("unindexed")
async def test_another_process_finds_it_as_well_and_so_does_one_that_starts_later(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as here:
        alice = here.agent("alice", await here.session("sess_one"))
        await writes_everything(alice, "wombat")
        async with open_table(store, tmp_path) as there:
            beside = await found(there.agent("bob", "sess_one"), "wombat")
        await alice.adds_note("left behind: quokka")

    async with open_table(store, tmp_path) as later:
        after = await found(later.agent("bob", "sess_one"), "quokka")

    assert beside == ["cell", "message", "note", "scratchpad", "section"]
    assert after == ["note"]


@pytest.mark.usefixtures("unindexed")
async def test_what_is_changed_or_deleted_while_it_waits_is_not_found(alice: Agent) -> None:
    first, second = await pad(alice, "plans", "wombat one", "wombat two")
    await alice.calls(
        "scratch_replace_cell", scratch_id="plans", cell_id=first, cell={"language": "md", "content": "x"}
    )
    await alice.calls("scratch_delete_cell", scratch_id="plans", cell_id=second)
    await alice.calls("write_draft_section", section_id="intro", content="wombat")
    await alice.calls("write_draft_section", section_id="intro", content="quokka")

    assert (await found(alice, "wombat"), await found(alice, "quokka")) == ([], ["section"])


@pytest.mark.usefixtures("unindexed")
async def test_what_is_redacted_while_it_waits_never_gets_into_the_index(company: Table) -> None:
    boss = await company.bearer(Role.OWNER, "boss")
    await boss.calls("create_session", session_id="sess_acme")
    ann = company.agent("ann", "sess_acme", "acme-secret")
    (cell,) = await writes_everything(ann, "hunter2")
    things: list[dict[str, Any]] = [
        {"kind": "note", "id": "n1"},
        {"kind": "message", "id": 1},
        {"kind": "section", "id": "intro", "version": 1},
    ]
    answers = [await boss.client.post("/sessions/sess_acme/redact", json=thing) for thing in things]
    answers.append(await boss.client.post(f"/scratchpads/plans/cells/{cell}/redact"))

    assert [answer.status_code for answer in answers] == [200] * 4
    assert await found(ann, "hunter2") == ["scratchpad"]


@pytest.mark.usefixtures("unindexed")
async def test_twenty_written_at_once_are_all_found(alice: Agent) -> None:
    await asyncio.gather(*(alice.adds_note(f"wombat {number}") for number in range(20)))

    page = await alice.calls("read_notes", query="wombat", limit=50, mode="keyword")

    assert (page["total"], len({note["id"] for note in page["notes"]})) == (20, 20)


@pytest.mark.usefixtures("unindexed")
async def test_more_texts_than_are_indexed_at_once_are_all_found(table: Table, alice: Agent) -> None:
    await pad(alice, "plans", *(f"wombat {number}" for number in range(150)))
    await pad(alice, "long", *(f"quokka {number} {'long ' * 20_000}" for number in range(3)))

    wombats = await scratch_hits(alice, "wombat", mode="keyword", limit=100)
    last = await scratch_hits(alice, "wombat 149", mode="keyword")
    quokkas = await scratch_hits(alice, "quokka", mode="keyword")

    assert (len(wombats), len(last), len(quokkas), await waiting(table)) == (100, 1, 3, 0)


async def test_texts_are_indexed_soon_though_nobody_searches(table: Table, alice: Agent) -> None:
    await writes_everything(alice, "wombat")

    async with asyncio.timeout(SOON):
        while await waiting(table):  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("unindexed")
async def test_a_search_indexes_what_its_own_tenant_wrote_alone(company: Table) -> None:
    rival, acme = [await in_same_session(company, tenant) for tenant in ("rival", "acme")]
    for name, agent in (("rival", rival), ("acme", acme)):
        await agent.calls("write_draft_section", section_id="intro", content=f"wombat of {name}")

    hits = (await acme.calls("search_context", query="wombat", mode="keyword"))["results"]

    assert [hit["snippet"] for hit in hits] == ["Intro\nwombat of acme"]
    assert await waiting(company) == (1 if company.app.database.dialect == "sqlite" else 0)


@pytest.mark.usefixtures("unindexed")
async def test_what_one_tenant_changes_still_waits_for_another(company: Table) -> None:
    rival, acme = [await in_same_session(company, tenant) for tenant in ("rival", "acme")]
    for agent in (rival, acme):
        await agent.calls("write_draft_section", section_id="intro", content="wombat")
    await acme.calls("write_draft_section", section_id="intro", content="quokka")

    assert (await found(acme, "wombat"), await found(rival, "wombat")) == ([], ["section"])


async def in_same_session(company: Table, tenant: str) -> Agent:
    """An agent of a tenant, in a session that has the same name in all of them."""
    await company.agent("ann", token=f"{tenant}-secret").calls("create_session", session_id="sess_same")
    return company.agent("ann", "sess_same", f"{tenant}-secret")
