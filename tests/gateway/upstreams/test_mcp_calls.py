"""Calls to an MCP server over stdio: one connection for all, everything passed on, nothing of ours given away."""

import asyncio
import os
import time
from typing import Any

import pytest

from longtable.governance.model import Hints, ToolIdentity
from longtable.kernel.errors import NotFound, UpstreamError, UpstreamTimeout
from longtable.upstreams.circuit_breaker import CircuitBreaker
from longtable.upstreams.port import UpstreamCall
from tests.gateway.hostile.entries import hostile
from tests.gateway.upstreams.conftest import Connect, call, text_of, under_way


async def counts(upstream: Any) -> dict[str, Any]:
    result = await call(upstream, "counts")
    assert result.structured is not None
    return dict(result.structured)


async def test_tools_are_known_by_pack_and_name_with_what_they_claim(connect: Connect) -> None:
    upstream = connect(hostile("calm", pack="calm.pack", trust="full"))

    definitions = await upstream.definitions()

    echo = next(each for each in definitions if each.remote == "echo")
    assert echo.identity == ToolIdentity("calm.pack", "echo")
    assert (echo.upstream, echo.title, echo.description, echo.trust) == ("calm", "Echo", "Calm echo.", "full")
    assert echo.hints == Hints(read_only=True)
    assert echo.input_schema == {"type": "object"}


async def test_nothing_starts_before_it_is_needed(connect: Connect) -> None:
    upstream = connect(hostile("calm"))

    assert (upstream.health, upstream.child_pid) == ("idle", None)


async def test_text_and_objects_pass_through(connect: Connect) -> None:
    upstream = connect(hostile("calm"))

    result = await call(upstream, "echo", text="grüße", deep={"a": [1, None]})

    assert result.content == [{"type": "text", "text": "grüße"}]
    assert result.structured == {"text": "grüße", "deep": {"a": [1, None]}}
    assert (result.is_error, result.truncated, upstream.health) == (False, False, "ready")


async def test_pictures_sounds_and_resources_pass_through(connect: Connect) -> None:
    upstream = connect(hostile("calm"))

    result = await call(upstream, "pictures")

    assert [block["type"] for block in result.content] == ["image", "audio", "resource", "resource_link"]
    assert result.content[0] == {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert result.content[2]["resource"]["text"] == "hi"
    assert result.meta == {"origin": "calm"}


async def test_a_failure_that_the_tool_tells_of_is_an_answer(connect: Connect) -> None:
    upstream = connect(hostile("calm"))

    failed, broken = await call(upstream, "fail"), await call(upstream, "broken")

    assert (failed.is_error, text_of(failed)) == (True, "the disk is full")
    assert (broken.is_error, text_of(broken)) == (True, "no such thing")


async def test_many_calls_share_one_connection_at_the_same_time(connect: Connect) -> None:
    upstream = connect(hostile("calm", max_concurrency=20))
    await upstream.definitions()
    started = time.monotonic()

    answers = await asyncio.gather(*(call(upstream, "wait", seconds=0.3) for _ in range(20)))

    response = await counts(upstream)
    assert [text_of(result) for result in answers] == ["waited"] * 20
    assert (response["initialize"], response["tools/call"], response["busiest"]) == (1, 21, 20)
    assert time.monotonic() - started < 5


async def test_no_more_calls_run_at_once_than_the_file_allows(connect: Connect) -> None:
    upstream = connect(hostile("calm", max_concurrency=3))

    await asyncio.gather(*(call(upstream, "wait", seconds=0.05) for _ in range(12)))

    assert (await counts(upstream))["busiest"] == 3


async def test_progress_is_passed_on(connect: Connect) -> None:
    upstream = connect(hostile("calm"))
    notifications: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        notifications.append((progress, total, message))

    await upstream.call(UpstreamCall("steps", {}, progress=hear))

    assert notifications == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


async def test_a_call_that_takes_too_long_is_given_up_and_the_server_is_told(connect: Connect) -> None:
    upstream = connect(hostile("calm", timeout=0.5))
    await upstream.definitions()

    with pytest.raises(UpstreamTimeout) as late:
        await call(upstream, "wait", seconds=1)

    assert late.value.details["timeout"] == 0.5
    assert len((await counts(upstream))["cancelled"]) == 1
    assert upstream.health == "ready"


async def test_a_caller_that_goes_away_cancels_its_own_call_only(connect: Connect) -> None:
    upstream = connect(hostile("calm"))
    await upstream.definitions()
    gone, other = await under_way(upstream, 0.5), await under_way(upstream, 0.4)

    gone.cancel()

    assert text_of(await other) == "waited"
    assert len((await counts(upstream))["cancelled"]) == 1


async def test_where_nobody_can_be_asked_a_server_gets_no_answer_but_is_not_left_waiting(connect: Connect) -> None:
    upstream = connect(hostile("calm"))

    result = await call(upstream, "ask")

    assert result.structured == {
        "refused": {"sampling/createMessage": True, "elicitation/create": False, "roots/list": False}
    }


async def test_the_process_gets_no_more_of_our_environment_than_it_needs(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGTABLE_TOKEN", "ours")
    monkeypatch.setenv("OPENAI_API_KEY", "ours too")
    upstream = connect(hostile("calm", env={"API_TOKEN": "theirs"}))

    result = await call(upstream, "environment")

    assert result.structured is not None
    seen = result.structured["environment"]
    assert set(seen) - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "API_TOKEN"}
    assert seen["API_TOKEN"] == "theirs"
    assert result.structured["session"] != os.getsid(0)


async def test_the_memory_of_the_process_is_bounded(connect: Connect) -> None:
    upstream = connect(hostile("calm", memory=300 * 1024 * 1024))

    result = await call(upstream, "limits")

    assert result.structured == {"data": 300 * 1024 * 1024}


async def test_only_tools_that_the_file_lets_through_are_listed_and_called(connect: Connect) -> None:
    upstream = connect(hostile("calm", allow=("e*", "wait"), deny=("environment",)))

    names = [each.remote for each in await upstream.definitions()]

    assert names == ["echo", "wait"]
    with pytest.raises(NotFound):
        await call(upstream, "environment")


async def test_five_failures_open_the_circuit_and_calls_fail_at_once(connect: Connect) -> None:
    upstream = connect(hostile("calm", timeout=0.1))
    await upstream.definitions()
    for _ in range(5):
        with pytest.raises(UpstreamTimeout):
            await call(upstream, "wait", seconds=0.5)

    with pytest.raises(UpstreamError) as refused:
        await call(upstream, "echo")

    assert upstream.health == "open"
    assert 0 < refused.value.details["retry_after"] <= 30


async def test_what_a_tool_says_is_wrong_does_not_open_the_circuit(connect: Connect) -> None:
    upstream = connect(hostile("calm"), breaker=CircuitBreaker("calm", failures=2))

    for _ in range(4):
        await call(upstream, "fail")
        await call(upstream, "broken")

    assert upstream.health == "ready"


async def test_a_stopped_upstream_is_not_started_again(connect: Connect) -> None:
    upstream = connect(hostile("calm"))
    await upstream.definitions()

    await upstream.close()

    assert upstream.health == "stopped"
    with pytest.raises(UpstreamError):
        await call(upstream, "echo")
