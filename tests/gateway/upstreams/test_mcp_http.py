"""MCP servers over HTTP, in the transports there are: one session, our own headers and no other."""

import asyncio
from collections.abc import Callable

import httpx2
import pytest

from longtable.kernel.errors import ToolQuarantined, UpstreamError
from longtable.upstreams.connection import UpstreamConnection
from longtable.upstreams.questions import UpstreamQuestions
from tests.e2e.servers import until
from tests.gateway.upstreams.conftest import Connect, call, text_of
from tests.gateway.upstreams.servers import Served, http_entry

pytestmark = pytest.mark.slow

SECRET = "token-that-nobody-sees"


@pytest.mark.parametrize("kind", ["http", "json", "sse"])
async def test_tools_are_listed_and_called_in_every_transport(connect: Connect, served: Served, kind: str) -> None:
    server = served.start("over_http", kind, 0)
    upstream = connect(http_entry(server.address, kind="sse" if kind == "sse" else "http"))

    names = {each.remote for each in await upstream.definitions()}
    answers = await asyncio.gather(*(call(upstream, "get_text", size=size) for size in range(1, 9)))

    assert names == {"get_text", "get_headers", "get_pid", "get_stopped", "get_changed"}
    assert [len(text_of(result)) for result in answers] == list(range(1, 9))


async def test_a_server_that_knows_no_post_is_spoken_to_in_the_older_transport(
    connect: Connect, served: Served
) -> None:
    server = served.start("over_http", "sse", 0)
    upstream = connect(http_entry(server.address, kind="http"))

    result = await call(upstream, "get_text", size=3)

    assert text_of(result) == "xxx"


async def test_only_the_headers_of_the_file_are_sent(connect: Connect, served: Served) -> None:
    server = served.start("over_http", "http", 0)
    upstream = connect(http_entry(server.address, headers={"Authorization": f"Bearer {SECRET}"}))

    result = await call(upstream, "get_headers")

    assert result.structured is not None
    sent = result.structured.get("result", result.structured)
    assert sent["authorization"] == f"Bearer {SECRET}"
    assert sent["user-agent"] == "longtable"
    assert not {"cookie", "x-agent-id", "x-session-id"} & set(sent)


@pytest.mark.parametrize("kind", ["http", "json"])
async def test_after_the_server_was_started_again_the_next_call_works(
    connect: Connect, served: Served, kind: str
) -> None:
    first = served.start("over_http", kind, 0)
    upstream = connect(http_entry(first.address))
    before = text_of(await call(upstream, "get_pid"))
    first.stop()
    served.start("over_http", kind, first.port)

    after = text_of(await call(upstream, "get_pid"))

    assert before != after


async def test_a_server_that_ends_in_a_call_fails_that_call(connect: Connect, served: Served) -> None:
    server = served.start("over_http", "json", 0)
    upstream = connect(http_entry(server.address))
    await upstream.definitions()

    with pytest.raises(UpstreamError):
        await call(upstream, "get_stopped")


@pytest.mark.parametrize("kind", ["http", "json"])
async def test_an_answer_that_is_too_large_is_cut_and_marked(connect: Connect, served: Served, kind: str) -> None:
    server = served.start("over_http", kind, 0)
    upstream = connect(http_entry(server.address, max_response_bytes=50_000))

    result = await call(upstream, "get_text", size=3_000_000)

    assert result.truncated
    assert 40_000 < len(text_of(result)) <= 50_000


async def test_a_json_body_beyond_all_bounds_is_not_read_to_its_end(connect: Connect, served: Served) -> None:
    server = served.start("over_http", "json", 0)
    upstream = connect(http_entry(server.address, max_response_bytes=50_000))

    result = await call(upstream, "get_text", size=40_000_000)

    assert result.truncated
    assert len(text_of(result).encode()) <= 50_000


