"""The implementation of OpenTelemetry: needs the extra `otel`. Its own environment variables count, as everywhere."""

import logging
import os
import time
from collections.abc import Callable
from typing import Any, Final

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from longtable.kernel.logs import logger

_LOGGED_EVERY: Final = 60.0


class _Problems(logging.Handler):
    """What the exporter has to say, as lines of our own log, one a minute: it tries again and again."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._next_at = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        now = time.monotonic()
        if now >= self._next_at:
            self._next_at = now + _LOGGED_EVERY
            logger.warning("telemetry_not_sent", problem=record.getMessage()[:200])


def start_exporting(endpoint: str | None, version: str) -> Callable[[], None]:
    """Without an `endpoint` that of the environment counts. Returns what stops it, after sending the rest."""
    own_log = logging.getLogger("opentelemetry")
    own_log.addHandler(_Problems())
    own_log.propagate = False
    resource = _resource(version)
    tracing = TracerProvider(resource=resource)
    if _is_exported("TRACES"):
        tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(**_at(endpoint, "v1/traces"))))
    trace.set_tracer_provider(tracing)
    stops = [tracing.shutdown]
    if _is_exported("METRICS"):
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(**_at(endpoint, "v1/metrics")))
        measuring = MeterProvider(resource=resource, metric_readers=[reader])
        metrics.set_meter_provider(measuring)
        stops.append(measuring.shutdown)

    def stop() -> None:
        for each in stops:
            each()

    return stop


def _resource(version: str) -> Resource:
    """OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it."""
    named = Resource.create()
    name = named.attributes.get("service.name", "")
    is_named = isinstance(name, str) and name and not name.startswith("unknown_service")
    return named.merge(Resource({"service.version": version, **({} if is_named else {"service.name": "longtable"})}))


def _is_exported(signal: str) -> bool:
    return os.environ.get(f"OTEL_{signal}_EXPORTER", "otlp").strip().lower() != "none"


def _at(endpoint: str | None, path: str) -> dict[str, Any]:
    return {} if endpoint is None else {"endpoint": f"{endpoint.rstrip('/')}/{path}"}
