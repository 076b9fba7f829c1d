"""The trash: what was deleted, reset or evicted comes back whole for a week, and then leaves no trace."""

from pathlib import Path
from typing import Any

import pytest

from longtable.fulltext import index
from longtable.fulltext.words import parse_query
from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, HOUR
from longtable.notebooks import indexing
from longtable.storage.database import Transaction
from tests.spec.notebooks.pads import appends, cell, contents, creates, listed, reads, restores, rows, trash
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow

WORD = "quokka"


async def rich(ann: Agent, scratch_id: str = "p") -> dict[str, Any]:
    """A scratchpad with something of everything, as it is read."""
    metadata = {
        "title": f"{WORD} title",
        "namespace": "n",
        "tags": ["t"],
        "own": {"x": None},
        "schemas": {"s": {"type": "object"}},
    }
    cells = [cell(f"{WORD} one", tags=["x"], metadata={"m": 1}), cell("{}", "json", json_schema={"type": "object"})]
    await ann.calls("scratch_create", scratch_id=scratch_id, metadata=metadata, cells=cells)
    return await reads(ann, scratch_id)


def lasting(pad: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in pad.items() if name not in ("version", "updated_at")}


async def matches(table: Table) -> int:
    """How many texts the index itself has with the word, whatever else is known of them."""

    async def body(tx: Transaction) -> int:
        found = 0
        for kind in (indexing.CELL, indexing.PAD):
            request = index.MatchRequest(kind, [await indexing.scope(tx)], parse_query(WORD))
            if tx.dialect == "postgres":
                sql = "SELECT 1 FROM documents WHERE tenant = :tenant AND words @@ to_tsquery('longtable', :words)"
            else:
                sql = "SELECT 1 FROM documents_fts WHERE documents_fts MATCH :words AND :tenant <> ''"
            found += len(await tx.all(sql, words=index.match(tx, request).parameters[f"{kind}_words"]))
        return found

    await table.app.slices.words.index_all()
    return await table.app.database.read("default", body)


async def test_the_trash_lists_what_went_newest_first_and_why(ann: Agent) -> None:
    await creates(ann, "deleted", "x", title="D", namespace="n")
    await creates(ann, "reset", "x", "y")
    await ann.calls("scratch_delete", scratch_id="deleted")
    await creates(ann, "reset")

    entries = await trash(ann)

    assert [(one["scratch_id"], one["reason"], one["cell_count"]) for one in entries] == [
        ("reset", "reset", 2),
        ("deleted", "deleted", 1),
    ]
    assert set(entries[1]) == {
        "trash_id",
        "scratch_id",
        "title",
        "namespace",
        "cell_count",
        "reason",
        "trashed_at",
        "trashed_by",
        "expires_at",
    }
    assert (entries[1]["title"], entries[1]["namespace"], entries[1]["trashed_by"]) == ("D", "n", "ann")
    page = (await ann.client.get("/trash", params={"limit": 1})).json()
    more = (await ann.client.get("/trash", params={"limit": 1, "cursor": page["next_cursor"]})).json()
    assert [*page["trash"], *more["trash"]] == entries
    assert "next_cursor" not in more


async def test_what_is_restored_is_as_it_was(table: Table, ann: Agent) -> None:
    before = await rich(ann)
    counted = (await rows(table, "counters", "namespaces", "scratchpad_tags"))["namespaces"]
    for forgotten in (False, True):
        await ann.calls("scratch_delete", scratch_id="p")
        if forgotten:
            await table.app.jobs.run()

        answer = await restores(ann, "p")

        assert set(answer) == {"ok", "scratchpad"}
        assert WORD + " one" not in str(answer)
        assert lasting(await reads(ann, "p")) == lasting(before)
        assert (await rows(table, "namespaces"))["namespaces"] == counted
        assert await trash(ann) == []
        assert await matches(table) == 2
    assert (await reads(ann, "p"))["version"] == 3
    assert (await appends(ann, "p"))["index"] == 2
    assert (await ann.calls("scratch_list_tags"))["cell_tags"] == ["x"]


