"""A server with all that the protocol has, over stdio and without a library: it starts at once.

Arguments: its name, which is in what it says; `modern` for revision 2026-07-28 or `handshake` for the ones before; and
a file in which it writes down what it was asked."""

import json
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

Message = dict[str, Any]

_NAME, _IS_MODERN, _JOURNAL = sys.argv[1], sys.argv[2] == "modern", Path(sys.argv[3])
_BOOK = "book://shelf/1"
_CAPABILITIES = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
    "completions": {},
    "logging": {},
}
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_NO_ANSWER: Message = {"none": True}
_INFO = {"name": "library", "version": "1"}
_INFO_KEY = "io.modelcontextprotocol/serverInfo"


class ErrorResponse(Exception):
    """An error response."""


class Library:
    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        self._replies: dict[Any, Message] = {}
        self._cancelled: set[Any] = set()
        self.subscribed: set[str] = set()
        self.streams: dict[Any, Message] = {}
        self.has_grown = False

    def run(self) -> None:
        with ThreadPoolExecutor(16) as pool:
            for line in sys.stdin:
                message = json.loads(line)
                if "method" not in message:
                    self._hear(self._replies, message["id"], message)
                elif message["method"] == "notifications/cancelled":
                    note("cancelled", message["params"])
                    self.streams.pop(message["params"]["requestId"], None)
                    self._hear(self._replies, ("cancelled", message["params"]["requestId"]), {})
                elif "id" in message:
                    pool.submit(self._answer, message)
                else:
                    note(message["method"], message.get("params"))

    def send(self, **message: Any) -> None:
        with self._writing:
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            sys.stdout.flush()

    def ask(self, method: str, params: Message) -> Message:
        """A request to the client, in the revisions that have such."""
        with self._changed:
            number = f"question-{len(self._replies)}"
            self.send(id=number, method=method, params=params)
            self._changed.wait_for(lambda: number in self._replies, 20)
            reply = self._replies.get(number, {})
        note("reply", reply)
        return reply

    def wait_for_cancellation(self, number: Any) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: ("cancelled", number) in self._replies, 20)

    def report(self, method: str, wish: str, uri: str | None = None) -> None:
        """To whom it concerns, in the way of the revision."""
        params = {} if uri is None else {"uri": uri}
        if not _IS_MODERN:
            if uri is None or uri in self.subscribed:
                self.send(method=f"notifications/{method}", params=params)
            return
        for number, watched in list(self.streams.items()):
            if uri in watched.get(wish, ()) if uri is not None else watched.get(wish):
                self.send(method=f"notifications/{method}", params={**params, "_meta": {_SUBSCRIPTION: number}})

    def _hear(self, into: dict[Any, Message], key: Any, message: Message) -> None:
        with self._changed:
            into[key] = message
            self._changed.notify_all()

    def _answer(self, message: Message) -> None:
        method, params = message["method"], message.get("params") or {}
        try:
            result = ANSWERS[method](self, params, message["id"]) if method in ANSWERS else None
        except ErrorResponse as refusal:
            self.send(id=message["id"], error={"code": -32602, "message": str(refusal)})
            return
        if result is _NO_ANSWER:
            return
        if result is None:
            self.send(id=message["id"], error={"code": -32601, "message": f"no method {method}"})
            return
        if _IS_MODERN:
            result = {"resultType": "complete", "_meta": {_INFO_KEY: _INFO}, **result}
            if "/list" in method or method in ("server/discover", "resources/read"):
                result = {"ttlMs": 0, "cacheScope": "private", **result}
        self.send(id=message["id"], result=result)


def note(what: str, about: Any = None) -> None:
    with _JOURNAL.open("a") as journal:
        journal.write(json.dumps({"what": what, "about": about}) + "\n")


def discover(library: Library, params: Message, number: Any) -> Message | None:
    if not _IS_MODERN:
        return None
    return {"supportedVersions": ["2026-07-28"], "capabilities": _CAPABILITIES}


def initialize(library: Library, params: Message, number: Any) -> Message:
    note("initialize", params["capabilities"])
    return {"protocolVersion": params["protocolVersion"], "capabilities": _CAPABILITIES, "serverInfo": _INFO}


def list_tools(library: Library, params: Message, number: Any) -> Message:
    names = ("get_link", *TOOLS)
    return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}


def call_tool(library: Library, params: Message, number: Any) -> Message:
    if params["name"] == "get_link":
        embedded = {"type": "resource", "resource": {"uri": _BOOK, "text": "once"}}
        return {"content": [{"type": "resource_link", "uri": _BOOK, "name": "book"}, embedded]}
    return TOOLS[params["name"]](library, params, number)


def text(value: Any) -> Message:
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]}


def list_resources(library: Library, params: Message, number: Any) -> Message:
    if params.get("cursor") == "2":
        grown = [{"uri": "book://shelf/3", "name": "third"}] if library.has_grown else []
        return {"resources": [{"uri": "book://shelf/2", "name": "second"}, *grown]}
    return {"resources": [{"uri": _BOOK, "name": "first"}], "nextCursor": "2"}


def subscribe(library: Library, params: Message, number: Any) -> Message | None:
    if _IS_MODERN:
        return None
    if not params["uri"].startswith("book://"):
        raise ErrorResponse("There is no such book.")
    note("subscribe", params["uri"])
    library.subscribed.add(params["uri"])
    return {}


