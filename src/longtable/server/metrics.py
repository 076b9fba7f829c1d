"""Prometheus metrics, made when the endpoint is switched on: of one process, or of all workers of a supervisor.

A gauge is set before it is shown, never by a function: the files that workers share know values only."""

import asyncio
import time
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from longtable.app import App
from longtable.kernel.errors import InternalError
from longtable.log.model import Event
from longtable.notebooks import store as notebook_store
from longtable.server.intake import Intake
from longtable.server.shared_metrics import SharedMetrics
from longtable.storage.database import SYSTEM, Transaction

NOTEBOOK_OPS: Mapping[str, str] = {
    "scratch_create": "create",
    "scratch_read": "read",
    "scratch_append_cell": "append",
    "scratch_replace_cell": "replace",
    "scratch_delete": "delete",
    "scratch_list": "list",
    "scratch_validate": "validate",
}
"""What the notebook server that ours grew out of counted, and by which name."""

PUBLISH_SECONDS = 1.0
_POLICIES = ("discard", "preempt")


class NotebookAliases:
    """Dashboards of that older server go on: the same facts under its names."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._ops = Counter("scratch_notebook_ops", "Calls of notebook tools.", ["op"], registry=registry)
        self._errors = Counter("scratch_notebook_errors", "Failures of notebook tools.", ["code"], registry=registry)
        # Shown before anything has failed, as that server did.
        self._errors.labels("none")
        for op in NOTEBOOK_OPS.values():
            self._ops.labels(op)

    def called(self, tool: str, outcome: str) -> None:
        if tool in NOTEBOOK_OPS:
            self._ops.labels(NOTEBOOK_OPS[tool]).inc()
        if outcome != "SUCCESS" and tool.startswith("scratch_"):
            self._errors.labels(outcome).inc()


class Metrics:
    def __init__(self, app: App, intake: Intake, shared: SharedMetrics | None = None) -> None:
        self._app = app
        self._intake = intake
        self._shared = shared
        if shared is not None:
            shared.switch_on()
        self._registry = CollectorRegistry()
        self._started = time.monotonic() if shared is None else shared.since
        registry = self._registry
        self._calls = Counter("longtable_tool_calls", "Tool calls.", ["tool", "outcome"], registry=registry)
        self._seconds = Histogram("longtable_tool_seconds", "Time of a tool call.", ["tool"], registry=registry)
        self._errors = _failures(registry)
        self._events = Counter("longtable_events", "Events committed by this process.", ["kind"], registry=registry)
        self._evictions = [_evictions(prefix, registry) for prefix in ("longtable", "scratch_notebook")]
        self._commit = Histogram("longtable_store_commit_seconds", "Time of a durable write.", registry=registry)
        names = ("longtable_uptime_seconds", "scratch_notebook_uptime_seconds")
        self._uptimes = [_of_all(name, "Time since start.", registry) for name in names]
        self._sessions = _of_all("longtable_sessions_active", "Sessions that are open.", registry)
        self._scratchpads = _of_all("longtable_scratchpads", "Scratchpads in use.", registry)
        self._cells = _of_all("longtable_cells", "Cells of the scratchpads in use.", registry)
        self._waiting = _of_all("longtable_embedding_queue", "Texts that wait to be embedded.", registry)
        self._model_bytes = _of_each("longtable_embedding_bytes", "Memory of the model's process.", registry)
        self._vector_bytes = _of_each("longtable_vector_bytes", "Memory of vectors kept for searches.", registry)
        self._subscribers = _of_each("longtable_subscribers", "Open subscriptions to events here.", registry)
        self._refused = Counter("longtable_refused", "Refusals for a limit.", ["limit"], registry=registry)
        self._connections = _of_each("longtable_open_connections", "Connections that are open here.", registry)
        self._buffered = _of_each("longtable_buffered_bytes", "Bytes of request bodies held here.", registry)
        self._in_flight = _of_each("longtable_calls_in_flight", "Calls that are under way here.", registry)
        self._gateway = Counter(
            "longtable_gateway_calls", "Calls of others' tools.", ["upstream", "layer", "outcome"], registry=registry
        )
        self._gateway_seconds = Histogram(
            "longtable_gateway_seconds", "Time of a call of others' tools.", ["upstream"], registry=registry
        )
        self._background = Counter(
            "longtable_background_failures", "Failures of background tasks.", ["task"], registry=registry
        )
        self._aliases = NotebookAliases(registry)
        self._listen_to(app)
        if shared is not None:
            app.background.start("metrics", self._publish)

    def _listen_to(self, app: App) -> None:
        app.dispatcher.meter = self
        app.ledger.meter = self
        app.hooks.on_event = self.event
        for task in app.background.states():
            # What failed while the server was being opened.
            self._background.labels(task.name).inc(task.failures)
        app.background.on_failure = self.background_failed
        app.refusals.on_refusal = self.refused
        app.gateway_meter = self
        if app.is_joined:
            app.slices.gateway.dependencies.meter = self

    def gateway_called(self, upstream: str, layer: str, outcome: str, seconds: float) -> None:
        self._gateway.labels(upstream, layer, outcome).inc()
        self._gateway_seconds.labels(upstream).observe(seconds)

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)
        if outcome != "SUCCESS":
            self._errors.labels(outcome).inc()
        self._aliases.called(tool, outcome)

    def background_failed(self, task: str) -> None:
        self._background.labels(task).inc()

    def refused(self, limit: str) -> None:
        self._refused.labels(limit).inc()

    def committed(self, seconds: float) -> None:
        self._commit.observe(seconds)

    def event(self, event: Event) -> None:
        self._events.labels(event.kind).inc()
        if event.kind == "notebook/evicted":
            for counter in self._evictions:
                counter.labels(event.payload["reason"]).inc()

    async def render(self) -> tuple[bytes, str]:
        for task in self._app.background.states():
            self._background.labels(task.name)
        sessions, (scratchpads, cells) = await self._app.database.read(SYSTEM, self._count)
        self._sessions.set(sessions)
        self._scratchpads.set(scratchpads)
        self._cells.set(cells)
        self._waiting.set(await self._app.slices.indexer.waiting())
        for uptime in self._uptimes:
            uptime.set(time.monotonic() - self._started)
        self._set_own()
        registry = self._registry if self._shared is None else self._shared.summed(self._registry)
        return generate_latest(registry), CONTENT_TYPE_LATEST

    async def _publish(self) -> None:
        """Writes what this process holds, for whichever process is scraped."""
        while True:
            self._set_own()
            await asyncio.sleep(PUBLISH_SECONDS)

    def _set_own(self) -> None:
        self._subscribers.set(self._app.feed.subscribers)
        self._connections.set(self._intake.open_connections)
        self._buffered.set(self._intake.buffered)
        self._in_flight.set(sum(self._app.dispatcher.limits.tenant_calls.own.values()))
        if self._app.is_joined:
            self._model_bytes.set(self._app.slices.meaning.worker.memory_bytes)
            self._vector_bytes.set(self._app.slices.meaning.nearest.bytes_used)

    async def _count(self, tx: Transaction) -> tuple[int, tuple[int, int]]:
        row = await tx.first(
            "SELECT COUNT(*) AS open FROM sessions WHERE status = 'active' AND expires_at > :now",
            now=self._app.clock(),
        )
        return int(row["open"]) if row else 0, await notebook_store.totals(tx)


def _of_all(name: str, help_text: str, registry: CollectorRegistry) -> Gauge:
    """A gauge of something that is the same for all processes: the latest value counts."""
    return Gauge(name, help_text, registry=registry, multiprocess_mode="livemostrecent")


def _of_each(name: str, help_text: str, registry: CollectorRegistry) -> Gauge:
    """A gauge of something that each process has for itself: the values are added up."""
    return Gauge(name, help_text, registry=registry, multiprocess_mode="livesum")


def _failures(registry: CollectorRegistry) -> Counter:
    failures = Counter("longtable_errors", "Failures by code.", ["code"], registry=registry)
    # Shown from the start: the first of these is what an alert waits for.
    failures.labels(InternalError.code)
    return failures


def _evictions(prefix: str, registry: CollectorRegistry) -> Counter:
    counter = Counter(f"{prefix}_evictions", "Scratchpads that made room for others.", ["policy"], registry=registry)
    for policy in _POLICIES:
        counter.labels(policy)
    return counter
