"""Requests for calls of tools: plain ones, which the fast path answers, and odd ones, left to the SDK."""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.table import MODERN

PREFIX = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, CLIENT = f"{PREFIX}protocolVersion", f"{PREFIX}clientCapabilities", f"{PREFIX}clientInfo"
ENVELOPE: dict[str, Any] = {VERSION: MODERN, CAPABILITIES: {}, CLIENT: {"name": "tester", "version": "1"}}
ABSENT: Any = object()
Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class FastPathCase:
    """`plain` says which way it goes; None where that does not matter."""

    name: str
    body: bytes
    headers: Headers
    method: str = "POST"
    plain: bool | None = False


@dataclass(frozen=True)
class CallCase:
    """A call as it should be, and what is different about it."""

    tool: str = "list_sections"
    arguments: Any = field(default_factory=dict)
    meta: Any = field(default_factory=lambda: ENVELOPE)
    message: Mapping[str, Any] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    more_headers: Headers = field(default_factory=list)

    def body(self) -> bytes:
        params = {"name": self.tool, "arguments": self.arguments, "_meta": self.meta, **self.params}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": _present(params), **self.message}
        return json.dumps(_present(message), ensure_ascii=False).encode("utf-8", "surrogatepass")

    def sent(self) -> Headers:
        usual = {
            "host": "127.0.0.1",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": MODERN,
            "mcp-method": "tools/call",
            "mcp-name": self.tool,
            "x-session-id": "sess_one",
        }
        return [*_present({**usual, **self.headers}).items(), *self.more_headers]

    def case(
        self, name: str, plain: bool | None = False, method: str = "POST", body: bytes | None = None
    ) -> FastPathCase:
        return FastPathCase(name, self.body() if body is None else body, self.sent(), method, plain)


def _present(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not ABSENT}


GOOD: dict[str, dict[str, Any]] = {
    "list_sections": {},
    "read_notes": {"limit": 5},
    "get_messages": {"limit": 5},
    "get_session": {},
    "read_events": {"after": 0, "limit": 3},
    "list_memory": {"prefix": "nothing"},
    "read_plan": {},
    "scratch_list": {},
    "add_note": {"content": "Zoë said: “naïve” \u2028 \U0001f600", "idempotency_key": "one"},
    "add_message": {"content": 'a "quoted" \\ backslash\n\t', "idempotency_key": "two"},
    "set_memory": {"key": "k", "value": {"deep": [1, 2.5, None, True, {"x": "y"}]}, "idempotency_key": "three"},
}
WRONG: dict[str, dict[str, Any]] = {
    "add_note": {"content": ""},
    "read_notes": {"limit": "five"},
    "get_messages": {"limit": -1, "what": "ever"},
    "read_section": {"section_name": "none_like_this"},
    "update_task": {"task_id": "t999", "status": "done"},
    "set_memory": {"key": "k"},
}
TOOLS = ["no_such_tool", "", "gateway_call", "mindscape_confirm_status", "list_sections ", "LIST_SECTIONS", "ünknown"]


def calls() -> Iterator[FastPathCase]:
    """Right and wrong arguments: a refusal by a tool is an answer like another."""
    for tool, arguments in GOOD.items():
        for request_id in (1, "a-text", -7):
            yield CallCase(tool, arguments, message={"id": request_id}).case(f"{tool}, id {request_id!r}", plain=True)
    for tool, arguments in WRONG.items():
        yield CallCase(tool, arguments).case(f"{tool}, refused", plain=True)
    for tool in TOOLS:
        yield CallCase(tool, headers={"mcp-name": tool.encode().decode("latin-1")}).case(f"tool {tool!r}")
    yield CallCase(arguments=ABSENT).case("no arguments at all", plain=True)


HEADERS: dict[str, list[Any]] = {
    "content-type": [
        *(ABSENT, "", "Application/JSON", "application/json; charset=utf-8", "application/json;", "text/plain"),
        *("application/jsonx", "application/json, text/plain", "text/json"),
    ],
    "accept": [ABSENT, "", "text/event-stream", "text/html", "application/*", "*/*", "application/jsonx", ";,;,"],
    "mcp-protocol-version": [ABSENT, "", "2026-07-29", "9999-01-01", "draft", f"{MODERN},{MODERN}"],
    "mcp-method": [ABSENT, "", "tools/list", "Tools/Call", "tools/call,tools/call", "=?base64?dG9vbHMvY2FsbA==?="],
    "mcp-name": [
        *(ABSENT, "", "get_session", "LIST_SECTIONS", "=?base64?????=", "list_sections,list_sections"),
        f"=?base64?{base64.b64encode(b'list_sections').decode()}?=",
    ],
    "x-session-id": ["no_such_session", "a b", ""],
    "x-caller-agent": ["", "human:ada", "a" * 101, "a\tb"],
    "origin": ["https://evil.example", "null"],
}
TAKEN: dict[str, list[Any]] = {
    "accept": [
        *("application/json", "text/event-stream, application/json", "application/json;q=0.5, text/event-stream"),
        *("text/html,APPLICATION/JSON", "*/*, application/json"),
    ],
    "x-session-id": [ABSENT],
    "x-caller-agent": ["ada", "ZoÃ«"],
    "mcp-session-id": ["made-up", ""],
    "user-agent": ["node"],
    "traceparent": ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
}
REPEATED = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name", "x-session-id", "user-agent"]
ADDED = [("mcp-param-limit", "5"), ("mcp-param-", ""), ("mcp-param-section", "a")]