@pytest.mark.parametrize(
    ("address", "says"),
    [
        (lambda port: f"http://127.0.0.1:{port}/fails", "HTTP 503"),
        (lambda port: f"http://127.0.0.1:{port}/nowhere", "HTTP 404"),
        (lambda port: f"http://127.0.0.1:{port}/elsewhere", "not followed"),
        (lambda port: "http://127.0.0.1:1/mcp", ""),
        (lambda port: "http://10.255.255.1/mcp", "only https"),
        (lambda port: "https://10.255.255.1/mcp", "private"),
        (lambda port: "https://169.254.169.254/mcp", "metadata"),
    ],
)
async def test_an_address_that_does_not_work_says_why_without_secrets(
    connect: Connect, served: Served, address: Callable[[int], str], says: str
) -> None:
    server = served.start("over_http", "http", 0)
    upstream = connect(http_entry(address(server.port), headers={"Authorization": SECRET}), start_seconds=5)

    with pytest.raises(UpstreamError) as failed:
        await upstream.definitions()

    assert says in failed.value.message
    assert SECRET not in failed.value.message + str(upstream.problem)


async def test_a_server_that_wants_a_credential_says_how_to_give_it_one(connect: Connect, served: Served) -> None:
    server = served.start("over_http", "http", 0)
    origin = server.address.removesuffix("/mcp")

    async def problem(path: str, **headers: str) -> str:
        upstream = connect(http_entry(f"{origin}/{path}", headers=headers), start_seconds=5)
        with pytest.raises(UpstreamError):
            await upstream.definitions()
        return str(upstream.problem)

    assert "headers of its entry, or" in await problem("guarded")
    assert 'add "oauth": {} to its entry, then an owner can connect it' in await problem("with_oauth")
    assert "refuses the Authorization in the headers" in await problem("guarded", Authorization="Bearer old")


async def test_a_change_is_told_by_a_server_of_the_newest_revision(connect: Connect, served: Served) -> None:
    server = served.start("over_http", "http", 0)
    upstream = connect(http_entry(server.address))
    response = asyncio.Event()
    upstream.on_change(response.set)
    await upstream.definitions()

    await call(upstream, "get_changed")

    await asyncio.wait_for(response.wait(), 40)
    assert "get_more" in {each.remote for each in await upstream.definitions()}


async def test_no_list_is_requested_while_the_stream_for_changes_stands_and_again_once_it_is_cut(
    connect: Connect, served: Served
) -> None:
    server = served.start("older_http")
    origin = server.address.removesuffix("/mcp")
    upstream = connect(http_entry(server.address))
    await upstream.definitions()
    await call(upstream, "read_note")
    async with httpx2.AsyncClient(base_url=origin) as client:
        await asyncio.gather(*(call(upstream, "read_note") for _ in range(20)))
        while_it_stands = int((await client.get("/lists")).text)
        await client.post("/change", json={"description": "Reads one note, and sends it away."})
        await client.post("/cut")

        await until(lambda: not upstream.reports_changes)

    assert while_it_stands <= 3
    with pytest.raises(ToolQuarantined):
        await call(upstream, "read_note")


async def test_a_server_of_the_newest_revision_is_asked_for_its_list_once_for_many_calls(
    connect: Connect, served: Served
) -> None:
    server = served.start("over_http", "json", 0)
    upstream = connect(http_entry(server.address))
    await upstream.definitions()

    for _ in range(20):
        await call(upstream, "get_text")

    async with httpx2.AsyncClient() as client:
        lists = int((await client.get(server.address.removesuffix("/mcp") + "/lists")).text)
    assert (upstream.reports_changes, lists <= 3) == (True, True)


async def test_a_closed_connection_holds_nothing_open(served: Served) -> None:
    server = served.start("over_http", "http", 0)
    connection = UpstreamConnection(UpstreamQuestions(http_entry(server.address)))
    await connection.open(5)

    await connection.close()

    assert not connection.is_open
