"""Records what calls were for. Nothing here may delay a call or make it fail."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

from longtable.gateway import intent_store as store
from longtable.gateway.call_arguments import Context
from longtable.gateway.results import IntentCall, IntentList, IntentView
from longtable.kernel.background import owned_task
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import LongtableError
from longtable.kernel.ids import number_of, numbered
from longtable.kernel.logs import logger
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.kernel.redact import without_secrets
from longtable.log.ledger import Ledger
from longtable.storage.database import Transaction

PREFIX = "i"
_NEWEST = 2**62
_MAX_FORWARDS = 16
_FORWARD_SECONDS = 5.0
_MAX_TASKS = 1_000

Forward = Callable[[dict[str, Any]], Awaitable[str | None]]
"""Sends a context to a backend; returns the id that the backend gave it."""


class Intents:
    """`forward` is None where there is no backend."""

    def __init__(self, ledger: Ledger, forward: Forward | None = None) -> None:
        self._ledger = ledger
        self._forward = forward
        self._running: set[asyncio.Task[Any]] = set()
        self._forwarding = 0

    def begin(self, caller: Caller, context: Context, workspace: str | None) -> "asyncio.Task[str | None]":
        """A task for the id of the intent; None when it could not be stored."""
        task = owned_task(self._record(caller, context, workspace))
        self._keep(task)
        return task

    def outcome(self, caller: Caller, intent: "asyncio.Task[str | None]", fields: dict[str, Any]) -> None:
        """Stores the outcome of a call, in the background."""
        if len(self._running) < _MAX_TASKS:
            self._keep(owned_task(self._add_call(caller, intent, fields)))

    def forward(self, caller: Caller, intent_id: str, payload: dict[str, Any]) -> None:
        """In the background, and only while the backend keeps up."""
        if self._forward is not None and self._forwarding < _MAX_FORWARDS:
            self._forwarding += 1
            task = owned_task(self._forward_now(self._forward, caller, intent_id, payload))
            task.add_done_callback(self._forwarded)
            self._keep(task)

    async def list(self, call: Call, conversation: str | None, limit: int, cursor: str | None) -> IntentList:
        before = decode_cursor(cursor, int)[0] if cursor else _NEWEST

        async def body(tx: Transaction) -> tuple[list[Any], list[Any]]:
            rows = await store.page(tx, conversation, before, limit + 1)
            shown = rows[:limit]
            calls = await store.calls_of(tx, shown[-1]["number"], shown[0]["number"]) if shown else []
            return rows, calls

        rows, calls = await self._ledger.read(call.caller, body)
        by_intent: defaultdict[int, list[IntentCall]] = defaultdict(list)
        for row in calls:
            by_intent[row["intent"]].append(_call_view(row))
        page = rows[:limit]
        return IntentList(
            intents=[_view(row, by_intent[row["number"]]) for row in page],
            count=len(page),
            next_cursor=encode_cursor(page[-1]["number"]) if len(rows) > limit else None,
        )

    async def close(self) -> None:
        """Waits a moment for running tasks, then cancels them."""
        deadline = time.monotonic() + 1.0
        while self._running and (left := deadline - time.monotonic()) > 0:
            await asyncio.wait(self._running, timeout=left)
        for task in self._running:
            task.cancel()

    def _keep(self, task: "asyncio.Task[Any]") -> None:
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _forwarded(self, task: "asyncio.Task[Any]") -> None:
        self._forwarding -= 1

    async def _record(self, caller: Caller, context: Context, workspace: str | None) -> str | None:
        fields = _fields(caller, context, workspace)

        async def body(tx: Transaction) -> int:
            known = await store.find_open(tx, caller.agent, fields["conversation"], fields["message"])
            return known if known is not None else await store.insert(tx, fields, self._ledger.clock())

        try:
            return numbered(PREFIX, await self._ledger.database.write(caller.tenant, body))
        except LongtableError as error:
            logger.warning("intent_not_kept", code=error.code)
        except Exception as bug:  # noqa: BLE001 - a failure here must not fail the call
            logger.failed("intent_not_kept", bug)
        return None

    async def _add_call(self, caller: Caller, intent: "asyncio.Task[str | None]", fields: dict[str, Any]) -> None:
        intent_id = await intent
        number = None if intent_id is None else number_of(PREFIX, intent_id)
        if number is not None:
            await self._write(caller.tenant, lambda tx: store.add_call(tx, number, fields, self._ledger.clock()))

    async def _write(self, tenant: str, body: Callable[[Transaction], Awaitable[None]]) -> None:
        try:
            await self._ledger.database.write(tenant, body)
        except LongtableError as error:
            logger.warning("intent_not_kept", code=error.code)

    async def _forward_now(self, forward: Forward, caller: Caller, intent_id: str, payload: dict[str, Any]) -> None:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(_FORWARD_SECONDS):
                remote_id = await forward(payload)
        except (LongtableError, TimeoutError) as error:
            waited = round((time.perf_counter() - started) * 1000)
            logger.warning("context_not_forwarded", problem=type(error).__name__, duration_ms=waited)
            return
        if remote_id is not None:
            number = number_of(PREFIX, intent_id) or 0
            await self._write(caller.tenant, lambda tx: store.set_remote(tx, number, remote_id))


def _fields(caller: Caller, context: Context, workspace: str | None) -> dict[str, Any]:
    return {
        "agent": caller.agent,
        "session_id": caller.session_id,
        "conversation": context.conversation_id or f"{caller.agent}@{caller.session_id or caller.tenant}",
        "surface_type": context.surface_type,
        "surface_user": context.surface_user_id or "anonymous",
        "message": without_secrets(context.original_message),
        "hint": None if context.intent_hint is None else without_secrets(context.intent_hint),
        "workspace": workspace,
    }


def _call_view(row: Any) -> IntentCall:
    return IntentCall(
        tool=row["tool"],
        layer=row["layer"],
        outcome=row["outcome"],
        duration_ms=row["duration_ms"],
        timestamp=to_iso(row["created_at"]),
    )


def _view(row: Any, calls: list[IntentCall]) -> IntentView:
    return IntentView(
        intent_id=numbered(PREFIX, row["number"]),
        agent=row["agent"],
        session_id=row["session_id"],
        purpose=row["purpose"],
        conversation_id=row["conversation"],
        surface_type=row["surface_type"],
        surface_user_id=row["surface_user"],
        original_message=row["message"],
        intent_hint=row["hint"],
        workspace_id=row["workspace"],
        remote_id=row["remote_id"],
        created_at=to_iso(row["created_at"]),
        updated_at=to_iso(row["updated_at"]),
        calls=calls,
    )
