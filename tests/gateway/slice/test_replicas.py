"""Two servers on one store: what one of them is told, the other knows; what one of them runs, the other does not."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longtable.kernel.caller import Role
from tests.gateway.slice.gateway import AUTH_ON, DELETE, GatewayServer, approve, names, opened, use
from tests.stores import Store

pytestmark = pytest.mark.slow

POST = {"post": {"id": 7}}
Pair = tuple[GatewayServer, GatewayServer]


@pytest.fixture
async def pair(store: Store, tmp_path: Path) -> AsyncIterator[Pair]:
    async with opened(store, tmp_path, AUTH_ON) as here, opened(store, tmp_path, AUTH_ON) as there:
        yield here, there


async def test_fifty_retries_at_two_servers_run_an_approved_call_once(pair: Pair) -> None:
    agents = [gateway.agent("alice", token="acme-secret") for gateway in pair]
    required = await use(agents[0], DELETE, inputs=POST)
    await approve(await pair[1].person(), required)
    token = required.details["confirm_token"]

    responses = await asyncio.gather(
        *(use(agents[number % 2], DELETE, inputs=POST, confirm_token=token) for number in range(50))
    )

    codes = [each.code for each in responses]
    assert (codes.count("SUCCESS"), codes.count("CONFIRMATION_INVALID")) == (1, 49)
    assert pair[0].ran() == [POST]


async def test_both_servers_ask_one_question_about_one_call(pair: Pair) -> None:
    responses = await asyncio.gather(
        *(use(pair[number % 2].agent("alice", token="acme-secret"), DELETE, inputs=POST) for number in range(20))
    )

    assert {(each.code, each.details["confirmation_id"]) for each in responses} == {("CONFIRMATION_REQUIRED", "d1")}
    assert len({each.details["confirm_token"] for each in responses}) == 1


async def test_a_tool_that_is_ruled_out_at_one_server_is_gone_from_the_list_of_the_other(pair: Pair) -> None:
    here, there = pair
    alice = here.agent("alice", token="acme-secret")
    before = await names(alice)
    owner = await there.person(role=Role.OWNER)
    await owner.put("/rules", json={"rules": [{"match": "shop.delete_*", "layer": "deny"}]})

    response = await use(alice, DELETE, inputs=POST)
    here.table.clock.ahead += 1_100_000
    after = await names(alice)

    assert response.code == "NOT_FOUND"
    assert (DELETE in before, DELETE in after) == (True, False)


async def test_a_list_takes_over_the_rules_of_the_other_server_within_a_second_without_a_call(pair: Pair) -> None:
    here, there = pair
    alice = here.agent("alice", token="acme-secret")
    before = await names(alice)
    owner = await there.person(role=Role.OWNER)
    await owner.put("/rules", json={"rules": [{"match": "shop.delete_*", "layer": "deny"}]})

    here.table.clock.ahead += 1_100_000
    after = await names(alice)

    assert (DELETE in before, DELETE in after) == (True, False)
