"""What no decent client sends: it is refused in plain words, changes nothing, and the next call works as before."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.servers import Processes, Server, Stdio, processes_in
from tests.e2e.wire import Header, Reply, Wire, modern_headers, modern_request, wire_to

pytestmark = pytest.mark.slow
SESSION = "untouched"
LIMIT = 20_000
LEGACY: list[Header] = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
ADD: dict[str, Any] = {"name": "add_note", "arguments": {"content": "rubbish"}}
MODERN = modern_headers("tools/call", ADD)
NEVER = ("Traceback", "site-packages", "SELECT ", "INSERT ", "/root", "sqlite", 'File "', "asyncpg")
DEEP = b"[" * 100_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("rubbish")
    with processes_in(folder / "work") as own:
        yield own.serve({"data_dir": str(folder / "data"), "max_request_bytes": str(LIMIT), "max_note_bytes": "30000"})


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[Wire]:
    """Afterwards all is as it was, and the server has not stumbled."""
    stumbled = len(server.tracebacks)
    async with wire_to(server.address) as own:
        before = await world(server)
        yield own
    assert await world(server) == before
    assert server.tracebacks[stumbled:] == []


async def world(server: Server) -> Any:
    """Everything there is, as a well-behaved client sees it over a connection of its own."""
    async with wire_to(server.address) as wire:
        sessions = (await wire.calls("list_sessions"))["sessions"]
        if not sessions:
            await wire.calls("create_session", session_id=SESSION)
            return await world(server)
        wire.always = [("X-Session-ID", SESSION)]
        await wire.calls("read_notes")
        return sorted(session["session_id"] for session in sessions), (await wire.calls("read_notes"))["notes"]


def check_plain(reply: Reply) -> None:
    """No refusal tells how we are made; a failure of ours is at least in the envelope."""
    text = reply.body.decode(errors="replace")
    assert [word for word in NEVER if word in text] == []
    assert reply.status != 500 or reply.code == "INTERNAL_ERROR", text


@dataclass(frozen=True)
class Case:
    """`code` is ours; where the protocol has its own number for the fault, that stands there."""

    body: bytes
    status: int
    code: str | int | None = None
    headers: tuple[Header, ...] = ()


def rpc(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, **fields}).encode()


BODIES = {
    "nothing": Case(b"", 400, -32700),
    "not JSON": Case(b"hello", 400, -32700),
    "half a JSON": Case(b'{"jsonrpc": "2.0", "id": 1,', 400, -32700),
    "not UTF-8": Case(b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}', 400, -32700),
    "a batch": Case(b"[" + modern_request("tools/call", ADD) + b"]", 400, -32600),
    "an empty batch": Case(b"[]", 400, -32600),
    "null": Case(b"null", 400, -32600),
    "a number": Case(b"42", 400, -32600),
    "no method": Case(rpc(params={}), 400, -32600),
    "no version": Case(b'{"id": 1, "method": "tools/list"}', 400, -32600),
    "an old version": Case(rpc(method="tools/list").replace(b'"2.0"', b'"1.0"'), 400, -32600),
    "an object as id": Case(rpc(method="tools/list").replace(b'"id": 1', b'"id": {}'), 400, -32600),
    "a method that is a number": Case(rpc(method=7), 400, -32600),
    "params that are a list": Case(rpc(method="tools/list", params=[1]), 400, -32600),
    "100,000 brackets": Case(DEEP[: LIMIT - 1], 400, -32700),
    "no params": Case(rpc(method="tools/call"), 400),
}


@pytest.mark.parametrize("name", BODIES)
async def test_a_body_that_is_no_request_is_refused_as_the_protocol_says(wire: Wire, name: str) -> None:
    case = BODIES[name]

    reply = await wire.sends("POST", "/mcp", MODERN, case.body)

    check_plain(reply)
    assert reply.status == case.status, reply.body
    assert case.code in (None, reply.json["error"]["code"])


@pytest.mark.parametrize("name", BODIES)
async def test_older_revisions_refuse_it_too(wire: Wire, name: str) -> None:
    reply = await wire.sends("POST", "/mcp", LEGACY, BODIES[name].body)

    check_plain(reply)
    assert reply.status in (400, 422), reply.body
    assert "error" in reply.json


ARGUMENTS = {
    "none": None,
    "a list": [1],
    "a text": "content",
    "content missing": {},
    "content null": {"content": None},
    "content a number": {"content": 1},
    "content empty": {"content": ""},
    "NUL": {"content": "a\0b"},
    "tags a text": {"content": "x", "tags": "a"},
    "tags of lists": {"content": "x", "tags": [["a"]]},
    "unknown names": {"content": "x", "__class__": "y", "Content": "z"},
    "NaN": {"content": float("nan")},
    "infinity": {"content": "x", "tags": [float("inf")]},
    "a huge number": {"content": 10**300},
    "an unknown note": {"content": "x", "supersedes": "n999999999999999999999"},
    "SQL": {"content": "x", "supersedes": "n1'; DROP TABLE notes; --"},
    "a key too long": {"content": "x", "idempotency_key": "k" * 129},
}


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("revision", ["modern", "legacy"])
async def test_bad_arguments_of_a_tool_are_named_and_change_nothing(wire: Wire, name: str, revision: str) -> None:
    call = {"name": "add_note", "arguments": ARGUMENTS[name]}
    chosen: list[Header] = MODERN if revision == "modern" else [*LEGACY, ("Mcp-Session-Id", await opened(wire))]
    body = modern_request("tools/call", call) if revision == "modern" else rpc(method="tools/call", params=call)

    reply = await wire.sends("POST", "/mcp", [*chosen, ("X-Session-ID", SESSION)], body)

    check_plain(reply)
    message = reply.json
    if "error" in message:
        assert message["error"]["code"] in (-32602, -32600, -32700), message
    else:
        assert message["result"]["isError"], message
        assert message["result"]["structuredContent"]["error"]["code"] in ("INVALID_ARGUMENT", "NOT_FOUND"), message


LONE = b'"\\ud800"'
SURROGATES = {
    "as content": b'{"name": "add_note", "arguments": {"content": %s}}' % LONE,
    "as a tag": b'{"name": "add_note", "arguments": {"content": "x", "tags": [%s]}}' % LONE,
    "as an id": b'{"name": "add_note", "arguments": {"content": "x", "supersedes": %s}}' % LONE,
    "as a name": b'{"name": "add_note", "arguments": {"content": "x", %s: 1}}' % LONE,
    "as the tool": b'{"name": %s, "arguments": {}}' % LONE,
    "as a session": b'{"name": "join_session", "arguments": {"session_id": %s}}' % LONE,
    "as metadata": b'{"name": "create_session", "arguments": {"metadata": {"a": %s}}}' % LONE,
    "as a cursor": b'{"name": "read_notes", "arguments": {"cursor": %s}}' % LONE,
    "as a kind": b'{"name": "read_events", "arguments": {"kinds": [%s]}}' % LONE,
}


@pytest.mark.parametrize("name", SURROGATES)
@pytest.mark.parametrize("revision", ["modern", "legacy"])
async def test_half_a_character_is_refused_wherever_it_stands(wire: Wire, name: str, revision: str) -> None:
    tool = json.loads(SURROGATES[name])["name"]
    meta = json.loads(modern_request("x", {}))["params"]["_meta"]
    params = SURROGATES[name][:-1] + b', "_meta": ' + json.dumps(meta).encode() + b"}"
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": %s}' % params
    named = {"name": tool if tool.isascii() else "x"}
    chosen: list[Header] = modern_headers("tools/call", named)
    if revision == "legacy":
        chosen = [*LEGACY, ("Mcp-Session-Id", await opened(wire))]

    reply = await wire.sends("POST", "/mcp", [*chosen, ("X-Session-ID", SESSION)], body)

    check_plain(reply)
    assert "error" in reply.json or reply.json["result"]["isError"], reply.json


async def test_half_a_character_as_the_id_of_a_refused_request_is_survived(wire: Wire) -> None:
    body = modern_request("tools/call", ADD).replace(b'"id": 1', b'"id": "\\ud800"')

    reply = await wire.sends("POST", "/mcp", [*MODERN, ("X-Session-ID", "!")], body)

    check_plain(reply)
    assert (reply.status, reply.code) == (400, "INVALID_SESSION_ID")


REST = {
    "not JSON": (b"{", 400),
    "a list": (b"[]", 400),
    "NaN": (b'{"content": NaN}', 400),
    "half a character": (b'{"content": "\\ud800"}', 400),
    "half a character as a name": (b'{"content": "x", "\\ud800": 1}', 400),
    "half a character as an id": (b'{"content": "x", "supersedes": "\\ud800"}', 400),
    "100,000 brackets": (DEEP[: LIMIT - 1], 400),
    "deep metadata": (b'{"content": "x", "source": ' + b"[" * 900 + b"]" * 900 + b"}", 400),
    "not UTF-8": (b'{"content": "\xff"}', 400),
    "a huge number": (b'{"content": ' + b"9" * 5_000 + b"}", 400),
}


@pytest.mark.parametrize("name", REST)
async def test_rest_refuses_it_in_its_own_envelope(wire: Wire, name: str) -> None:
    body, status = REST[name]

    reply = await wire.sends("POST", f"/sessions/{SESSION}/notes", LEGACY, body)

    check_plain(reply)
    assert (reply.status, reply.json["ok"], reply.code) == (status, False, "INVALID_ARGUMENT"), reply.body


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=x", "limit=1e9", "limit=1&limit=2", "nope=1", "cursor=%00", "cursor=%ff", "query=%ed%a0%80"],
)
async def test_rest_refuses_a_bad_query(wire: Wire, query: str) -> None:
    reply = await wire.sends("GET", f"/sessions/{SESSION}/notes?{query}")

    check_plain(reply)
    assert reply.status in (200, 400), reply.body


def sized(size: int) -> bytes:
    empty = modern_request("tools/call", {"name": "add_note", "arguments": {"content": "", "nope": 1}})
    padding = b"x" * (size - len(empty))
    return empty.replace(b'"content": ""', b'"content": "%s"' % padding)


@pytest.mark.parametrize("path", ["/mcp", "/http", "/messages?session_id=1", f"/sessions/{SESSION}/notes", "/login"])
@pytest.mark.parametrize("announced", [True, False], ids=["announced", "in chunks"])
async def test_one_byte_over_the_limit_is_too_much_on_every_path(wire: Wire, path: str, announced: bool) -> None:
    body = sized(LIMIT + 1)

    if announced:
        reply = await wire.sends("POST", path, MODERN, body)
    else:
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        reply = await wire.sends("POST", path, [*MODERN, ("Transfer-Encoding", "chunked")], chunked)

    check_plain(reply)
    assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize("path", ["/mcp", "/http"])
async def test_a_body_at_the_limit_reaches_the_tool(wire: Wire, path: str) -> None:
    reply = await wire.sends("POST", path, [*MODERN, ("X-Session-ID", SESSION)], sized(LIMIT))

    assert reply.status == 200
    assert reply.json["result"]["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"


async def test_an_announced_size_that_is_absurd_is_refused(wire: Wire) -> None:
    reply = await wire.sends("POST", "/mcp", [*MODERN, ("Content-Length", "9" * 15)], b"x")

    check_plain(reply)
    assert reply.status == 413


HEADERS: dict[str, tuple[list[Header], int, str]] = {
    "a session with a blank": ([("X-Session-ID", "a b c")], 400, "INVALID_SESSION_ID"),
    "an empty session": ([("X-Session-ID", "")], 400, "INVALID_SESSION_ID"),
    "a session too short": ([("X-Session-ID", "ab")], 400, "INVALID_SESSION_ID"),
    "a session too long": ([("X-Session-ID", "a" * 65)], 400, "INVALID_SESSION_ID"),
    "a session with a path": ([("X-Session-ID", "../../etc")], 400, "INVALID_SESSION_ID"),
    "a session that is not ASCII": ([("X-Session-ID", "sitzung_ü")], 400, "INVALID_SESSION_ID"),
    "a session of raw bytes": ([("X-Session-ID", b"abc\xff\xfe")], 400, "INVALID_SESSION_ID"),
    "an unknown session": ([("X-Session-ID", "nobody_knows")], 404, "SESSION_NOT_FOUND"),
    "two sessions": ([("X-Session-ID", SESSION), ("X-Session-ID", "another")], 400, "INVALID_SESSION_ID"),
    "the same session twice": ([("X-Session-ID", SESSION)] * 2, 400, "INVALID_SESSION_ID"),
    "an empty agent": ([("X-Caller-Agent", "")], 400, "INVALID_ARGUMENT"),
    "an agent too long": ([("X-Caller-Agent", "a" * 101)], 400, "INVALID_ARGUMENT"),
    "an agent with a control character": ([("X-Caller-Agent", "a\u0085b")], 400, "INVALID_ARGUMENT"),
    "an agent with a tab": ([("X-Caller-Agent", "a\tb")], 400, "INVALID_ARGUMENT"),
    "an agent of raw bytes": ([("X-Caller-Agent", b"a\xff\xfeb")], 400, "INVALID_ARGUMENT"),
    "an agent in another normal form": ([("X-Caller-Agent", "Zoe\u0308")], 400, "INVALID_ARGUMENT"),
    "two agents": ([("X-Caller-Agent", "a"), ("X-Caller-Agent", "b")], 400, "INVALID_ARGUMENT"),
    "a human's name": ([("X-Caller-Agent", "human:alice")], 403, "FORBIDDEN"),
    "a human's type": ([("X-Agent-Type", "human:alice")], 403, "FORBIDDEN"),
    "a type too long": ([("X-Agent-Type", "a" * 101)], 400, "INVALID_ARGUMENT"),
}


@pytest.mark.parametrize("name", HEADERS)
async def test_bad_identity_headers_are_refused_before_any_tool_runs(wire: Wire, name: str) -> None:
    headers, status, code = HEADERS[name]

    over_mcp = await wire.asks("tools/call", ADD, headers)
    over_rest = await wire.sends("GET", f"/sessions/{SESSION}", headers)

    for reply in (over_mcp, over_rest):
        check_plain(reply)
        assert reply.code == code, reply.body
        assert reply.status == status
    assert over_mcp.json["id"] == 1


async def test_an_agent_may_have_a_name_in_any_script(wire: Wire) -> None:
    name = "Zoë 工程师"

    looked = await wire.asks("tools/call", {"name": "list_sessions", "arguments": {}}, [("X-Caller-Agent", name)])

    assert looked.status == 200


STRANGERS: dict[str, list[Header]] = {
    "a foreign host": [("Host", "evil.example")],
    "a foreign host with our port": [("Host", "evil.example:8765")],
    "a host that only begins like ours": [("Host", "127.0.0.1.evil.example")],
    "a host with a user": [("Host", "127.0.0.1@evil.example")],
    "an empty host": [("Host", "")],
    "half an address": [("Host", "[::1")],
    "an address with a tail": [("Host", "[::1].evil.example")],
    "rubbish as port": [("Host", "evil.example:80:80")],
    "raw bytes": [("Host", b"\xff\xfe")],
    "a foreign origin": [("Origin", "https://evil.example")],
    "the null origin": [("Origin", "null")],
    "an origin that only begins like ours": [("Origin", "http://127.0.0.1.evil.example")],
    "half an origin": [("Origin", "http://[::1")],
    "an origin with a user": [("Origin", "http://127.0.0.1@evil.example")],
    "a file": [("Origin", "file://")],
    "no address at all": [("Origin", "http://[oops]")],
}


@pytest.mark.parametrize("name", STRANGERS)
@pytest.mark.parametrize("path", ["/mcp", "/health", "/sessions", "/sse", "/"])
async def test_a_hostile_host_or_origin_reaches_nothing(wire: Wire, name: str, path: str) -> None:
    headers = STRANGERS[name]
    if path == "/mcp":
        reply = await wire.asks("tools/call", ADD, headers)
    else:
        reply = await wire.sends("GET", path, headers)

    check_plain(reply)
    assert (reply.status, reply.code) == (403, "FORBIDDEN")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("POST", "/nothing", 404),
        ("GET", "/mcp/", 404),
        ("GET", "/../../etc/passwd", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/sessions/%00", 400),
        ("GET", "/sessions/" + "a" * 5_000, 400),
        ("GET", f"/sessions/{SESSION}/nothing", 404),
        ("PUT", "/sessions", 405),
        ("DELETE", f"/sessions/{SESSION}/notes", 405),
        ("POST", "/health", 405),
    ],
)
async def test_wrong_paths_and_methods_are_answered_in_the_envelope(
    wire: Wire, method: str, path: str, status: int
) -> None:
    reply = await wire.sends(method, path, body=b"" if method != "GET" else None)

    check_plain(reply)
    assert reply.status == status, reply.body
    assert reply.json["ok"] is False


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/mcp"), ("PATCH", "/http"), ("POST", "/sse"), ("PUT", "/messages")]
)
async def test_mcp_endpoints_name_the_methods_they_have(wire: Wire, method: str, path: str) -> None:
    reply = await wire.sends(method, path, LEGACY, b"{}")

    check_plain(reply)
    assert reply.status == 405
    assert reply.headers["allow"]


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", ""])
async def test_older_revisions_insist_on_json(wire: Wire, kind: str) -> None:
    headers: list[Header] = [("Content-Type", kind), LEGACY[1], ("Mcp-Session-Id", await opened(wire))]

    reply = await wire.sends("POST", "/mcp", headers, rpc(method="tools/call", params=ADD))

    check_plain(reply)
    assert reply.status in (400, 415)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_a_form_of_another_site_cannot_call_a_tool(wire: Wire, kind: str) -> None:
    """Such a request needs no permission in a browser, so its content type alone must stop it."""
    headers = [(name, value) for name, value in MODERN if name != "Content-Type"]

    reply = await wire.sends("POST", "/mcp", [*headers, ("Content-Type", kind)], modern_request("tools/call", ADD))

    check_plain(reply)
    assert reply.status in (400, 415)


@pytest.mark.parametrize(
    "headers",
    [
        [("Accept", "text/html")],
        [("MCP-Protocol-Version", "1999-01-01")],
        [("MCP-Protocol-Version", b"\xff")],
        [("Mcp-Method", "tools/list")],
        [("Mcp-Name", "read_notes")],
        [("Mcp-Method", "tools/call"), ("Mcp-Method", "tools/call")],
    ],
)
async def test_headers_that_contradict_the_body_are_refused(wire: Wire, headers: list[Header]) -> None:
    changed = {name for name, _ in headers}
    kept = [(name, value) for name, value in MODERN if name not in changed]

    reply = await wire.sends("POST", "/mcp", [*kept, *headers], modern_request("tools/call", ADD))

    check_plain(reply)
    assert reply.status in (400, 406)


@pytest.mark.parametrize("known", ["", "nope", "../..", "a" * 4_000, b"\xff\xfe"])
async def test_an_unknown_protocol_session_is_not_found(wire: Wire, known: str | bytes) -> None:
    reply = await wire.sends("POST", "/mcp", [*LEGACY, ("Mcp-Session-Id", known)], rpc(method="tools/call", params=ADD))

    check_plain(reply)
    assert reply.status in (400, 404)


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"BREW /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Caller-Agent: a\x1bb\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
        b"GET /health HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00" * 10_000,
    ],
)
async def test_what_is_no_http_ends_the_connection_and_nothing_else(wire: Wire, raw: bytes) -> None:
    await wire.writes(raw)
    wire.writer.write_eof()

    answer = await wire.reader.read()

    assert [word for word in NEVER if word.encode() in answer] == []
    assert b" 200 " not in answer.partition(b"\r\n")[0]


async def test_a_client_that_goes_in_the_middle_of_its_request_is_no_trouble(server: Server, wire: Wire) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: {wire.host}\r\nContent-Length: 1000\r\n\r\n".encode()

    for part in (head, head + b"{"):
        async with wire_to(server.address) as other:
            await other.writes(part)

    assert (await wire.sends("GET", "/health")).status == 200


LINES = {
    "not JSON": b"hello",
    "nothing": b"",
    "a batch": b"[]",
    "a number": b"1",
    "no method": b'{"jsonrpc": "2.0", "id": "odd"}',
    "not UTF-8": b'{"jsonrpc": "2.0", "id": "odd", "method": "\xff"}',
    "half a character": b'{"jsonrpc": "2.0", "id": "odd", "method": "tools/call", "params": '
    b'{"name": "add_note", "arguments": {"content": "\\ud800"}}}',
    "an unknown method": b'{"jsonrpc": "2.0", "id": "odd", "method": "no/such"}',
    "bad params": b'{"jsonrpc": "2.0", "id": "odd", "method": "tools/call", "params": {"name": 1}}',
    "100,000 brackets": DEEP,
    "a megabyte": b'{"jsonrpc": "2.0", "id": "odd", "method": "%s"}' % (b"x" * 1_000_000),
}


async def test_a_stdio_process_survives_every_bad_line(processes: Processes, embedded: dict[str, str]) -> None:
    stdio: Stdio = processes.stdio(embedded)
    await stdio.opens()

    for line in LINES.values():
        await stdio.writes(line + b"\n")
        assert (await stdio.calls("read_notes"))["notes"] == []

    told = json.dumps(stdio.unasked)
    assert [word for word in NEVER if word in told] == []
    assert stdio.tracebacks == []


async def opened(wire: Wire) -> str:
    """The id of a protocol session of an older revision."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    reply = await wire.sends("POST", "/mcp", LEGACY, rpc(method="initialize", params=client))
    known = reply.headers["mcp-session-id"]
    initialized = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    await wire.sends("POST", "/mcp", [*LEGACY, ("Mcp-Session-Id", known)], initialized)
    return known