def headers() -> Iterator[FastPathCase]:
    for known, plain in ((HEADERS, False), (TAKEN, True)):
        for name, value in _each(known):
            for tool, arguments in (("list_sections", {}), ("read_notes", {"limit": "five"})):
                call = CallCase(tool, arguments, headers={name: value})
                yield call.case(f"{tool}, {name}: {_shown(value)}", plain)
    for name in REPEATED:
        value = dict(CallCase().sent()).get(name, "one")
        for again in (value, "other"):
            yield CallCase(headers={name: value}, more_headers=[(name, again)]).case(f"{name} twice, then {again}")
    for header in ADDED:
        yield CallCase("read_notes", {"limit": 5}, more_headers=[header]).case(f"with {header[0]}")


def revisions() -> Iterator[FastPathCase]:
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS"):
        yield CallCase().case(f"{method} instead of POST", method=method)
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        yield CallCase(headers={"mcp-protocol-version": version}).case(f"{version} without a connection")
        unknown = {"mcp-protocol-version": version, "mcp-session-id": "made-up"}
        yield CallCase(headers=unknown).case(f"{version} with a made-up connection")


MESSAGES: dict[str, list[Any]] = {
    "id": [None, 1.5, 1.0, True, [], {}, 2**70, -(2**70), ABSENT],
    "jsonrpc": ["1.0", 2.0, None, ABSENT, ""],
    "method": ["tools/list", "ping", "no/such", "", None, 7, ABSENT, "initialize"],
    "params": [None, [], "x", 7, {}, ABSENT],
    "more": [1],
    "result": [{}],
}
MESSAGES_TAKEN: dict[str, list[Any]] = {"id": [0, "", "x" * 500, "Zoë", 2**53 + 1, -(2**62)]}
PARAMS: dict[str, list[Any]] = {
    "name": [None, 7, [], ABSENT, {}],
    "arguments": [None, [], "x", 7, True],
    "_meta": [None, [], "x", ABSENT, {}],
    "task": [None, {"ttl": 1}, 7],
    "inputResponses": [None, {}, {"a": 1}],
    "requestState": [None, "s", 7],
    "other": [1],
}
META: dict[str, list[Any]] = {
    VERSION: [ABSENT, None, "2025-11-25", 7, "2026-07-29"],
    CAPABILITIES: [ABSENT, None, [], 7, {"sampling": 7}],
    CLIENT: [7, [], {}, {"name": "only"}, {"name": 7, "version": "1"}, {"name": "a", "version": 1}],
    f"{PREFIX}logLevel": ["loud", 7],
    "progressToken": [None, 1.5, True, [], {}],
}
META_TAKEN: dict[str, list[Any]] = {
    CAPABILITIES: [{"sampling": {}, "elicitation": {}}, {"experimental": {"x": {"y": [1]}}, "unknown": 7}],
    CLIENT: [ABSENT, None, {"name": "Zoë", "version": "1", "title": "T", "more": 1}, {"name": "", "version": ""}],
    f"{PREFIX}logLevel": ["debug", None],
    f"{PREFIX}unheardOf": [{"a": 1}],
    "progressToken": ["abc", 7, 0, ""],
    "traceparent": ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 7],
    "example.com/own": [{"anything": [None]}],
}


def bodies() -> Iterator[FastPathCase]:
    """Names of the fields decide: with most of these the SDK has something to say."""
    for known, plain in ((MESSAGES, False), (MESSAGES_TAKEN, True)):
        for name, value in _each(known):
            yield CallCase(message={name: value}).case(f"message.{name}: {_shown(value)}", plain)
    for name, value in _each(PARAMS):
        yield CallCase(params={name: value}).case(f"params.{name}: {_shown(value)}")
    for known, plain in ((META, False), (META_TAKEN, True)):
        for name, value in _each(known):
            yield CallCase(meta=_present({**ENVELOPE, name: value})).case(f"_meta.{name}: {_shown(value)}", plain)


def _each(known: dict[str, list[Any]]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, values in known.items() for value in values)


