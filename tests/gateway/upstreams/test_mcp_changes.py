"""A server whose tools become others: seen before the next call, however it is done and whether it tells or not."""

import asyncio
from collections.abc import Mapping

import pytest

from longtable.governance.model import ToolDefinition
from longtable.kernel.errors import NotFound, ToolQuarantined
from longtable.upstreams.mcp_upstream import McpUpstream
from tests.gateway.hostile.entries import hostile
from tests.gateway.upstreams.conftest import Connect, Time, call, text_of

IN_PLACE = ["description", "schema", "annotations", "title", "output", "swap"]


async def known(upstream: McpUpstream) -> Mapping[str, ToolDefinition]:
    return {each.remote: each for each in await upstream.definitions()}


@pytest.mark.parametrize("tells", ["tell", "silent"])
@pytest.mark.parametrize("what", IN_PLACE)
async def test_a_tool_that_has_become_another_is_not_run(connect: Connect, what: str, tells: str) -> None:
    clock = Time()
    upstream = connect(hostile("rug_pull", what, 0, tells), clock=clock)
    before = await known(upstream)
    await call(upstream, "get_pull")
    clock.now += 3600

    with pytest.raises(ToolQuarantined):
        await call(upstream, "read_note", path="a")

    after = await known(upstream)
    assert after["read_note"].digest != before["read_note"].digest
    assert len(after) == len(before)


@pytest.mark.parametrize("what", ["rename", "remove", "twin"])
async def test_a_tool_that_is_gone_or_there_twice_is_not_run(connect: Connect, what: str) -> None:
    clock = Time()
    upstream = connect(hostile("rug_pull", what, 0, "silent"), clock=clock)
    await known(upstream)
    await call(upstream, "get_pull")
    clock.now += 3600

    with pytest.raises(NotFound):
        await call(upstream, "read_note", path="a")

    assert "read_note" not in await known(upstream)


async def test_a_tool_that_is_new_is_not_run_before_it_has_been_listed(connect: Connect) -> None:
    clock = Time()
    upstream = connect(hostile("rug_pull", "add", 0, "silent"), clock=clock)
    await known(upstream)
    await call(upstream, "get_pull")
    clock.now += 3600

    with pytest.raises(ToolQuarantined):
        await call(upstream, "get_more")


async def test_the_other_tools_go_on(connect: Connect) -> None:
    upstream = connect(hostile("rug_pull", "description", 3, "silent"))
    await known(upstream)

    answers = [text_of(await call(upstream, "list_notes")) for _ in range(5)]

    assert answers == ["ran list_notes"] * 5


async def test_whoever_wants_to_know_is_told_of_a_change(connect: Connect) -> None:
    upstream = connect(hostile("rug_pull", "description", 1, "tell"))
    response = asyncio.Event()
    upstream.on_change(response.set)
    await known(upstream)

    await call(upstream, "list_notes")

    await asyncio.wait_for(response.wait(), 40)


async def test_a_list_that_has_not_changed_is_the_same_list(connect: Connect) -> None:
    clock = Time()
    upstream = connect(hostile("calm"), clock=clock)
    first = await upstream.definitions()
    clock.now += 3600

    assert await upstream.definitions() is first


async def test_texts_aimed_at_the_model_arrive_as_they_are_for_the_scan(connect: Connect) -> None:
    upstream = connect(hostile("poisoned"))

    descriptions = {name: each.description for name, each in (await known(upstream)).items()}

    assert any(ord(letter) > 0xE0000 for letter in descriptions["get_weather"])
    assert "\u202e" in descriptions["get_turned"]


async def test_a_long_list_does_not_cost_a_list_for_every_call(connect: Connect) -> None:
    upstream = connect(hostile("many_tools", 2_000, 100))
    definitions = await upstream.definitions()

    answers = [text_of(await call(upstream, each.remote)) for each in definitions[:20]]

    assert len(definitions) == 2_000
    assert answers == [f"get_thing_{number}" for number in range(20)]


async def test_who_listens_hears_of_a_change_that_nobody_told_and_nobody_asked_about(connect: Connect) -> None:
    upstream, response = connect(hostile("rug_pull", "description", 0, "silent")), asyncio.Event()
    upstream.poll_every = 0.05
    upstream.on_change(response.set)
    before = await known(upstream)
    await call(upstream, "get_pull")

    async with asyncio.timeout(40):
        await response.wait()

    assert (await known(upstream))["read_note"].digest != before["read_note"].digest
