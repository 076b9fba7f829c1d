"""Traces and metrics at a collector: a server that is told of one sends what its agents do, and never what they say."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.errors import ConfigError
from longtable.server.telemetry import telemetry
from longtable.settings.options import Settings
from tests.e2e.preloaded import SOURCES
from tests.e2e.program import Program
from tests.e2e.servers import Processes, Server
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.traces.collector import Collector, ReceivedSpan, collecting
from tests.table import Agent

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
TOOL, WORDS = "mindscape_run_calm_echo", "nobody's business"
SERVER, CLIENT = 2, 3


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as result:
        yield result


@pytest.fixture
def server(processes: Processes, embedded: dict[str, str], tmp_path: Path, collector: Collector) -> Server:
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": {"calm": hostile_json("calm")}}))
    options = {"gateway_config": str(path), "auth": "tokens", "otel_endpoint": collector.address}
    return processes.serve({**embedded, **options})


def token(embedded: dict[str, str], role: str, name: str) -> str:
    words = ("token", "create", "--tenant", "acme", "--role", role, "--name", name)
    return f"Bearer {Program(Path(embedded['data_dir'])).does(*words)['secret']}"


async def asks(agent: Agent, **more: Any) -> dict[str, Any]:
    result: dict[str, Any] = (
        await agent.posts("tools/call", {"name": TOOL, "arguments": {"inputs": {"text": WORDS}, **more}})
    ).json()["result"]
    return result


async def test_a_trace_of_one_story_in_one_trace_id(
    server: Server, embedded: dict[str, str], collector: Collector
) -> None:
    alice = server.agent("alice", Authorization=token(embedded, "orchestrator", "team"), traceparent=PARENT)
    person = server.agent(Authorization=token(embedded, "human", "ada"))
    async with alice.client, person.client:
        session = (await alice.calls("create_session", purpose=WORDS))["session_id"]
        alice.client.headers["X-Session-ID"] = session

        refused = (await asks(alice))["structuredContent"]["error"]["details"]
        await person.client.post(f"/decisions/{refused['confirmation_id']}/approve", json={})
        done = await asks(alice, confirm_token=refused["confirm_token"])
        await alice.tries("add_note", content=WORDS)
        await alice.posts("tools/call", {"name": "made_up", "arguments": {}})
    server.stop()

    assert done["content"][0]["text"] == WORDS
    story = [span for span in collector.spans if span.trace_id == TRACE]
    assert [(span.kind, span.is_error) for span in named(story, f"tools/call {TOOL}")] == [
        (SERVER, True),
        (SERVER, False),
    ]
    first, second = named(story, f"tools/call {TOOL}")
    (wait,), (note,), (sent,) = [
        named(story, name) for name in ("gateway.wait", "tools/call add_note", "tools/call echo")
    ]
    asked, used = named(story, "gateway.approval")
    assert {span.parent_id for span in (first, second, note)} == {"b7ad6b7169203331"}
    assert (wait.parent_id, used.links) == (asked.span_id, [asked.span_id])
    assert first.end <= wait.end <= second.start
    assert sent.kind == CLIENT
    check_attributes(first, second, wait, sent, session)
    assert WORDS.encode() not in b"".join(collector.bodies)
    assert collector.services == {"longtable"}
    check_metrics(collector)


def named(spans: list[ReceivedSpan], name: str) -> list[ReceivedSpan]:
    return sorted((span for span in spans if span.name == name), key=lambda span: span.start)


def check_attributes(
    first: ReceivedSpan, second: ReceivedSpan, wait: ReceivedSpan, sent: ReceivedSpan, session: str
) -> None:
    assert second.attributes == {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2026-07-28",
        "jsonrpc.request.id": second.attributes["jsonrpc.request.id"],
        "network.transport": "tcp",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": TOOL,
        "longtable.tenant": "acme",
        "longtable.agent": "alice",
        "longtable.session_id": session,
    }
    told = {"error.type": "tool_error", "longtable.error_code": "CONFIRMATION_REQUIRED"}
    assert told.items() <= first.attributes.items()
    names = {"longtable.decision_id": "d1", "longtable.upstream": "calm"}
    assert {**names, "longtable.decision": "approved"}.items() <= wait.attributes.items()
    assert {**names, "network.transport": "pipe", "gen_ai.tool.name": "echo"}.items() <= sent.attributes.items()


def check_metrics(collector: Collector) -> None:
    server = collector.metrics["mcp.server.operation.duration"]
    ((attributes, count, unit),) = collector.metrics["mcp.client.operation.duration"]
    assert (attributes["gen_ai.tool.name"], count, unit) == ("echo", 1, "s")
    errors = [attributes for attributes, _, _ in server if attributes.get("error.type") == "tool_error"]
    assert {each.get("gen_ai.tool.name") for each in errors} == {TOOL, None}
    assert not any("longtable.agent" in attributes for attributes, _, _ in server)


def test_nothing_of_it_is_loaded_where_no_collector_is_named() -> None:
    program = """
import sys
from longtable.server import http, stdio, worker
from longtable.server.telemetry import telemetry
from longtable.settings.options import Settings
with telemetry(Settings()):
    heavy = ("opentelemetry.sdk", "opentelemetry.exporter", "opentelemetry.proto", "requests", "google.protobuf")
    print([name for name in sys.modules if name.startswith(heavy)])"""
    environment = {"PYTHONPATH": SOURCES}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_without_the_extra_the_option_is_a_mistake_and_the_variable_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "longtable.server.otlp", None)
    named = Settings(otel_endpoint="http://127.0.0.1:4318")

    with pytest.raises(ConfigError) as refused, telemetry(named):
        pass
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    with telemetry(Settings()):
        is_going_on = True

    assert "longtable[otel]" in refused.value.message
    assert is_going_on