def texts() -> Iterator[FastPathCase]:
    """Bytes that are no JSON, or that one parser takes and another does not."""
    whole, call = CallCase().body(), CallCase("add_note", {"content": "@", "idempotency_key": "four"})
    raw = {
        "nothing": b"",
        "a blank": b" ",
        "half": whole[:40],
        "a tail": whole + b"x",
        "two": whole + whole,
        "a batch": b"[" + whole + b"]",
        "an empty batch": b"[]",
        "a number": b"7",
        "null": b"null",
        "a byte order mark": b"\xef\xbb\xbf" + whole,
        "UTF-16": whole.decode().encode("utf-16"),
        "not UTF-8": whole.replace(b"tester", b"\xff\xfe"),
        "a deep one": b"[" * 3000 + b"]" * 3000,
        "a comment": whole + b"// x",
        "single quotes": whole.replace(b'"', b"'"),
    }
    for name, body in raw.items():
        yield CallCase().case(f"text: {name}", body=body)
    for name, inside in {"half a character": b"\\ud800", "a control character": b"\x01"}.items():
        yield call.case(f"text: {name}", body=call.body().replace(b"@", inside))
    for name, inside in {"a pair": b"\\ud83d\\ude00", "an escape": b'\\u00e9\\/\\"', "del": b"\x7f"}.items():
        yield call.case(f"text: {name}", body=call.body().replace(b"@", name.encode() + inside), plain=True)
    twice = whole.replace(b'"id": 1', b'"id": 1, "id": 2')
    yield CallCase().case("text: a name twice", body=twice, plain=False)
    yield CallCase().case("text: blanks around", body=b"\n\t " + whole + b" \r\n", plain=True)
    limits = {"NaN": b"NaN", "too large": b"1e400", "a fraction": b"5.0", "minus nothing": b"-0", "long": b"9" * 4400}
    read = CallCase("read_notes", {"limit": 5}).body()
    for name, limit in limits.items():
        plain = False if name == "long" else None
        yield CallCase("read_notes").case(
            f"number: {name}", body=read.replace(b'"limit": 5', b'"limit": ' + limit), plain=plain
        )


def _shown(value: Any) -> str:
    return "absent" if value is ABSENT else repr(value)[:40]


HELD = "@connection"
"""Stands for the id of a connection that is open."""

CONNECTED = {"mcp-method": ABSENT, "mcp-name": ABSENT, "mcp-session-id": HELD}


def connected() -> Iterator[FastPathCase]:
    """Calls of clients that have shaken hands, whatever revision they agreed on."""
    for version in (ABSENT, *HANDSHAKE_PROTOCOL_VERSIONS):
        sent = {**CONNECTED, "mcp-protocol-version": version}
        for tool, arguments in (*GOOD.items(), *WRONG.items()):
            name = f"connected, {_shown(version)}, {tool} {_shown(arguments)}"
            yield CallCase(tool, arguments, ABSENT, headers=sent).case(name, plain=True)
    for tool in TOOLS:
        yield CallCase(tool, meta=ABSENT, headers=CONNECTED | HANDSHAKE).case(f"connected, tool {tool!r}")
    yield from _connected_oddly()


HANDSHAKE = {"mcp-protocol-version": HANDSHAKE_PROTOCOL_VERSIONS[-1]}
CONNECTED_HEADERS: dict[str, list[Any]] = {
    **{name: HEADERS[name] for name in ("content-type", "accept", "x-session-id", "origin")},
    "mcp-session-id": ["made-up", "", "lt1.0.0", f"{HELD}x"],
}


def _connected_oddly() -> Iterator[FastPathCase]:
    sent = CONNECTED | HANDSHAKE
    for name, value in _each(CONNECTED_HEADERS):
        call = CallCase(meta=ABSENT, headers={**sent, name: value})
        yield call.case(f"connected, {name}: {_shown(value)}")
    for known, plain in ((MESSAGES, False), (MESSAGES_TAKEN, True)):
        for name, value in _each(known):
            call = CallCase(meta=ABSENT, headers=sent, message={name: value})
            yield call.case(f"connected, message.{name}: {_shown(value)}", plain)
    for name, value in _each({**PARAMS, "_meta": [None, [], "x", 7]}):
        yield CallCase(meta=ABSENT, headers=sent, params={name: value}).case(
            f"connected, params.{name}: {_shown(value)}"
        )
    for meta, plain in ((ENVELOPE, False), ({}, True), ({"progressToken": 1}, True), ({"progressToken": 1.5}, False)):
        yield CallCase(meta=meta, headers=sent).case(f"connected, _meta: {_shown(meta)}", plain)
    more = [("mcp-session-id", HELD)]
    yield CallCase(meta=ABSENT, headers=sent, more_headers=more).case("connected twice")
    yield CallCase(meta=ABSENT, headers={**sent, "mcp-method": "x", "mcp-name": "y"}).case("connected, odd names", True)


ALL = [*connected(), *calls(), *headers(), *revisions(), *bodies(), *texts()]
