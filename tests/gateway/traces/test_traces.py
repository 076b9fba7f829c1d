"""The trace that an agent is in goes on to the upstream, and what the gateway does in between is a span each."""

import asyncio
import sys
from pathlib import Path

import pytest

from longtable.kernel.tracing import continued
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.port import UpstreamCall
from tests.gateway.hostile.entries import ROOT
from tests.gateway.protocol.sharing import shared_program
from tests.gateway.slice.gateway import GatewayServer, names, use
from tests.gateway.traces.conftest import ECHO, SpanRecorder, opened
from tests.stores import Store

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

    text = str((await use(agent, tool)).result)

    assert f"meta={PARENT}" in text
    assert tool == OVER_STDIO or f"header={PARENT}" in text


async def test_the_trace_of_the_message_counts_before_that_of_the_header(gateway: GatewayServer) -> None:
    agent = gateway.agent()
    agent.client.headers["traceparent"] = PARENT.replace("b7ad", "ffff")
    params = {"name": OVER_HTTP, "arguments": {}, "_meta": {"traceparent": PARENT}}

    text = (await agent.posts("tools/call", params)).text

    assert f"meta={PARENT}" in text


async def test_without_a_trace_none_is_made_up(gateway: GatewayServer) -> None:
    text = str((await use(gateway.agent(), OVER_HTTP)).result)

    assert "header= meta=" in text


async def test_a_malformed_trace_is_not_passed_on(gateway: GatewayServer) -> None:
    agent = gateway.agent()
    agent.client.headers["traceparent"] = "00-nothing"

    assert "header= meta=" in str((await use(agent, OVER_HTTP)).result)


async def test_each_part_of_a_call_is_a_span_of_the_callers_trace(
    gateway: GatewayServer, recorder: SpanRecorder
) -> None:
    agent = gateway.agent()
    agent.client.headers["traceparent"] = PARENT

    text = str((await use(agent, OVER_HTTP)).result)

    request, call = recorder.named(f"tools/call {OVER_HTTP}"), recorder.named("gateway.call")
    parts = [recorder.named(name) for name in ("gateway.checks", "gateway.listing", "tools/call get_trace")]
    own = call.get_span_context().span_id
    assert call.attributes == {"tool": OVER_HTTP}
    assert call.parent_id == request.get_span_context().span_id
    assert parts[0].attributes["longtable.layer"] == "primitive"
    assert {each.parent_id for each in parts} == {own}
    assert {each.get_span_context().trace_id for each in (call, *parts)} == {int(TRACE, 16)}
    assert f"meta=00-{TRACE}-" in text
    assert PARENT not in text


async def test_the_question_to_a_person_is_a_span_of_the_callers_trace(
    store: Store, tmp_path: Path, address: str, recorder: SpanRecorder
) -> None:
    rules = [{"match": "web.*", "layer": "run", "confirm": "human"}]
    async with opened(store, tmp_path, address, rules=rules) as gateway:
        agent = gateway.agent()
        agent.client.headers["traceparent"] = PARENT

        refused = await use(agent, "mindscape_run_web_get_trace")

    approval, call = recorder.named("gateway.approval"), recorder.named("gateway.call")
    assert refused.code == "CONFIRMATION_REQUIRED"
    assert approval.parent_id == call.get_span_context().span_id
    assert approval.get_span_context().trace_id == int(TRACE, 16)
    assert approval.attributes == {"longtable.decision_id": "d1", "error.type": "CONFIRMATION_REQUIRED"}


async def test_the_trace_passes_through_the_process_that_runs_a_program(tmp_path: Path) -> None:
    entry = StdioEntry("echo", "echo", command=sys.executable, args=("-m", ECHO), cwd=str(ROOT))
    async with shared_program(entry, tmp_path / "s") as program:
        with continued({"traceparent": PARENT}):
            result = await program.call(UpstreamCall("get_trace", {}))

    # The SDK may add a span of its own, to whatever recorder it first met in this process.
    assert f"meta=00-{TRACE}-" in str(result.content)