def unsubscribe(library: Library, params: Message, number: Any) -> Message | None:
    note("unsubscribe", params["uri"])
    library.subscribed.discard(params["uri"])
    return {}


def listen(library: Library, params: Message, number: Any) -> Message | None:
    if not _IS_MODERN:
        return None
    request = dict(params["notifications"])
    uris = [uri for uri in request.pop("resourceSubscriptions", ()) if uri.startswith("book://")]
    request |= {"resourceSubscriptions": uris} if uris else {}
    library.streams[number] = request
    for uri in uris:
        note("subscribe", uri)
    acknowledged = {"notifications": request, "_meta": {_SUBSCRIPTION: number}}
    library.send(method="notifications/subscriptions/acknowledged", params=acknowledged)
    return _NO_ANSWER


def get_touched(library: Library, params: Message, number: Any) -> Message:
    """Says that the first two books have changed."""
    for uri in (_BOOK, "book://shelf/2"):
        library.report("resources/updated", "resourceSubscriptions", uri)
    return text("touched")


def get_grown(library: Library, params: Message, number: Any) -> Message:
    """From now on there is one more book and one more prompt."""
    library.has_grown = True
    library.report("resources/list_changed", "resourcesListChanged")
    library.report("prompts/list_changed", "promptsListChanged")
    return text("grown")


def list_templates(library: Library, params: Message, number: Any) -> Message:
    return {"resourceTemplates": [{"uriTemplate": "book://shelf/{number}", "name": "book"}]}


def read_resource(library: Library, params: Message, number: Any) -> Message:
    uri = params["uri"]
    if not uri.startswith("book://"):
        raise ErrorResponse("There is no such book.")
    if uri.endswith("/long"):
        return {"contents": [{"uri": uri, "text": "x" * 10_000}]}
    if uri.endswith("/picture"):
        return {"contents": [{"uri": uri, "blob": "A" * 10_000, "mimeType": "image/png"}]}
    return {"contents": [{"uri": uri, "text": f"{_NAME} has {uri}"}]}


def list_prompts(library: Library, params: Message, number: Any) -> Message:
    about = {"name": "about", "required": True}
    grown = [{"name": "praise"}] if library.has_grown else []
    return {"prompts": [{"name": "review", "description": "A review.", "arguments": [about]}, *grown]}


def get_prompt(library: Library, params: Message, number: Any) -> Message:
    said = [
        {"type": "text", "text": f"{_NAME}: review {params['arguments']['about']}"},
        {"type": "resource", "resource": {"uri": _BOOK, "text": "once"}},
    ]
    return {"messages": [{"role": "user", "content": each} for each in said]}


def complete(library: Library, params: Message, number: Any) -> Message:
    reference, argument = params["ref"], params["argument"]
    named = reference.get("name") or reference.get("uri")
    return {"completion": {"values": [f"{named}:{argument['name']}:{argument['value']}"]}}


def get_told(library: Library, params: Message, number: Any) -> Message:
    """Says what it does, while it does it."""
    token = params.get("_meta", {}).get("progressToken")
    note("log level", params.get("_meta", {}).get("io.modelcontextprotocol/logLevel"))
    if token is not None:
        library.send(method="notifications/progress", params={"progressToken": token, "progress": 1, "total": 2})
    for level in ("debug", "warning"):
        library.send(method="notifications/message", params={"level": level, "logger": "shelf", "data": f"{level}!"})
    return text("told")


def get_slow(library: Library, params: Message, number: Any) -> Message:
    """Ends when it is cancelled."""
    token = params.get("_meta", {}).get("progressToken")
    library.send(method="notifications/progress", params={"progressToken": token, "progress": 1})
    note("slow")
    return text("cancelled" if library.wait_for_cancellation(number) else "waited")


def asking(method: str, question: Message) -> Callable[[Library, Message, Any], Message]:
    """A tool that asks its client, in the way of the revision, and says what it was answered."""

    def ask(library: Library, params: Message, number: Any) -> Message:
        if not _IS_MODERN:
            reply = library.ask(method, question)
            return text(reply.get("result") or reply.get("error") or {})
        if "inputResponses" not in params:
            asked = {"one": {"method": method, "params": question}}
            return {"resultType": "input_required", "inputRequests": asked, "requestState": "round one"}
        note("state", params["requestState"])
        return text(params["inputResponses"]["one"])

    return ask


_FORM = {
    "mode": "form",
    "message": "Which colour?",
    "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}},
}
_LINK = {"mode": "url", "message": "Log in.", "url": "https://example.org/login", "elicitationId": "e1"}
_SAMPLE = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello?"}}], "maxTokens": 10}

Answer = Callable[[Library, Message, Any], Message | None]
TOOLS: dict[str, Callable[[Library, Message, Any], Message]] = {
    "get_told": get_told,
    "get_slow": get_slow,
    "get_touched": get_touched,
    "get_grown": get_grown,
    "get_colour": asking("elicitation/create", _FORM),
    "get_page": asking("elicitation/create", _LINK),
    "get_script": asking("elicitation/create", {**_LINK, "url": "javascript:alert(1)"}),
    "get_roots": asking("roots/list", {}),
    "get_written": asking("sampling/createMessage", _SAMPLE),
}
ANSWERS: dict[str, Answer] = {
    "server/discover": discover,
    "initialize": initialize,
    "ping": lambda library, params, number: {},
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
    "subscriptions/listen": listen,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}


if __name__ == "__main__":
    Library().run()
