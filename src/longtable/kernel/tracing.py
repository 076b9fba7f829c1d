"""Spans and the trace that a caller is in (W3C Trace Context), by the interface of OpenTelemetry. Nothing is recorded
unless the process has an implementation of it; what a caller sent is passed on in any case."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import context, trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from longtable.kernel.errors import LongtableError

TRACEPARENT = "traceparent"
TRACESTATE = "tracestate"

_PROPAGATOR = TraceContextTextMapPropagator()


def is_recording() -> bool:
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def span(name: str, **attributes: str) -> Iterator[None]:
    """Holds names and codes, never arguments, results or messages."""
    if not is_recording():
        yield
        return
    tracer = trace.get_tracer("longtable")
    with tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except BaseException as error:
            code = error.code if isinstance(error, LongtableError) else type(error).__name__
            current.set_attribute("error.type", code)
            current.set_status(trace.StatusCode.ERROR)
            raise


@contextmanager
def continued(fields: dict[str, str]) -> Iterator[None]:
    """Within the trace of `fields`; without them, or if they are malformed, within the present one."""
    if TRACEPARENT not in fields:
        yield
        return
    token = context.attach(_PROPAGATOR.extract(fields))
    try:
        yield
    finally:
        context.detach(token)


def trace_fields() -> dict[str, str]:
    """What tells another server which trace this is; empty outside of any."""
    fields: dict[str, str] = {}
    _PROPAGATOR.inject(fields)
    return fields
