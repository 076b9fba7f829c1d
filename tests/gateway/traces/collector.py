"""A receiver of OTLP over HTTP, as a collector is one: decodes what a process sends, and keeps it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class ReceivedSpan:
    name: str
    kind: int
    trace_id: str
    span_id: str
    parent_id: str
    start: int
    end: int
    attributes: dict[str, Any]
    links: list[str]
    is_error: bool


@dataclass
class Collector:
    address: str = ""
    spans: list[ReceivedSpan] = field(default_factory=list)
    metrics: dict[str, list[Any]] = field(default_factory=dict)
    services: set[str] = field(default_factory=set)
    bodies: list[bytes] = field(default_factory=list)
    received: Condition = field(default_factory=Condition)

    def named(self, name: str) -> list[ReceivedSpan]:
        return [span for span in self.spans if span.name == name]

    def until(self, *names: str) -> None:
        """Until a span of each of these names has come."""
        with self.received:
            has_come = self.received.wait_for(lambda: all(self.named(name) for name in names), 30)
        assert has_come, f"{names} did not come, but {sorted(span.name for span in self.spans)}"

    def take(self, path: str, body: bytes) -> None:
        with self.received:
            self.bodies.append(body)
            if path == "/v1/traces":
                self._take_spans(ExportTraceServiceRequest.FromString(body))
            elif path == "/v1/metrics":
                self._take_metrics(ExportMetricsServiceRequest.FromString(body))
            self.received.notify_all()

    def _take_spans(self, request: Any) -> None:
        for resource in request.resource_spans:
            self.services.add(_attributes(resource.resource.attributes)["service.name"])
            for scope in resource.scope_spans:
                self.spans += [_span(each) for each in scope.spans]

    def _take_metrics(self, request: Any) -> None:
        for resource in request.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    points = metric.histogram.data_points
                    self.metrics[metric.name] = [
                        (_attributes(each.attributes), each.count, metric.unit) for each in points
                    ]


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class CollectorHandler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.take(self.path, self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), CollectorHandler)
    serving = Thread(target=server.serve_forever, daemon=True)
    serving.start()
    collector.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()


def _span(raw: Any) -> ReceivedSpan:
    return ReceivedSpan(
        raw.name,
        raw.kind,
        raw.trace_id.hex(),
        raw.span_id.hex(),
        raw.parent_span_id.hex(),
        raw.start_time_unix_nano,
        raw.end_time_unix_nano,
        _attributes(raw.attributes),
        [link.span_id.hex() for link in raw.links],
        raw.status.code == 2,
    )


def _attributes(raw: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in raw}
