"""Forwards the context of a call to a backend: only the fields of its interface, without secrets, bounded."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from longtable.gateway.call_arguments import MAX_CONTEXT
from longtable.gateway.intents import Forward
from longtable.kernel.clock import Clock, to_iso
from longtable.kernel.redact import without_secrets

_MOST_RECEIPTS = 50
_TEXTS = ("surface_type", "surface_user_id", "tool_called", "original_message", "conversation_id", "intent_hint")
_DEFAULTS = {"surface_type": "mcp_external", "surface_user_id": "anonymous"}


def forwarding(send: Callable[[Mapping[str, Any]], Awaitable[str | None]], clock: Clock) -> Forward:
    async def forward(payload: dict[str, Any]) -> str | None:
        if not isinstance(payload.get("workspace_id"), str):
            return None
        return await send(context_body(payload, clock()))

    return forward


def context_body(payload: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Other fields, such as tokens, are not sent."""
    raw = {name: payload[name] for name in _TEXTS if isinstance(payload.get(name), str) and payload[name]}
    texts = {name: without_secrets(text)[:MAX_CONTEXT] for name, text in raw.items()}
    body = {"workspace_id": payload["workspace_id"], **_DEFAULTS, **texts, "timestamp": to_iso(now)}
    receipts = payload.get("ide_receipts")
    if isinstance(receipts, list):
        body["ide_receipts"] = [_receipt(each) for each in receipts[:_MOST_RECEIPTS] if isinstance(each, dict)]
    return body


def _receipt(receipt: Mapping[str, Any]) -> dict[str, str]:
    names = ("action", "trace_id", "output_hash", "timestamp")
    return {name: without_secrets(receipt[name])[:256] for name in names if isinstance(receipt.get(name), str)}
