"""The trace that an agent is in goes on to the upstream, and what the gateway does in between is a span each."""

import asyncio

import pytest

from tests.gateway.slice.gateway import GatewayServer, names, use
from tests.gateway.traces.conftest import Recorder

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
OVER_HTTP, OVER_STDIO = "mindscape_tool_web_get_trace", "mindscape_tool_program_get_trace"


@pytest.mark.parametrize("tool", [OVER_HTTP, OVER_STDIO])
async def test_the_trace_of_the_header_reaches_the_upstream(gateway: GatewayServer, tool: str) -> None:
    agent = gateway.agent()
    async with asyncio.timeout(40):
        # A program may take longer to start than a list waits for it.
        while tool not in await names(agent):  # noqa: ASYNC110 - no event says that a program has started
            await asyncio.sleep(0.05)
    agent.client.headers["traceparent"] = PARENT

    told = str((await use(agent, tool)).result)

    assert f"meta={PARENT}" in told
    assert tool == OVER_STDIO or f"header={PARENT}" in told


async def test_the_trace_of_the_message_counts_before_that_of_the_header(gateway: GatewayServer) -> None:
    agent = gateway.agent()
    agent.client.headers["traceparent"] = PARENT.replace("b7ad", "ffff")
    params = {"name": OVER_HTTP, "arguments": {}, "_meta": {"traceparent": PARENT}}

    told = (await agent.posts("tools/call", params)).text

    assert f"meta={PARENT}" in told


async def test_without_a_trace_none_is_made_up(gateway: GatewayServer) -> None:
    told = str((await use(gateway.agent(), OVER_HTTP)).result)

    assert "header= meta=" in told


async def test_a_malformed_trace_is_not_passed_on(gateway: GatewayServer) -> None:
    agent = gateway.agent()
    agent.client.headers["traceparent"] = "00-nothing"

    assert "header= meta=" in str((await use(agent, OVER_HTTP)).result)


async def test_each_part_of_a_call_is_a_span_of_the_callers_trace(gateway: GatewayServer, recorder: Recorder) -> None:
    agent = gateway.agent()
    agent.client.headers["traceparent"] = PARENT

    told = str((await use(agent, OVER_HTTP)).result)

    call = recorder.named("gateway.call")
    parts = [recorder.named(f"gateway.{part}") for part in ("checks", "listing", "upstream")]
    own = call.get_span_context().span_id
    assert call.attributes == {"tool": OVER_HTTP}
    assert {each.parent_id for each in parts} == {own}
    assert {each.get_span_context().trace_id for each in (call, *parts)} == {int(TRACE, 16)}
    assert f"meta=00-{TRACE}-" in told
    assert PARENT not in told
