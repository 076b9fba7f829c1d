"""Making room: which scratchpad goes when there is one too many, and which never does."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR, MINUTE
from tests.spec.notebooks.pads import appends, cell, contents, creates, listed, reads, restores, rows, trash
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow

OpenTable = Callable[..., AbstractAsyncContextManager[Table]]


@pytest.fixture
def room(store: Store, tmp_path: Path) -> OpenTable:
    """A table with room for so many scratchpads."""

    def at(count: int, **options: str) -> AbstractAsyncContextManager[Table]:
        return open_table(store, tmp_path, max_scratchpads=str(count), **options)

    return at


@pytest.fixture
async def three(room: OpenTable) -> AsyncIterator[Table]:
    """Room for three, taken by a, b and c in this order."""
    async with room(3) as table:
        for scratch_id in "abc":
            await creates(table.agent("ann"), scratch_id, scratch_id)
        yield table


async def evicted_by(ann: Agent, scratch_id: str) -> list[str]:
    answer = await ann.calls("scratch_create", scratch_id=scratch_id)
    evicted: list[str] = answer.get("evicted_scratchpads", [])
    return evicted


async def test_the_one_unused_for_longest_goes_and_is_named(three: Table) -> None:
    ann = three.agent("ann")

    order = [await evicted_by(ann, scratch_id) for scratch_id in ("d", "e", "f", "g")]

    assert order == [["a"], ["b"], ["c"], ["d"]]
    assert await listed(ann) == ["e", "f", "g"]
    with pytest.raises(Refused, match="NOT_FOUND"):
        await reads(ann, "a")


@pytest.mark.in_process("one server learns a moment later what was read at another")
async def test_whatever_uses_a_scratchpad_moves_it_to_the_end(room: OpenTable) -> None:
    uses = {
        "read": ("scratch_read", {}),
        "cells": ("scratch_list_cells", {}),
        "checked": ("scratch_validate", {}),
        "schemas": ("scratch_list_schemas", {}),
        "append": ("scratch_append_cell", {"cell": cell()}),
        "update": ("scratch_update", {"metadata": {"title": "T"}}),
        "schema": ("scratch_upsert_schema", {"schema": {"description": "", "schema": {}}}),
    }
    async with room(len(uses) + 1) as table:
        ann = table.agent("ann")
        for scratch_id in [*uses, "renamed"]:
            await creates(ann, scratch_id, namespace="n" if scratch_id == "renamed" else None)
        await ann.calls("scratch_namespace_rename", old_namespace="n", new_namespace="m")
        for scratch_id in reversed(uses):
            tool, more = uses[scratch_id]
            await ann.calls(tool, scratch_id=scratch_id, **more)
        await ann.calls("scratch_list")
        await ann.tries("scratch_append_cell", scratch_id="renamed", cell=cell(language="none"))

        order = [(await evicted_by(ann, f"new{number}"))[0] for number in range(len(uses) + 1)]

    assert order == ["renamed", *reversed(uses)]


@pytest.mark.in_process("one server learns a moment later what was read at another")
async def test_reads_count_although_they_are_written_later(three: Table) -> None:
    ann = three.agent("ann")
    accessed = (await rows(three, "scratchpads"))["scratchpads"]
    await reads(ann, "a")
    assert (await rows(three, "scratchpads"))["scratchpads"] == accessed

    assert await evicted_by(ann, "d") == ["b"]
    await reads(ann, "c")
    await reads(ann, "a")
    assert await evicted_by(ann, "e") == ["d"]
    assert await evicted_by(ann, "f") == ["c"]


async def test_reads_outlive_the_process_that_served_them(room: OpenTable) -> None:
    async with room(2) as table:
        for scratch_id in "ab":
            await creates(table.agent("ann"), scratch_id)
        await reads(table.agent("ann"), "a")

    async with room(2) as table:
        assert await evicted_by(table.agent("ann"), "c") == ["b"]


async def test_of_those_last_used_at_one_moment_the_oldest_goes(room: OpenTable) -> None:
    async with room(3) as table:
        ann = table.agent("ann")
        for scratch_id in ("z", "m", "a"):
            await creates(ann, scratch_id, namespace="n")
        await ann.calls("scratch_namespace_rename", old_namespace="n", new_namespace="m")

        assert [await evicted_by(ann, scratch_id) for scratch_id in ("x", "y", "w")] == [["z"], ["m"], ["a"]]


async def test_a_pinned_one_stays_and_when_all_are_pinned_nothing_goes(room: OpenTable) -> None:
    async with room(2) as table:
        ann = table.agent("ann")
        await creates(ann, "a", pinned=True)
        await creates(ann, "b")
        assert await evicted_by(ann, "c") == ["b"]
        await ann.calls("scratch_update", scratch_id="c", metadata={"pinned": True})
        before = await rows(table)

        with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED") as refusal:
            await creates(ann, "d")

        assert refusal.value.details == {"limit": 2}
        assert await rows(table) == before
        await ann.calls("scratch_update", scratch_id="a", metadata={"pinned": None})
        assert await evicted_by(ann, "d") == ["a"]
        assert (await reads(ann, "c"))["metadata"]["pinned"] is True


async def test_a_reset_or_an_append_evicts_nothing(three: Table) -> None:
    ann = three.agent("ann")

    assert await evicted_by(ann, "a") == []
    await appends(ann, "b")

    assert await listed(ann) == ["a", "b", "c"]
    assert await evicted_by(ann, "d") == ["c"]


async def test_a_smaller_limit_lets_several_go_with_the_next_creation(room: OpenTable) -> None:
    async with room(5) as table:
        for scratch_id in "abcde":
            await creates(table.agent("ann"), scratch_id)

    async with room(3) as table:
        ann = table.agent("ann")
        assert await listed(ann) == ["a", "b", "c", "d", "e"]
        assert await evicted_by(ann, "f") == ["a", "b", "c"]


async def test_another_tenants_scratchpads_neither_count_nor_go(room: OpenTable) -> None:
    async with room(2, auth_tokens="acme:acme-secret,rival:rival-secret") as table:
        acme, rival = table.agent(token="acme-secret"), table.agent(token="rival-secret")
        for scratch_id in ("old", "older"):
            await creates(rival, scratch_id, "theirs")
        for scratch_id in "ab":
            assert await evicted_by(acme, scratch_id) == []

        assert [await evicted_by(acme, scratch_id) for scratch_id in "cdef"] == [["a"], ["b"], ["c"], ["d"]]

        assert await listed(rival) == ["old", "older"]
        assert await contents(rival, "old") == ["theirs"]


async def test_with_the_policy_fail_a_full_table_refuses(room: OpenTable) -> None:
    async with room(2, eviction_policy="fail") as table:
        ann = table.agent("ann")
        for scratch_id in "ab":
            await creates(ann, scratch_id)
        before = await rows(table)

        with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
            await creates(ann, "c")

        assert await rows(table) == before
        await creates(ann, "a", "a reset is no creation")
        await ann.calls("scratch_delete", scratch_id="b")
        await creates(ann, "c")
        refused = await ann.client.post("/trash/b/restore", json={})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "CAPACITY_LIMIT_REACHED")


async def sweep(table: Table) -> None:
    await table.app.slices.sweeper.sweep()


@pytest.mark.in_process("one server learns a moment later what was read at another")
async def test_with_the_policy_preempt_only_what_lies_unused_for_long_is_swept(room: OpenTable) -> None:
    async with room(3, eviction_policy="preempt", preempt_age="24h") as table:
        ann = table.agent("ann")
        await creates(ann, "pinned", pinned=True)
        await creates(ann, "idle")
        await creates(ann, "read")
        with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
            await creates(ann, "refused")
        await sweep(table)
        assert await listed(ann) == ["idle", "pinned", "read"]

        table.clock.ahead = 23 * HOUR
        await reads(ann, "read")
        await sweep(table)
        assert await listed(ann) == ["idle", "pinned", "read"]
        table.clock.ahead = 24 * HOUR + MINUTE
        await sweep(table)

        assert await listed(ann) == ["pinned", "read"]
        assert [(one["scratch_id"], one["reason"]) for one in await trash(ann)] == [("idle", "evicted")]
        table.clock.ahead = 48 * HOUR
        await sweep(table)
        assert await listed(ann) == ["pinned"]


async def test_the_sweeper_looks_after_every_tenant_and_far_below_the_limit(room: OpenTable) -> None:
    async with room(1000, eviction_policy="preempt", auth_tokens="acme:acme-secret,rival:rival-secret") as table:
        acme, rival = table.agent(token="acme-secret"), table.agent(token="rival-secret")
        for number in range(60):
            await creates(acme, f"p{number}")
        await creates(rival, "theirs")
        table.clock.ahead = 25 * HOUR
        await creates(rival, "young")

        await sweep(table)

        assert (await listed(acme), await listed(rival)) == ([], ["young"])
        reader = (await table.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)).secret
        assert len(await trash(table.agent(token=reader))) == 60


async def test_an_evicted_one_can_be_brought_back_and_then_another_goes(three: Table) -> None:
    ann = three.agent("ann")
    assert await evicted_by(ann, "d") == ["a"]

    restored = await restores(ann, "a")

    assert restored["evicted_scratchpads"] == ["b"]
    assert await contents(ann, "a") == ["a"]
    assert await listed(ann) == ["a", "c", "d"]
