"""A server that fails: what callers hear of it, and how it comes back."""

import asyncio
import json
import os
import signal
import time
from pathlib import Path

import pytest

from longtable.kernel.errors import UpstreamError, UpstreamTimeout
from longtable.upstreams.backoff import RestartBackoff
from longtable.upstreams.port import UpstreamCall
from tests.gateway.hostile.entries import hostile
from tests.gateway.hostile.malformed import SHAPELESS
from tests.gateway.upstreams.conftest import Connect, call, is_alive, text_of, under_way

SECRET = "token-that-nobody-sees"


async def test_a_crash_at_the_start_is_told_with_the_last_words_and_no_secret(connect: Connect) -> None:
    upstream = connect(hostile("crashing", "start", env={"API_TOKEN": SECRET}))

    with pytest.raises(UpstreamError) as failed:
        await upstream.definitions()

    assert "panic: cannot go on with [hidden]" in failed.value.message
    assert upstream.health == "failing"
    assert upstream.problem is not None
    assert SECRET not in failed.value.message + upstream.problem


async def test_a_crash_in_a_call_fails_that_call_and_the_next_one_works(connect: Connect, tmp_path: Path) -> None:
    bad_day = tmp_path / "bad-day"
    bad_day.touch()
    upstream = connect(hostile("crashing", "call", bad_day, env={"API_TOKEN": SECRET}))
    first = text_of(await call(upstream, "get_pid"))

    with pytest.raises(UpstreamError) as failed:
        await call(upstream, "get_on")
    bad_day.unlink()
    second = text_of(await call(upstream, "get_on"))

    assert "broke off" in failed.value.message
    assert SECRET not in failed.value.message
    assert second != first
    assert not is_alive(int(first))


async def test_all_calls_that_were_under_way_fail_with_a_crash(connect: Connect) -> None:
    upstream = connect(hostile("calm"))
    await upstream.definitions()
    waiting = [await under_way(upstream, 20) for _ in range(5)]
    assert upstream.child_pid is not None

    os.kill(upstream.child_pid, signal.SIGKILL)

    outcomes = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 40)
    assert [type(outcome) for outcome in outcomes] == [UpstreamError] * 5


async def test_it_comes_back_by_itself_and_tells(connect: Connect) -> None:
    upstream = connect(hostile("calm"))
    await upstream.definitions()
    response: asyncio.Queue[str] = asyncio.Queue()
    upstream.on_change(lambda: response.put_nowait(upstream.health))
    assert upstream.child_pid is not None

    os.kill(upstream.child_pid, signal.SIGKILL)

    assert await asyncio.wait_for(response.get(), 40) != "ready"
    assert await asyncio.wait_for(response.get(), 40) == "ready"
    assert upstream.problem is None


async def test_one_that_lists_no_tools_is_not_called_ready_until_it_does(connect: Connect, tmp_path: Path) -> None:
    bad_day = tmp_path / "bad-day"
    bad_day.write_text("no list")
    upstream = connect(hostile("malformed", bad_day))

    with pytest.raises(UpstreamError):
        await upstream.definitions()
    on_that_day = (upstream.health, upstream.problem)
    bad_day.unlink()
    names = [each.remote for each in await upstream.definitions()]

    assert on_that_day == ("failing", "malformed answered with something that is not a list of tools.")
    assert (names, upstream.health, upstream.problem) == (["get_on"], "ready", None)


async def test_what_is_no_tool_takes_only_itself_away_and_is_told_with_a_reason(
    connect: Connect, tmp_path: Path
) -> None:
    bad_day = tmp_path / "bad-day"
    bad_day.touch()
    upstream = connect(hostile("malformed", bad_day, deny=("get_deep",)))

    names = [each.remote for each in await upstream.definitions()]
    reasons = {each.name: (each.kind, each.reason) for each in upstream.withheld}

    assert (names, upstream.health, upstream.problem) == (["get_on"], "ready", None)
    assert text_of(await call(upstream, "get_on")) == "on"
    # All but one of the two that have the same name.
    assert len(reasons) == len(SHAPELESS) - 1
    assert reasons["get_deep"] == ("denied", "its entry in the gateway file leaves it out")
    assert {kind for kind, _ in reasons.values()} == {"denied", "malformed"}
    assert reasons["get_shapeless"] == ("malformed", "inputSchema: Field required")
    assert reasons["get_twice"] == ("malformed", "its name is listed more than once")
    assert reasons["get_unknown_type"][1].startswith("inputSchema: ")
    assert reasons["get_huge"][1].startswith("it has 300")
    json.dumps(reasons, ensure_ascii=False).encode()


