"""The least that an MCP server over stdio is, without a library: so that each of the hostile ones can do what no
library would let it do."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Tool = dict[str, Any]
Message = dict[str, Any]


def tool(name: str, description: str = "", **more: Any) -> Tool:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


def text(value: str) -> Message:
    return {"content": [{"type": "text", "text": value}]}


class StdioWire:
    """Answers on standard output. `page` splits the list; each call runs in a thread of its own."""

    def __init__(
        self,
        tools: Callable[[], list[Tool]],
        call: Callable[["StdioWire", Message], Message],
        page: int = 0,
        reports_changes: bool = True,
    ) -> None:
        self._tools = tools
        self._call = call
        self._page = page
        self._reports_changes = reports_changes
        self._lock = threading.Lock()
        self._asked: dict[int, Message] = {}
        self._answered = threading.Condition()
        self.counts = {"initialize": 0, "tools/list": 0, "tools/call": 0}
        self.cancelled: list[Any] = []

    def send(self, message: Message) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message})
        with self._lock:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params} if params else {"method": method})

    def ask(self, method: str, params: Message) -> Message:
        """A request of the server to its client, which is answered or refused."""
        with self._answered:
            number = 1_000 + len(self._asked)
            self._asked[number] = {}
            self.send({"id": number, "method": method, "params": params})
            self._answered.wait_for(lambda: bool(self._asked[number]), 15)
            return self._asked[number]

    def run(self) -> None:
        with ThreadPoolExecutor(64) as pool:
            for message in self._messages():
                if message.get("method") == "tools/call":
                    pool.submit(self._run_call, message)
                else:
                    self._handle(message)

    def _messages(self) -> Iterator[Message]:
        for line in sys.stdin:
            if line.strip():
                yield json.loads(line)

    def _handle(self, message: Message) -> None:
        method = message.get("method")
        if method is None:
            with self._answered:
                self._asked[message["id"]] = message
                self._answered.notify_all()
        elif method == "notifications/cancelled":
            self.cancelled.append(message["params"]["requestId"])
        elif "id" in message:
            self._respond(message["id"], method, message.get("params") or {})

    def _respond(self, number: Any, method: str, params: Message) -> None:
        if method in self.counts:
            self.counts[method] += 1
        if method == "initialize":
            about = {"name": "hostile", "version": "1"}
            capabilities = {"tools": {"listChanged": self._reports_changes}}
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": capabilities,
                "serverInfo": about,
            }
        elif method == "tools/list":
            result = self._list(int(params.get("cursor") or 0))
        elif method == "ping":
            result = {}
        else:
            self.send({"id": number, "error": {"code": -32601, "message": f"no method {method}"}})
            return
        self.send({"id": number, "result": result})

    def _list(self, start: int) -> Message:
        tools = self._tools()
        if not self._page or start + self._page >= len(tools):
            return {"tools": tools[start:]}
        return {"tools": tools[start : start + self._page], "nextCursor": str(start + self._page)}

    def _run_call(self, message: Message) -> None:
        self.counts["tools/call"] += 1
        try:
            self.send({"id": message["id"], "result": self._call(self, message)})
        except Exception as error:  # noqa: BLE001 - whatever it is, the client hears of it
            self.send({"id": message["id"], "error": {"code": -32000, "message": str(error)}})
