"""Headers, paths and bytes that no decent client sends: refused before anything runs."""

import pytest

from tests.e2e.rubbish import ADD, LEGACY, MODERN, NEVER, SESSION, check_plain, opened, rpc, server, wire
from tests.e2e.servers import Server
from tests.e2e.wire import Header, Wire, modern_request, wire_to

__all__ = ["server", "wire"]
pytestmark = pytest.mark.slow

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
        ("GET", "/mcp/x", 404),
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
