"""Whose job is next, and what is remembered of the answers."""

import asyncio

import pytest

from longtable.validation.cache import Cache
from longtable.validation.fair_queue import FairQueue, Job


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def job(party: str) -> Job:
    return Job(party, b"", lambda seconds: [], 0.0)


async def test_parties_take_turns_however_many_jobs_they_have() -> None:
    turns = FairQueue(workers=2)
    for party in ("a", "a", "a", "b", "c"):
        turns.add(job(party))

    order = [(await turns.next()).party for _ in range(5)]

    assert order == ["a", "b", "c", "a", "a"]


async def test_the_reserve_is_for_who_has_nothing_while_all_else_is_taken() -> None:
    turns = FairQueue(workers=1)
    reserve = asyncio.create_task(turns.next_in_reserve())
    turns.add(job("a"))
    turns.add(job("a"))
    first = await turns.next()
    await asyncio.sleep(0)
    waited = not reserve.done()

    turns.add(job("b"))

    assert first.party == "a"
    assert waited
    assert (await reserve).party == "b"


async def test_the_reserve_leaves_jobs_to_a_worker_that_is_free() -> None:
    turns = FairQueue(workers=2)
    reserve = asyncio.create_task(turns.next_in_reserve())
    turns.add(job("a"))
    turns.add(job("b"))
    await asyncio.sleep(0)

    parties = [(await turns.next()).party, (await turns.next()).party]

    assert parties == ["a", "b"]
    assert not reserve.done()
    reserve.cancel()


async def test_jobs_that_were_dropped_are_not_given_out() -> None:
    turns = FairQueue(workers=2)
    dropped, kept = job("a"), job("a")
    turns.add(dropped)
    turns.add(kept)
    turns.add(job("b"))

    turns.drop([dropped])

    assert await turns.next() is kept
    assert [left.party for left in turns.drain()] == ["b"]


def test_the_cache_forgets_what_was_not_used_for_longest() -> None:
    cache = Cache(max_bytes=1_000)
    for name in (b"a", b"b", b"c"):
        cache.put(name, name * 100)
    cache.get(b"a")

    cache.put(b"d", b"d" * 100)

    assert [name for name in (b"a", b"b", b"c", b"d") if cache.get(name)] == [b"a", b"c", b"d"]


def test_the_cache_keeps_nothing_that_is_larger_than_itself() -> None:
    cache = Cache(max_bytes=1_000)

    cache.put(b"a", b"a" * 1_000)

    assert len(cache) == 0
