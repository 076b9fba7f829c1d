"""The office of the demo: a few tools over MCP on standard input and output, `python -m longtable.demo.office`.
Nothing leaves this process: a summary that it sends is counted and forgotten."""

# It speaks the few lines of the protocol that a server with fixed tools needs, and imports nothing but the standard
# library: so it answers within a blink of being started.

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

REVISION = "2025-11-25"
NO_SUCH_METHOD = -32_601

PRICES: Mapping[str, tuple[str, str]] = {
    "beans": ("18.50", "a kilogram of roasted beans, delivered"),
    "capsules": ("0.39", "one aluminium capsule, in boxes of 200"),
    "filter machine": ("420.00", "twin filter machine with two jugs"),
    "bean-to-cup machine": ("2190.00", "fully automatic machine with a grinder and a milk hose"),
    "capsule machine": ("310.00", "capsule machine for offices, no milk"),
    "service contract": ("390.00", "a year of visits, two of them planned"),
}

_TEXT = {"type": "string", "minLength": 1, "maxLength": 4_000}
_LINE = {"type": "string", "minLength": 1, "maxLength": 200}


def _schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TOOLS: list[dict[str, Any]] = [
    {
        "name": "list_prices",
        "title": "List what has a price",
        "description": "The names of everything that the office's price list knows.",
        "inputSchema": _schema(),
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "look_up_price",
        "title": "Look up a price",
        "description": "The price of one thing on the office's price list, in EUR.",
        "inputSchema": _schema(item={"type": "string", "enum": list(PRICES)}),
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "send_summary",
        "title": "Send a summary",
        "description": "Send a summary by mail to people of the office. It cannot be taken back. (In the demo nothing "
        "is really sent.)",
        "inputSchema": _schema(to=_LINE, subject=_LINE, text=_TEXT),
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True},
    },
    {
        "name": "delete_mailbox",
        "title": "Delete a mailbox",
        "description": "Delete the mailbox of a person with everything in it.",
        "inputSchema": _schema(person=_LINE),
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
]


class Office:
    def __init__(self) -> None:
        self._sent = 0
        self._tools: Mapping[str, Callable[..., dict[str, Any]]] = {
            "list_prices": self._list_prices,
            "look_up_price": self._look_up_price,
            "send_summary": self._send_summary,
        }

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """None for what wants no answer."""
        if "id" not in message:
            return None
        response = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            return {**response, "result": self._result(message.get("method"), message.get("params") or {})}
        except NotImplementedError:
            return {**response, "error": {"code": NO_SUCH_METHOD, "message": "There is no such method here."}}

    def _result(self, method: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            server = {"name": "office", "title": "The office of the demo", "version": "1"}
            return {"protocolVersion": REVISION, "capabilities": {"tools": {}}, "serverInfo": server}
        if method == "ping":
            return {}
        if method == "tools/list":
            return {"tools": TOOLS}
        if method == "tools/call":
            return self._call(params.get("name"), params.get("arguments") or {})
        raise NotImplementedError(method)

    def _call(self, name: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return _said({"ok": True, **self._tools[name](**arguments)}, is_error=False)
        except (LookupError, TypeError):
            return _said({"ok": False, "said": "The office does not do this."}, is_error=True)

    def _list_prices(self) -> dict[str, Any]:
        return {"said": "There is a price for: " + ", ".join(PRICES) + ".", "items": list(PRICES)}

    def _look_up_price(self, item: str) -> dict[str, Any]:
        price, what = PRICES[item]
        return {"said": f"{price} EUR: {what}.", "item": item, "price": price}

    def _send_summary(self, to: str, subject: str, text: str) -> dict[str, Any]:
        self._sent += 1
        said = f"Summary no. {self._sent} went to {to}: {subject} ({len(text.split())} words)."
        return {"said": said, "number": self._sent}


def _said(body: dict[str, Any], *, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": body["said"]}], "structuredContent": body, "isError": is_error}


def serve(incoming: TextIO, outgoing: TextIO) -> None:
    """Until its input ends."""
    office = Office()
    for line in incoming:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        answer = office.answer(message) if isinstance(message, dict) else None
        if answer is not None:
            outgoing.write(json.dumps(answer) + "\n")
            outgoing.flush()


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
