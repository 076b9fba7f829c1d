"""Keeps what was in a call and what became of it for a while, and shows it to people."""

import json
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

from longtable.gateway import call_detail_store as store
from longtable.gateway import decision_store
from longtable.gateway.call_detail_store import KeptCall
from longtable.gateway.decision_view import view as decision_view
from longtable.gateway.kept_text import kept_json, without_binaries
from longtable.gateway.model import CallResult, DecisionView, decision_number
from longtable.gateway.results import CallDetail, CallRule, CallView, KeptJson
from longtable.governance.model import ToolDefinition
from longtable.kernel.call import Call
from longtable.kernel.clock import DAY, HOUR, SECOND, to_iso
from longtable.kernel.durations import format_duration
from longtable.kernel.errors import LongtableError, NotFound
from longtable.log.ledger import Ledger
from longtable.storage.database import SYSTEM, Transaction

_MAX_REMEMBERED: Final = 10_000

Rows = Callable[[Transaction], Awaitable[None]]


class CallDetails:
    """`kept_for` is 0 where nothing is to be kept."""

    def __init__(self, ledger: Ledger, kept_for: int) -> None:
        self._ledger = ledger
        self._kept_for = kept_for
        self._used: dict[tuple[str, str], int] = {}

    @property
    def are_kept(self) -> bool:
        return self._kept_for > 0

    def rows(self, tenant: str, kept: KeptCall, definition: ToolDefinition | None) -> Rows:
        """What a transaction adds for a call."""
        is_new = definition is not None and self._is_due(tenant, definition.digest, kept.created_at)

        async def add(tx: Transaction) -> None:
            await store.insert(tx, kept)
            if definition is not None and is_new:
                await store.put_definition(tx, definition.digest, definition.pinned, kept.created_at)

        return add

    async def read(self, call: Call, call_id: str) -> CallDetail:
        await self._ledger.flush()
        return await self._ledger.read(call.caller, lambda tx: self._detail(tx, call_id))

    async def forget_old(self, ledger: Ledger) -> None:
        """Periodic job."""
        now = ledger.clock()
        # A definition is noted once an hour, so the newest call that needs it may be an hour younger.
        before = now - self._kept_for
        await ledger.database.write(SYSTEM, lambda tx: store.forget(tx, before, before - 2 * HOUR))

    async def _detail(self, tx: Transaction, call_id: str) -> CallDetail:
        found = await store.find(tx, call_id)
        if found is None:
            kept_for = format_duration(self._kept_for)
            raise NotFound(
                "There is no such call, or what was in it is not kept any more.",
                hint=f"It is kept for {kept_for}, of the newest {store.KEPT_CALLS} calls; the audit log has more.",
            )
        kept, purpose = found
        return CallDetail(
            call=_view(kept, purpose),
            arguments=_kept(kept.arguments),
            result=None if kept.result is None else _kept(kept.result),
            error=None if kept.error is None else _kept(kept.error),
            rule=_rule(kept),
            decision=await self._decision(tx, kept.decision_id),
            definition=await store.definition(tx, kept.definition_digest),
        )

    async def _decision(self, tx: Transaction, decision_id: str | None) -> DecisionView | None:
        number = None if decision_id is None else decision_number(decision_id)
        decision = None if number is None else await decision_store.find(tx, number)
        return None if decision is None else decision_view(decision, self._ledger.clock())

    def _is_due(self, tenant: str, digest: str, now: int) -> bool:
        if now - self._used.get((tenant, digest), -DAY) < HOUR:
            return False
        if len(self._used) >= _MAX_REMEMBERED:
            self._used.clear()
        self._used[tenant, digest] = now
        return True


def new_call_id() -> str:
    return f"call_{secrets.token_hex(8)}"


def kept_result(result: CallResult | None) -> str | None:
    if result is None:
        return None
    shown = {"content": without_binaries(result.content)}
    return kept_json(shown if result.structured is None else {**shown, "structured": result.structured})


def kept_error(error: LongtableError | None) -> str | None:
    if error is None:
        return None
    fields = {"code": error.code, "message": error.message, "details": error.details}
    return kept_json({name: value for name, value in fields.items() if value})


def _kept(stored: str) -> KeptJson:
    parsed = json.loads(stored)
    return KeptJson(value=parsed["kept"], truncated=parsed.get("truncated"))


def _rule(kept: KeptCall) -> CallRule | None:
    if kept.layer is None or kept.confirm is None:
        return None
    return CallRule(layer=kept.layer, confirm=kept.confirm, reason=kept.rule or "")


def _view(kept: KeptCall, purpose: str | None) -> CallView:
    return CallView(
        call_id=kept.call_id,
        tool=kept.tool,
        upstream=kept.upstream,
        agent=kept.agent,
        session_id=kept.session_id,
        purpose=purpose,
        layer=kept.layer,
        outcome=kept.outcome,
        duration_ms=round(kept.duration * 1_000 / SECOND, 1),
        timestamp=to_iso(kept.created_at),
        decision_id=kept.decision_id,
    )
