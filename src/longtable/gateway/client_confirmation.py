"""Asks the user of the calling agent's client about a call, where a rule says `confirm: client`. The client belongs to
the agent, so nobody knows whether a person answered: the word is recorded as relayed."""

from typing import Any

from longtable.gateway.decisions import Decisions
from longtable.gateway.model import ExactCall
from longtable.kernel.call import Call
from longtable.kernel.canonical import canonical
from longtable.upstreams.client_channel import CannotAsk, ClientChannel

_ASKED_BY = "longtable"
_MAX_CHARACTERS = 20_000
"""A user must be able to read all of it; a longer call is for a person at one of our own surfaces."""
_SCHEMA = {
    "type": "object",
    "properties": {"allow": {"type": "boolean", "title": "Allow this call, once"}},
    "required": ["allow"],
}


async def ask_client(decisions: Decisions, call: Call, exact_call: ExactCall, client: ClientChannel) -> str | None:
    """The token of the decision once the user has decided; None where a person must: the client cannot ask, or its user
    does not say."""
    message = _message(exact_call)
    if len(message) > _MAX_CHARACTERS or await decisions.stands(call, exact_call):
        return None
    decision = await decisions.request_approval(call, exact_call)
    if decision.status == "approved":
        return None
    try:
        answer = await client.ask(
            _ASKED_BY, "elicitation/create", {"mode": "form", "message": message, "requestedSchema": _SCHEMA}
        )
    except CannotAsk:
        return None
    allowed = _allowed(answer)
    if allowed is None:
        return None
    await decisions.relay(call, decision.number, allowed=allowed)
    return decision.handle


def _allowed(answer: dict[str, Any]) -> bool | None:
    """None for a user who does not say."""
    if answer.get("action") == "decline":
        return False
    content = answer.get("content")
    choice = content.get("allow") if answer.get("action") == "accept" and isinstance(content, dict) else None
    return choice if isinstance(choice, bool) else None


def _message(exact_call: ExactCall) -> str:
    lines = [f"May {exact_call.agent} call {exact_call.identity} of {exact_call.upstream}?", exact_call.arguments]
    if exact_call.why:
        lines.append(f"Why: {exact_call.why}")
    for number, step in enumerate(exact_call.steps or (), 1):
        later = "" if step["fixed"] else " (parts of an earlier result)"
        lines.append(f"Step {number}: {step['tool']} {canonical(step['inputs'])}{later}")
    return "\n".join(lines)
