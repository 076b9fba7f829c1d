"""Metrics: what one process has done and what the store holds, in the text form that Prometheus reads."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longtable.kernel.clock import DAY
from tests.listening import local, piped
from tests.stores import Store
from tests.table import Refused, Table, open_table

OPS = ("create", "read", "append", "replace", "delete", "list", "validate")
CELL = {"language": "txt", "content": "a"}


@pytest.fixture
async def measured(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(store, tmp_path, enable_metrics="true", max_scratchpads="2") as opened:
        yield opened


async def shown(table: Table) -> dict[str, float]:
    text = (await table.agent().client.get("/metrics")).text
    return {name: float(value) for name, value in re.findall(r"^([a-z_]+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)}


async def test_what_can_be_counted_of_notebooks_is_there_before_anything_happens(measured: Table) -> None:
    found = await shown(measured)

    assert {op: found[f'scratch_notebook_ops_total{{op="{op}"}}'] for op in OPS} == dict.fromkeys(OPS, 0.0)
    for name in ("longtable_evictions_total", "scratch_notebook_evictions_total"):
        assert [found[f'{name}{{policy="{policy}"}}'] for policy in ("discard", "preempt")] == [0.0, 0.0]
    assert (found["longtable_scratchpads"], found["longtable_cells"], found["longtable_subscribers"]) == (0, 0, 0)


async def test_failures_are_counted_from_none_on(measured: Table) -> None:
    found = await shown(measured)

    assert found['longtable_errors_total{code="INTERNAL_ERROR"}'] == 0
    assert found['scratch_notebook_errors_total{code="none"}'] == 0


async def test_scratchpads_and_cells_in_use_are_counted_without_those_in_the_trash(measured: Table) -> None:
    agent = measured.agent("ann")
    for name in ("kept", "gone"):
        await agent.calls("scratch_create", scratch_id=name, cells=[CELL, CELL])
    await agent.calls("scratch_append_cell", scratch_id="kept", cell=CELL)
    await agent.calls("scratch_delete", scratch_id="gone")

    found = await shown(measured)

    assert (found["longtable_scratchpads"], found["longtable_cells"]) == (1, 3)


async def test_all_tenants_are_counted_together(store: Store, tmp_path: Path) -> None:
    options = {"enable_metrics": "true", "scrape_token": "look", "auth_tokens": "acme:acme-secret,rival:rival-secret"}
    async with open_table(store, tmp_path, **options) as table:
        for secret in ("acme-secret", "rival-secret"):
            await table.agent(token=secret).calls("scratch_create", scratch_id="plans", cells=[CELL])

        text = (await table.agent(token="look").client.get("/metrics")).text

    assert "longtable_scratchpads 2.0" in text
    assert "longtable_cells 2.0" in text


@pytest.mark.in_process("counts in the memory of the server")
async def test_calls_of_notebook_tools_and_their_failures_also_go_by_the_older_names(measured: Table) -> None:
    agent = measured.agent("ann")
    await agent.calls("scratch_create", scratch_id="plans")
    await agent.calls("scratch_append_cell", scratch_id="plans", cell=CELL)
    await agent.calls("scratch_list_tags")
    with pytest.raises(Refused, match="NOT_FOUND"):
        await agent.calls("scratch_read", scratch_id="nothing")
    await agent.tries("read_notes", limit=0)

    found = await shown(measured)

    counted = {op: found[f'scratch_notebook_ops_total{{op="{op}"}}'] for op in OPS}
    assert counted == {**dict.fromkeys(OPS, 0.0), "create": 1.0, "append": 1.0, "read": 1.0}
    failures = {name: value for name, value in found.items() if name.startswith("scratch_notebook_errors_total")}
    none = 'scratch_notebook_errors_total{code="none"}'
    assert failures == {none: 0.0, 'scratch_notebook_errors_total{code="NOT_FOUND"}': 1.0}
    assert found['longtable_tool_calls_total{outcome="NOT_FOUND",tool="scratch_read"}'] == 1.0


@pytest.mark.in_process("counts in the memory of the server")
async def test_an_eviction_is_counted_once_however_often_its_call_is_repeated(measured: Table) -> None:
    agent = measured.agent("ann")
    for name in ("one", "two"):
        await agent.calls("scratch_create", scratch_id=name)
    for _ in range(3):
        await agent.calls("scratch_create", scratch_id="three", idempotency_key="k")

    found = await shown(measured)

    assert found['longtable_evictions_total{policy="discard"}'] == 1.0
    assert found['scratch_notebook_evictions_total{policy="discard"}'] == 1.0
    assert found['longtable_evictions_total{policy="preempt"}'] == 0.0


@pytest.mark.in_process("counts in the memory of the server")
async def test_what_the_sweeper_takes_away_is_counted_under_its_policy(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, enable_metrics="true", eviction_policy="preempt", preempt_age="1h") as table:
        for name in ("one", "two"):
            await table.agent("ann").calls("scratch_create", scratch_id=name)
        table.clock.ahead = DAY
        await table.app.slices.sweeper.sweep()

        found = await shown(table)

    assert found['longtable_evictions_total{policy="preempt"}'] == 2.0
    assert found['scratch_notebook_evictions_total{policy="preempt"}'] == 2.0
    assert found["longtable_scratchpads"] == 0


@pytest.mark.in_process("counts in the memory of the server")
async def test_listeners_are_counted_while_they_listen(measured: Table) -> None:
    await measured.session("sess_one")
    async with piped(measured.app, local("listener", "sess_one")) as pipe:
        await pipe.asks("notifications/subscribe")
        during = await shown(measured)
    after = await shown(measured)

    assert (during["longtable_subscribers"], after["longtable_subscribers"]) == (1, 0)


async def test_the_time_since_the_start_has_both_names(measured: Table) -> None:
    found = await shown(measured)

    assert 0 <= found["longtable_uptime_seconds"] <= found["scratch_notebook_uptime_seconds"] < 60


@pytest.mark.in_process("counts in the memory of the server")
async def test_calls_that_are_refused_for_their_session_are_counted_too(measured: Table) -> None:
    stranger = measured.agent("ann", session="sess_unknown")
    with pytest.raises(Refused, match="SESSION_NOT_FOUND"):
        await stranger.calls("read_notes")

    found = await shown(measured)

    assert found['longtable_errors_total{code="SESSION_NOT_FOUND"}'] == 1.0
    assert found['longtable_tool_calls_total{outcome="SESSION_NOT_FOUND",tool="read_notes"}'] == 1.0