async def test_each_life_of_an_id_can_be_restored_and_changes_places_with_the_living(ann: Agent) -> None:
    for life in ("first", "second", "third"):
        await creates(ann, "p", life)
    oldest = (await trash(ann))[-1]["trash_id"]

    await restores(ann, oldest)
    assert await contents(ann, "p") == ["first"]
    assert [one["reason"] for one in await trash(ann)] == ["replaced", "reset"]
    await restores(ann, "p")

    assert await contents(ann, "p") == ["third"]
    assert len(await trash(ann)) == 2
    assert await listed(ann) == ["p"]


async def test_what_is_not_in_the_trash_cannot_be_restored(ann: Agent) -> None:
    await creates(ann, "living")

    for key in ("living", "nowhere", "t1", "t999999999999999999", "t0", "%00", "a b"):
        answer = await ann.client.post(f"/trash/{key}/restore", json={})
        assert answer.status_code in (400, 404), key
        assert answer.json()["ok"] is False
    assert await listed(ann) == ["living"]


async def test_nothing_shows_what_is_in_the_trash(ann: Agent) -> None:
    pad = await rich(ann)
    await ann.calls("scratch_delete", scratch_id="p")

    for tool, more in (("scratch_read", {}), ("scratch_list_cells", {}), ("scratch_append_cell", {"cell": cell()})):
        with pytest.raises(Refused, match="NOT_FOUND"):
            await ann.calls(tool, scratch_id="p", **more)
    await creates(ann, "p")
    with pytest.raises(Refused, match="INVALID_ID"):
        await reads(ann, "p", cell_ids=[pad["cells"][0]["cell_id"]])
    assert await listed(ann, tags=["t", "x"]) == await listed(ann, namespaces=["n"]) == []
    tags = await ann.calls("scratch_list_tags")
    assert (tags["scratchpad_tags"], tags["cell_tags"]) == ([], [])


async def test_after_its_time_it_cannot_be_restored_and_is_removed_with_all_its_rows(table: Table, ann: Agent) -> None:
    tables = ("scratchpads", "cells", "cell_texts", "scratchpad_tags", "scratchpad_schemas", "documents")
    before = await rows(table, *tables)
    await rich(ann)
    await ann.calls("scratch_delete", scratch_id="p")
    table.clock.ahead = 7 * DAY - HOUR
    await table.app.jobs.run()
    assert [one["scratch_id"] for one in await trash(ann)] == ["p"]
    assert await matches(table) == 0

    table.clock.ahead = 7 * DAY + HOUR
    assert await trash(ann) == []
    assert (await ann.client.post("/trash/p/restore", json={})).status_code == 404
    await table.app.jobs.run()

    assert await rows(table, *tables) == before


async def test_purging_one_life_leaves_the_living_one_alone(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, trash_retention="1h") as table:
        ann = table.agent("ann")
        await rich(ann)
        await rich(ann)
        table.clock.ahead = 2 * HOUR
        living = await reads(ann, "p")

        await table.app.jobs.run()

        assert await reads(ann, "p") == living
        assert len((await rows(table, "scratchpads"))["scratchpads"]) == 1
        assert await matches(table) == 2


async def test_people_and_orchestrators_restore_and_agents_and_readers_do_not(company: Table) -> None:
    acme = company.agent(token="acme-secret")
    await acme.calls("create_session", session_id="sess_acme")
    expected = [
        (Credential("acme", Role.AGENT, "bot", agent="bot", session_id="sess_acme"), 403),
        (Credential("acme", Role.READER, "eye"), 403),
        (Credential("acme", Role.HUMAN, "eva"), 200),
        (Credential("acme", Role.OWNER, "boss"), 200),
        (Credential("rival", Role.OWNER, "thief"), 404),
    ]
    for credential, status in expected:
        await creates(acme, "p", "text")
        await acme.calls("scratch_delete", scratch_id="p")
        client = company.agent(token=(await company.app.tokens.create(credential, None)).secret).client

        seen = await client.get("/trash")
        restored = await client.post("/trash/p/restore", json={})

        assert restored.status_code == status, credential
        assert ("text" in seen.text or '"p"' in seen.text) is (status == 200)
    assert (await acme.tries("restore_scratchpad", trash_id="p"))["error"]["code"] == "NOT_FOUND"
