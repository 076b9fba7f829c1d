"""Events as they come from a stream, and where a listener is in it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from longtable_client.errors import ConnectionLost

TENANT_EVENTS = "/events"
_SESSION_ENDS = ("session/closed", "session/expired")
_COMMON = ("seq", "kind", "session_id", "actor", "timestamp")

OnLost = Callable[[ConnectionLost], None]


@dataclass(frozen=True, slots=True)
class TableEvent:
    """`payload` holds the fields of this kind. `seq` is the cursor to continue from."""

    seq: int
    kind: str
    session_id: str | None
    actor: str
    timestamp: str
    payload: dict[str, Any]

    @classmethod
    def of(cls, flat: dict[str, Any]) -> "TableEvent":
        payload = {name: value for name, value in flat.items() if name not in _COMMON}
        return cls(**{name: flat[name] for name in _COMMON}, payload=payload)

    def flat(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in _COMMON}, **self.payload}


@dataclass(frozen=True, slots=True)
class ListenOptions:
    """`after` None: from now on. `on_lost` is called for each connection that broke, before the next one."""

    path: str
    after: int | None = None
    kinds: Sequence[str] | None = None
    on_lost: OnLost | None = None


class StreamPosition:
    """`over`: there is nothing more to come. `interrupted`: the next stream has the rest."""

    def __init__(self, options: ListenOptions) -> None:
        self.over = False
        self.interrupted = False
        self._options = options
        self._cursor = options.after

    def query(self) -> dict[str, str]:
        return {"kinds": ",".join(self._options.kinds)} if self._options.kinds else {}

    def headers(self) -> dict[str, str]:
        self.interrupted = False
        return {} if self._cursor is None else {"Last-Event-ID": str(self._cursor)}

    def take(self, frame: httpx2.ServerSentEvent) -> TableEvent | None:
        """The event in it, unless it carries only the cursor, says that the stream ends, or was seen before."""
        if frame.event in ("lagged", "end"):
            self.interrupted = True
            self.over = json.loads(frame.data).get("reason") == "session_over"
            return None
        if not frame.data:
            self._cursor = int(frame.id) if self._cursor is None and frame.id else self._cursor
            return None
        event = TableEvent.of(json.loads(frame.data))
        if self._cursor is not None and event.seq <= self._cursor:
            return None
        self._cursor = event.seq
        self.over = event.kind in _SESSION_ENDS and self._options.path != TENANT_EVENTS
        return event
