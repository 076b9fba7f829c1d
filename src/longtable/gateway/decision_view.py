"""A decision as people and agents are shown it, and the refusals that follow from it."""

import json
from typing import Any

from longtable.gateway import decision_store as store
from longtable.gateway.model import (
    Decision,
    DecisionRead,
    DecisionView,
    ExactCall,
    PlannedStep,
    decision_number,
    moment,
)
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import ConfirmationDenied, ConfirmationInvalid, NotFound
from longtable.log.ledger import Ledger


async def read_decision(ledger: Ledger, call: Call, decision_id: str) -> DecisionRead:
    number = decision_number(decision_id)
    found = await ledger.read(call.caller, lambda tx: store.find(tx, number)) if number else None
    if found is None:
        raise NotFound("There is no such decision.")
    read = DecisionRead(decision=view(found, ledger.clock()))
    read.observed(f"decision:{found.decision_id}")
    return read


def view(decision: Decision, now: int) -> DecisionView:
    arguments: Any = json.loads(decision.arguments)
    return DecisionView(
        id=decision.decision_id,
        kind=decision.kind,
        status=decision.status_at(now),
        tool=decision.tool,
        identity=decision.identity,
        upstream=decision.upstream,
        description=decision.description,
        arguments=arguments,
        arguments_text=decision.arguments,
        requested_by=decision.agent,
        session_id=decision.session_id,
        workspace_id=decision.workspace,
        why=decision.why,
        requested_at=to_iso(decision.requested_at),
        expires_at=to_iso(decision.expires_at),
        decided_at=moment(decision.decided_at),
        decided_by=decision.decided_by,
        reason=decision.reason,
        standing_until=moment(decision.standing_until),
        steps=None if decision.steps is None else [PlannedStep(**step) for step in json.loads(decision.steps)],
        relayed=True if decision.relayed else None,
    )


def shown(exact_call: ExactCall) -> dict[str, Any]:
    shown = {"tool": exact_call.identity, "arguments": exact_call.inputs, "why": exact_call.why}
    return shown if exact_call.steps is None else {**shown, "steps": exact_call.steps}


def check_usable(decision: Decision, now: int) -> None:
    status = decision.status_at(now)
    if status == "denied":
        raise denied(decision)
    if status != "approved" and not decision.stands(now):
        raise invalid(status)


def denied(decision: Decision, **details: Any) -> ConfirmationDenied:
    who = f"The user of {decision.agent}'s client" if decision.relayed else "A person"
    because = f" {decision.reason}" if decision.reason else ""
    return ConfirmationDenied(f"{who} has refused this call.{because}", reason=decision.reason, **details)


def invalid(status: str) -> ConfirmationInvalid:
    messages = {
        "waiting": "No person has decided yet.",
        "used": "The approval has been used.",
        "expired": "The approval has expired.",
    }
    return ConfirmationInvalid(f"confirm_token: {messages.get(status, 'It is not approved.')}", status=status)
