"""Events of the gateway. They never hold the arguments of a call or a handle."""

from longtable.gateway.model import Decision
from longtable.log.model import Event


def approval_requested(decision: Decision) -> Event:
    payload = {"decision_id": decision.decision_id, "tool": decision.tool, "requested_by": decision.agent}
    return Event("gateway/approval_requested", payload)


def approved(decision: Decision) -> Event:
    who, relayed = decision.decided_by, bool(decision.relayed)
    payload = {"decision_id": decision.decision_id, "tool": decision.tool, "decided_by": who, "relayed": relayed}
    return Event("gateway/approved", payload)


def denied(decision: Decision) -> Event:
    who, relayed = decision.decided_by, bool(decision.relayed)
    payload = {"decision_id": decision.decision_id, "tool": decision.tool, "decided_by": who, "relayed": relayed}
    return Event("gateway/denied", payload)


def executed(tool: str, upstream: str, outcome: str, decision_id: str | None, call_id: str | None) -> Event:
    payload = {
        "tool": tool,
        "upstream": upstream,
        "outcome": outcome,
        "decision_id": decision_id,
        "call_id": call_id,
    }
    return Event("gateway/executed", {name: value for name, value in payload.items() if value is not None})


def quarantined(upstream: str, tool: str, reason: str) -> Event:
    return Event("gateway/tool_quarantined", {"upstream": upstream, "tool": tool, "reason": reason})


def tools_changed(upstream: str) -> Event:
    return Event("gateway/tools_changed", {"upstream": upstream})


def authorization_changed(upstream: str, state: str) -> Event:
    return Event("gateway/authorization_changed", {"upstream": upstream, "state": state})


def waiting(count: int) -> Event:
    return Event("decision/waiting", {"count": count})