async def test_a_crash_loop_is_not_waited_for_by_callers(connect: Connect) -> None:
    upstream = connect(hostile("crashing", "start"), backoff=RestartBackoff(max_starts=2))
    for _ in range(2):
        with pytest.raises(UpstreamError):
            await upstream.definitions()
    started = time.monotonic()

    with pytest.raises(UpstreamError) as refused:
        await upstream.definitions()

    assert refused.value.details["retry_after"] > 100
    assert time.monotonic() - started < 5


async def test_one_that_rests_when_nobody_calls_it_is_started_as_often_as_it_is_called(connect: Connect) -> None:
    upstream = connect(hostile("calm"), backoff=RestartBackoff(max_starts=2))

    for _ in range(4):
        result = await upstream.call(UpstreamCall("echo", {"text": "hello"}))
        await upstream.rest()

    assert text_of(result) == "hello"


async def test_a_program_that_is_not_there_is_named(connect: Connect) -> None:
    entry = hostile("calm")
    upstream = connect(type(entry)(name="gone", pack="gone", command="no-such-program-anywhere"))

    with pytest.raises(UpstreamError, match="no-such-program-anywhere was not found"):
        await upstream.definitions()


async def test_a_server_that_hangs_at_its_start_is_given_up(connect: Connect) -> None:
    upstream = connect(hostile("slow", 60, 0, 0), start_seconds=0.3)

    with pytest.raises(UpstreamTimeout):
        await upstream.definitions()

    assert upstream.health == "failing"


@pytest.mark.slow
async def test_a_server_that_hangs_in_its_list_is_given_up(connect: Connect) -> None:
    upstream = connect(hostile("slow", 0, 60, 0, timeout=0.2))

    with pytest.raises(UpstreamTimeout):
        await upstream.definitions()


async def test_a_list_without_end_is_refused(connect: Connect) -> None:
    upstream = connect(hostile("many_tools", 30_000, 0))

    with pytest.raises(UpstreamError, match="more than 20000 tools"):
        await upstream.definitions()


@pytest.mark.parametrize("kind", ["text", "object", "picture", "blocks"])
async def test_an_answer_that_is_too_large_is_cut_and_marked(connect: Connect, kind: str) -> None:
    upstream = connect(hostile("huge", max_response_bytes=10_000))

    result = await call(upstream, "get_much", bytes=200_000, kind=kind)

    assert result.truncated
    assert not result.is_error
    assert len(str(result.content)) + len(str(result.structured)) < 12_000


@pytest.mark.slow
async def test_an_answer_that_is_far_too_large_is_never_held_whole(connect: Connect) -> None:
    upstream = connect(hostile("huge", max_response_bytes=100_000))
    await upstream.definitions()
    before = resident_bytes()

    result = await call(upstream, "get_much", bytes=100_000_000)

    assert result.truncated
    assert len(text_of(result).encode()) <= 100_000
    assert resident_bytes() - before < 60_000_000
    assert not (await call(upstream, "get_much", bytes=10)).truncated


async def test_noise_on_all_channels_does_no_harm(connect: Connect) -> None:
    upstream = connect(hostile("noisy"))
    response = 0

    def hear() -> None:
        nonlocal response
        response += 1

    upstream.on_change(hear)
    answers = [text_of(await call(upstream, "get_noise")) for _ in range(3)]

    assert answers == ["heard?"] * 3
    assert response <= 10


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
