"""A gateway to a server that tells which trace a call belongs to, and a recorder of spans."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.context import Context

from tests.gateway.hostile.entries import ROOT
from tests.gateway.slice.gateway import GatewayServer
from tests.stores import Store, anyio_backend, login, postgres, store
from tests.table import open_table

__all__ = ["anyio_backend", "login", "postgres", "store"]

ECHO = "tests.gateway.traces.echo_server"


class RecordedSpan(trace.NonRecordingSpan):
    """A span with its own id in the trace of its parent."""

    def __init__(self, name: str, parent: trace.SpanContext, number: int) -> None:
        trace_id = parent.trace_id or 0xABC0 + number
        super().__init__(trace.SpanContext(trace_id, 0x1000 + number, is_remote=False, trace_flags=trace.TraceFlags(1)))
        self.name = name
        self.parent_id = parent.span_id
        self.attributes: dict[str, Any] = {}

    def set_attribute(self, key: str, value: Any) -> None:
        self.attributes[key] = value

    def set_attributes(self, attributes: Any) -> None:
        self.attributes |= attributes


@dataclass
class SpanRecorder(trace.TracerProvider, trace.Tracer):
    """An implementation of OpenTelemetry that keeps spans in memory."""

    spans: list[RecordedSpan] = field(default_factory=list)

    def get_tracer(self, *_: Any, **__: Any) -> trace.Tracer:
        return self

    def start_span(  # type: ignore[override]  # the other arguments come by name
        self, name: str, context: Context | None = None, **more: Any
    ) -> RecordedSpan:
        parent = trace.get_current_span(context).get_span_context()
        span = RecordedSpan(name, parent, len(self.spans))
        span.attributes |= more.get("attributes") or {}
        self.spans.append(span)
        return span

    def start_as_current_span(  # type: ignore[override]  # the other arguments come by name
        self, name: str, context: Context | None = None, **more: Any
    ) -> Any:
        span = self.start_span(name, context, **more)
        return trace.use_span(span, record_exception=False, set_status_on_exception=False)

    def named(self, name: str) -> RecordedSpan:
        (found,) = [span for span in self.spans if span.name == name]
        return found


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> SpanRecorder:
    recorder = SpanRecorder()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", recorder)
    return recorder


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    command = [sys.executable, "-m", ECHO, "http"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@asynccontextmanager
async def opened(store: Store, tmp_path: Path, address: str, **more: Any) -> AsyncIterator[GatewayServer]:
    servers = {"web": {"url": address}, "program": {"command": sys.executable, "args": ["-m", ECHO], "cwd": str(ROOT)}}
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers, **more}))
    path.chmod(0o600)
    async with open_table(store, tmp_path, gateway_config=str(path)) as table:
        yield GatewayServer(table, tmp_path / "journal")


@pytest.fixture
async def gateway(store: Store, tmp_path: Path, address: str) -> AsyncIterator[GatewayServer]:
    async with opened(store, tmp_path, address) as result:
        yield result
