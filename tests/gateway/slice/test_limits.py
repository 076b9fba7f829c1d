"""Limits: so many calls in so much time, by each caller of each tool, however many servers there are."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from longtable.gateway.limits import Bucket, Limits
from longtable.governance.model import Rate
from longtable.governance.rules import parse_rate
from longtable.kernel.clock import HOUR, MINUTE, SECOND
from longtable.kernel.errors import ConfigError, RateLimited
from tests.gateway.slice.gateway import AUTH_ON, GET, LIST, GatewayServer, opened, use
from tests.stores import Store

pytestmark = pytest.mark.slow


class ManualClock:
    """A clock that is set by hand."""

    now = 1_000_000 * SECOND

    def __call__(self) -> int:
        return self.now


async def taken(limits: Limits, clock: ManualClock, rate: Rate, period: int, step: int) -> int:
    """How many calls are let through when one is tried at every step of a period."""
    bucket = Bucket("tool:x:alice", rate, "of this tool by you")
    end, count = clock.now + period, 0
    while clock.now < end:
        try:
            await limits.take("default", [bucket])
            count += 1
        except RateLimited:
            pass
        clock.now += step
    return count


@pytest.mark.parametrize(
    ("rate", "period", "step"),
    [
        (Rate(60, MINUTE), 10 * MINUTE, 700_000),
        (Rate(5, 10 * SECOND), 10 * MINUTE, 1_100_000),
        (Rate(1000, HOUR), 10 * MINUTE, 1_300_000),
        (Rate(7, SECOND), 60 * SECOND, 61_003),
    ],
)
async def test_a_rate_is_kept_to_within_two_percent(store: Store, rate: Rate, period: int, step: int) -> None:
    clock = ManualClock()
    limits = Limits(await store.open(), clock)
    burst = await taken(limits, clock, rate, rate.calls + 1, 1)

    count = await taken(limits, clock, rate, period, step)

    assert count == pytest.approx(min(period * rate.calls / rate.per, period / step), rel=0.02, abs=1)
    assert burst == rate.calls


async def test_two_servers_with_clocks_apart_give_nothing_away(store: Store) -> None:
    fast, slow = ManualClock(), ManualClock()
    fast.now += 5 * SECOND
    here, there = Limits(await store.open(), fast), Limits(await store.open(), slow)
    bucket = Bucket("tool:x:alice", Rate(10, 10 * SECOND), "of this tool by you")
    count = 0
    for _ in range(100):
        for limits in (here, there):
            try:
                await limits.take("default", [bucket])
                count += 1
            except RateLimited:
                pass
        fast.now += SECOND // 10
        slow.now += SECOND // 10

    # A full bucket, what it fills up in ten seconds, and at most what the clocks are apart.
    assert 19 <= count <= 25


async def test_two_servers_together_let_through_what_is_allowed(store: Store) -> None:
    clock = ManualClock()
    servers = [Limits(await store.open(), clock) for _ in range(2)]
    bucket = Bucket("tool:x:alice", Rate(100, HOUR), "of this tool by you")
    codes: Counter[str] = Counter()
    for number in range(120):
        try:
            await servers[number % 2].take("default", [bucket])
            codes["SUCCESS"] += 1
        except RateLimited as refused:
            codes[refused.code] += 1

    assert 95 <= codes["SUCCESS"] <= 100


async def test_tokens_that_were_taken_ahead_are_not_lost(store: Store) -> None:
    clock = ManualClock()
    limits = Limits(await store.open(), clock)
    bucket = Bucket("tool:x:alice", Rate(100, HOUR), "of this tool by you")
    for _ in range(40):
        await limits.take("default", [bucket])
        clock.now += 2 * SECOND

    assert await taken(limits, clock, bucket.rate, 100, 1) >= 60


async def test_waiting_as_long_as_told_is_enough_and_less_is_not(gateway: GatewayServer) -> None:
    responses = [await use(gateway.agent(), LIST) for _ in range(63)]
    refused = [each for each in responses if each.code != "SUCCESS"]
    wait = refused[-1].details["retry_after"]
    gateway.table.clock.ahead += int((wait - 0.9 * wait) * SECOND)
    early = await use(gateway.agent(), LIST)
    gateway.table.clock.ahead += round(early.details["retry_after"] * SECOND)
    late = await use(gateway.agent(), LIST)

    assert {each.code for each in refused} == {"RATE_LIMITED"}
    assert 60 <= len(responses) - len(refused) <= 62
    assert 0 < wait <= 1.001
    assert (early.code, late.code) == ("RATE_LIMITED", "SUCCESS")
    assert refused[-1].details["limit"] == 60


async def test_callers_and_tools_have_rates_of_their_own(store: Store, tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"match": "shop.list_posts", "rate": "3/hour"},
        {"match": "shop.*", "rate": "5/hour"},
    ]
    async with opened(store, tmp_path, AUTH_ON, rules=rules) as gateway:
        counts: Counter[tuple[str, str, str]] = Counter()
        for secret, agent in (("acme-secret", "alice"), ("acme-secret", "bob"), ("rival-secret", "alice")):
            for tool in (LIST, GET):
                for _ in range(7):
                    response = await use(gateway.agent(agent, token=secret), tool)
                    counts[secret, agent, tool] += response.code == "SUCCESS"

    assert {key: count for key, count in counts.items() if key[2] == LIST and count != 3} == {}
    assert {key: count for key, count in counts.items() if key[2] == GET and count != 5} == {}
    assert len(counts) == 6


async def test_a_caller_and_a_tenant_may_have_a_rate_for_all_they_call(store: Store, tmp_path: Path) -> None:
    limits = {"tool": "100/hour", "caller": "4/hour", "tenant": "6/hour"}
    async with opened(store, tmp_path, AUTH_ON, rate_limits=limits) as gateway:

        async def through(agent: str, secret: str) -> int:
            caller = gateway.agent(agent, token=secret)
            return sum([(await use(caller, tool)).code == "SUCCESS" for tool in (LIST, GET) * 4])

        counts = [
            await through("alice", "acme-secret"),
            await through("bob", "acme-secret"),
            await through("alice", "rival-secret"),
        ]
        whose = (await use(gateway.agent("bob", token="acme-secret"), LIST)).message

    assert counts == [4, 2, 4]
    assert "by your team" in whose


async def test_two_servers_on_one_store_count_together(store: Store, tmp_path: Path) -> None:
    limits = {"tool": "10/hour"}
    async with (
        opened(store, tmp_path, rate_limits=limits) as here,
        opened(store, tmp_path, rate_limits=limits) as there,
    ):
        codes = [(await use(gateway.agent(), LIST)).code for gateway in (here, there) * 10]

    assert (codes.count("SUCCESS"), codes.count("RATE_LIMITED")) == (10, 10)


def test_a_rate_counts_in_no_longer_than_a_bucket_is_kept() -> None:
    assert parse_rate("5/2d", "rate") == Rate(5, 48 * HOUR)
    with pytest.raises(ConfigError):
        parse_rate("5/3d", "rate")


async def test_what_is_refused_takes_nothing_from_any_bucket(store: Store) -> None:
    clock = ManualClock()
    limits = Limits(await store.open(), clock)
    wide, narrow = Bucket("wide", Rate(5, HOUR), "by you"), Bucket("narrow", Rate(1, HOUR), "by your team")
    await limits.take("default", [narrow])
    for _ in range(10):
        with pytest.raises(RateLimited):
            await limits.take("default", [wide, narrow])

    for _ in range(5):
        await limits.take("default", [wide])
    with pytest.raises(RateLimited):
        await limits.take("default", [wide])
