"""Prometheus metrics of one process, made when the endpoint is switched on."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from longtable.app import App
from longtable.storage.database import SYSTEM, Transaction


class Metrics:
    def __init__(self, app: App) -> None:
        self._app = app
        self._registry = CollectorRegistry()
        self._started = time.monotonic()
        registry = self._registry
        self._calls = Counter("longtable_tool_calls", "Tool calls.", ["tool", "outcome"], registry=registry)
        self._seconds = Histogram("longtable_tool_seconds", "Time of a tool call.", ["tool"], registry=registry)
        self._errors = Counter("longtable_errors", "Failures by code.", ["code"], registry=registry)
        self._events = Counter("longtable_events", "Events committed by this process.", ["kind"], registry=registry)
        self._commit = Histogram("longtable_store_commit_seconds", "Time of a durable write.", registry=registry)
        Gauge("longtable_uptime_seconds", "Time since start.", registry=registry).set_function(self._uptime)
        self._sessions = Gauge("longtable_sessions_active", "Sessions that are open.", registry=registry)
        app.dispatcher.meter = self
        app.ledger.meter = self
        app.hooks.counted = self.event

    def called(self, tool: str, outcome: str, seconds: float) -> None:
        self._calls.labels(tool, outcome).inc()
        self._seconds.labels(tool).observe(seconds)
        if outcome != "SUCCESS":
            self._errors.labels(outcome).inc()

    def committed(self, seconds: float) -> None:
        self._commit.observe(seconds)

    def event(self, kind: str) -> None:
        self._events.labels(kind).inc()

    async def render(self) -> tuple[bytes, str]:
        self._sessions.set(await self._app.database.read(SYSTEM, self._count_sessions))
        return generate_latest(self._registry), CONTENT_TYPE_LATEST

    async def _count_sessions(self, tx: Transaction) -> int:
        row = await tx.first(
            "SELECT COUNT(*) AS open FROM sessions WHERE status = 'active' AND expires_at > :now",
            now=self._app.clock(),
        )
        return int(row["open"]) if row else 0

    def _uptime(self) -> float:
        return time.monotonic() - self._started
