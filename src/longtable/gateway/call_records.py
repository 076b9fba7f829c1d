"""What a call leaves behind, however it ends: audit record, event, what people can read of it, metrics."""

import time
from dataclasses import replace
from typing import Any

from longtable.gateway import events
from longtable.gateway.call_arguments import storable
from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.call_detail_store import KeptCall
from longtable.gateway.call_details import Rows, kept_error, kept_result
from longtable.gateway.call_in_progress import CallInProgress
from longtable.gateway.kept_text import kept_json
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import LongtableError, UpstreamError, UpstreamTimeout
from longtable.kernel.logs import logger
from longtable.log.model import Event

CANCELLED = "CANCELLED"
_RAN = ("SUCCESS", UpstreamError.code, UpstreamTimeout.code)


def record_outcome(dependencies: CallDependencies, in_progress: CallInProgress, outcome: str) -> None:
    """Writes all of that, and the call of its intent."""
    in_progress.ended = time.monotonic()
    tool, upstream, layer = in_progress.call.operation, in_progress.upstream_name, in_progress.layer
    call_id = in_progress.call_id if dependencies.details.are_kept else None
    call = replace(in_progress.call, metadata=_audit_metadata(in_progress, call_id))
    rows = _rows(dependencies, in_progress, outcome) if call_id else None
    try:
        dependencies.ledger.observe(call, outcome, f"tool:{tool}", _events(in_progress, outcome, call_id), rows)
    except LongtableError as error:
        logger.warning("audit_delayed", code=error.code)
    if dependencies.meter is not None:
        dependencies.meter.gateway_called(upstream or "none", layer or "none", outcome, in_progress.seconds)
    if in_progress.intent is not None:
        milliseconds = round(in_progress.seconds * 1000)
        fields = {"tool": tool, "layer": layer, "outcome": outcome, "duration_ms": milliseconds}
        dependencies.intents.outcome(in_progress.request.caller, in_progress.intent, fields)


def _events(in_progress: CallInProgress, outcome: str, call_id: str | None) -> list[Event]:
    ran = in_progress.was_sent if outcome == CANCELLED else outcome in _RAN
    if not ran:
        return []
    tool, upstream = in_progress.call.operation, in_progress.upstream_name
    return [events.executed(tool, upstream, outcome, in_progress.decision_id, call_id)]


def _audit_metadata(in_progress: CallInProgress, call_id: str | None) -> dict[str, Any]:
    known = {
        "call_id": call_id,
        "upstream": in_progress.upstream_name,
        "layer": in_progress.layer,
        "decision_id": in_progress.decision_id,
        "arguments_digest": in_progress.call.arguments_digest,
    }
    took = {"duration_ms": round(in_progress.seconds * 1000, 1)}
    return {name: value for name, value in known.items() if value} | took


def _rows(dependencies: CallDependencies, in_progress: CallInProgress, outcome: str) -> Rows:
    call, decision, found = in_progress.call, in_progress.policy_decision, in_progress.found
    definition = None if found is None else found.definition
    kept = KeptCall(
        call_id=in_progress.call_id,
        tool=call.operation,
        upstream=storable(in_progress.upstream_name) or None,
        agent=call.caller.agent,
        session_id=call.caller.session_id,
        layer=in_progress.layer or None,
        confirm=None if decision is None else decision.confirm,
        rule=None if decision is None else storable(decision.reason),
        outcome=outcome,
        duration=round(in_progress.seconds * SECOND),
        decision_id=in_progress.decision_id,
        definition_digest=None if definition is None else definition.digest,
        arguments=kept_json(in_progress.request.arguments),
        result=kept_result(in_progress.result),
        error=kept_error(in_progress.error),
        created_at=dependencies.ledger.clock(),
    )
    return dependencies.details.rows(call.caller.tenant, kept, definition)
