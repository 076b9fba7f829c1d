"""Spans, durations, and the trace that a caller is in (W3C Trace Context), by the interface of OpenTelemetry. Nothing
is recorded unless the process has an implementation of it; what a caller sent is passed on in any case."""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from opentelemetry import context, trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from longtable.kernel.errors import LongtableError, NotFound

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram

TRACEPARENT: Final = "traceparent"
TRACE_FIELDS: Final = (TRACEPARENT, "tracestate")
TOOL_ERROR: Final = "tool_error"
"""The `error.type` of a call whose result is an error."""

Side = Literal["server", "client"]

_TRACER: Final = "longtable"
_NOTHING: Final = nullcontext()
_PROPAGATOR = TraceContextTextMapPropagator()
_KINDS: Final = {"server": trace.SpanKind.SERVER, "client": trace.SpanKind.CLIENT}
_BOUNDARIES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_TARGETS: Final[Mapping[str, Mapping[str, str]]] = {
    "tools/call": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "{}"},
    "prompts/get": {"gen_ai.prompt.name": "{}"},
}
_MEASURED: Final = frozenset(
    {
        "mcp.method.name",
        "mcp.protocol.version",
        "network.transport",
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "longtable.upstream",
    }
)
"""Attributes of a span that its duration is counted by, too."""


class Operation:
    """A request that is under way."""

    error: str | None = None
    is_known = True
    """False for a call of a tool that there is not: its name is the caller's own invention, and is not counted by."""

    def failed(self, kind: str = TOOL_ERROR) -> None:
        """Its answer is an error."""
        self.error = kind


_UNDER_WAY: Final[ContextVar[Operation | None]] = ContextVar("operation_under_way", default=None)


def is_recording() -> bool:
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def span(name: str, **attributes: str) -> AbstractContextManager[None]:
    """Holds names and codes, never arguments, results or messages."""
    return _recorded_span(name, attributes) if is_recording() else _NOTHING


@contextmanager
def _recorded_span(name: str, attributes: Mapping[str, str]) -> Iterator[None]:
    with trace.get_tracer(_TRACER).start_as_current_span(
        name, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except BaseException as error:
            _fail(current, error_type(error))
            raise


@contextmanager
def operation(side: Side, method: str, target: str | None, attributes: Mapping[str, str]) -> Iterator[Operation]:
    """A request of the protocol as a span and in a histogram, both by the conventions for MCP. To be entered only while
    `is_recording`."""
    every = {"mcp.method.name": method, **attributes, **_target(method, target)}
    name = method if target is None else f"{method} {target}"
    started, under_way = time.perf_counter(), Operation()
    token = _UNDER_WAY.set(under_way)
    with trace.get_tracer(_TRACER).start_as_current_span(
        name, kind=_KINDS[side], attributes=every, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield under_way
        except BaseException as error:
            under_way.error = under_way.error or error_type(error)
            raise
        finally:
            _UNDER_WAY.reset(token)
            if under_way.error is not None:
                _fail(current, under_way.error)
            _measure(side, time.perf_counter() - started, every, under_way)


def _target(method: str, target: str | None) -> dict[str, str]:
    if target is None:
        return {}
    return {name: value.replace("{}", target) for name, value in _TARGETS.get(method, {}).items()}


def is_under_way() -> bool:
    """Whether a request is being answered already that has a span."""
    return _UNDER_WAY.get() is not None


def tool_failed(code: str | None = None) -> None:
    """The result of the call that is being answered is an error, of this code if it is ours."""
    under_way = _UNDER_WAY.get()
    if under_way is not None:
        under_way.failed()
        under_way.is_known = code != NotFound.code
        annotate(error_code=code)


def annotate(**attributes: str | None) -> None:
    """Adds to the current span, under names of ours: `session_id` is `longtable.session_id`."""
    if is_recording():
        known = {f"longtable.{name}": value for name, value in attributes.items() if value is not None}
        trace.get_current_span().set_attributes(known)


def link_to(traceparent: str | None) -> None:
    """Says that the current span goes on with what another one began."""
    if traceparent is not None and is_recording():
        other = trace.get_current_span(_PROPAGATOR.extract({TRACEPARENT: traceparent})).get_span_context()
        if other.is_valid:
            trace.get_current_span().add_link(other)


def record_past(name: str, traceparent: str | None, start: int, end: int, attributes: Mapping[str, str]) -> None:
    """A span that is over, below another one; times in microseconds."""
    if traceparent is not None and is_recording():
        parent = _PROPAGATOR.extract({TRACEPARENT: traceparent})
        past = trace.get_tracer(_TRACER).start_span(
            name, context=parent, attributes=dict(attributes), start_time=start * 1000
        )
        past.end(end * 1000)


def continued(fields: Mapping[str, str]) -> AbstractContextManager[None]:
    """Within the trace of `fields`; without them, or if they are malformed, within the present one."""
    return _continued(fields) if TRACEPARENT in fields else _NOTHING


@contextmanager
def _continued(fields: Mapping[str, str]) -> Iterator[None]:
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


def error_type(error: BaseException) -> str:
    return error.code if isinstance(error, LongtableError) else type(error).__name__


def _fail(current: trace.Span, kind: str) -> None:
    current.set_attribute("error.type", kind)
    current.set_status(trace.StatusCode.ERROR)


def _measure(side: Side, seconds: float, attributes: Mapping[str, str], done: Operation) -> None:
    names = _MEASURED if done.is_known else _MEASURED - {"gen_ai.tool.name"}
    counted = {name: attributes[name] for name in names if name in attributes}
    if done.error is not None:
        counted["error.type"] = done.error
    _histogram(side).record(seconds, counted)


@cache
def _histogram(side: Side) -> "Histogram":
    from opentelemetry import metrics

    return metrics.get_meter(_TRACER).create_histogram(
        f"mcp.{side}.operation.duration",
        unit="s",
        description=f"How long requests of the protocol took, as the {side} saw it.",
        explicit_bucket_boundaries_advisory=_BOUNDARIES,
    )
