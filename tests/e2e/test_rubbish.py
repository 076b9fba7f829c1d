"""What no decent client sends: it is refused in plain words, changes nothing, and the next call works as before."""

import json
from dataclasses import dataclass

import pytest

from tests.e2e.rubbish import ADD, LEGACY, LIMIT, MODERN, NEVER, SESSION, check_plain, opened, rpc, server, wire
from tests.e2e.servers import Processes, Stdio
from tests.e2e.wire import Header, Wire, modern_headers, modern_request

__all__ = ["server", "wire"]
pytestmark = pytest.mark.slow
DEEP = b"[" * 100_000


@dataclass(frozen=True)
class MalformedRequest:
    """`code` is ours; where the protocol has its own number for the fault, that stands there."""

    body: bytes
    status: int
    code: str | int | None = None
    headers: tuple[Header, ...] = ()


BODIES = {
    "nothing": MalformedRequest(b"", 400, -32700),
    "not JSON": MalformedRequest(b"hello", 400, -32700),
    "half a JSON": MalformedRequest(b'{"jsonrpc": "2.0", "id": 1,', 400, -32700),
    "not UTF-8": MalformedRequest(b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}', 400, -32700),
    "a batch": MalformedRequest(b"[" + modern_request("tools/call", ADD) + b"]", 400, -32600),
    "an empty batch": MalformedRequest(b"[]", 400, -32600),
    "null": MalformedRequest(b"null", 400, -32600),
    "a number": MalformedRequest(b"42", 400, -32600),
    "no method": MalformedRequest(rpc(params={}), 400, -32600),
    "no version": MalformedRequest(b'{"id": 1, "method": "tools/list"}', 400, -32600),
    "an old version": MalformedRequest(rpc(method="tools/list").replace(b'"2.0"', b'"1.0"'), 400, -32600),
    "an object as id": MalformedRequest(rpc(method="tools/list").replace(b'"id": 1', b'"id": {}'), 400, -32600),
    "a method that is a number": MalformedRequest(rpc(method=7), 400, -32600),
    "params that are a list": MalformedRequest(rpc(method="tools/list", params=[1]), 400, -32600),
    "no params": MalformedRequest(rpc(method="tools/call"), 400),
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
    "the same key twice": (b'{"content": "x", "content": "y"}', 400),
    "a number beyond all": (b'{"content": 1e999}', 400),
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

    text = json.dumps(stdio.unasked)
    assert [word for word in NEVER if word in text] == []
    assert stdio.tracebacks == []
