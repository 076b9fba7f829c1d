"""A store that somebody has damaged under a running server: every answer is still one of ours, and the log has more."""

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, Server, processes_in, until
from tests.e2e.wire import Header, Reply, wire_to

pytestmark = pytest.mark.slow
CODES = ("INTERNAL_ERROR", "STORE_UNAVAILABLE")
TABLES = ("notes", "sessions", "logins")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken") / "data"


@pytest.fixture(scope="module")
def server(data_dir: Path) -> Iterator[Server]:
    with processes_in(data_dir.parent) as processes:
        yield processes.serve({"data_dir": str(data_dir), "enable_metrics": "true"})


@pytest.fixture(scope="module")
def cookie(server: Server, data_dir: Path) -> str:
    """Breaks the store, and answers the name of the console's cookie."""
    file = sqlite3.connect(data_dir / "longtable.db")
    (name,) = file.execute("SELECT value FROM facts WHERE name LIKE '%cookie%'").fetchone()
    for table in TABLES:
        file.execute(f"DROP TABLE {table}")
    file.close()
    return str(name)


def check(server: Server, reply: Reply, status: tuple[int, ...] = (500, 503)) -> None:
    text = reply.body.decode()
    assert reply.status in status, text
    assert any(code in text for code in CODES), text
    assert [word for word in ("Traceback", "no such table", "sqlite", "SELECT") if word in text] == []
    assert server.noise == []


async def test_a_tool_says_so_in_its_envelope(server: Server, cookie: str) -> None:
    async with wire_to(server.address) as wire:
        reply = await wire.asks("tools/call", {"name": "read_notes", "arguments": {}})

    check(server, reply, (200,))
    assert reply.json["result"]["isError"]


@pytest.mark.parametrize("path", ["/mcp", "/sessions", "/sessions/some_session"])
async def test_a_request_that_fails_before_its_tool_says_so_too(server: Server, cookie: str, path: str) -> None:
    named: list[Header] = [("X-Session-ID", "some_session")]

    async with wire_to(server.address) as wire:
        if path == "/mcp":
            reply = await wire.asks("tools/list", {}, named)
        else:
            reply = await wire.sends("GET", path, named)

    check(server, reply)


@pytest.mark.parametrize("path", ["/", "/metrics"])
async def test_pages_beside_the_tools_say_so_too(server: Server, cookie: str, path: str) -> None:
    async with wire_to(server.address) as wire:
        reply = await wire.sends("GET", path, [("Cookie", f"{cookie}=whatever")])

    check(server, reply)


async def test_a_bug_is_answered_with_an_id_that_is_found_in_the_log(
    processes: Processes, embedded: dict[str, str]
) -> None:
    """Metadata that are not JSON cannot come from us, so nothing is prepared for them."""
    server = processes.serve(embedded)
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id="some_session")
        file = sqlite3.connect(Path(embedded["data_dir"]) / "longtable.db")
        (cookie,) = file.execute("SELECT value FROM facts WHERE name LIKE '%cookie%'").fetchone()
        file.execute("UPDATE sessions SET metadata = 'oops'")
        file.execute(
            "INSERT INTO logins (secret_hash, tenant, role, name, expires_at) VALUES (?, 'default', 'owner', 'eve', ?)",
            (hashlib.sha256(b"secret").hexdigest(), 2**62),
        )
        file.commit()
        file.close()

        over_mcp = await wire.asks("tools/call", {"name": "list_sessions", "arguments": {}})
        over_rest = await wire.sends("GET", "/sessions")
        file_of_it = await wire.sends("GET", "/sessions/some_session/export", [("Cookie", f"{cookie}=secret")])

    check(server, over_mcp, (200,))
    for reply in (over_rest, file_of_it):
        check(server, reply, (500,))
        assert reply.code == "INTERNAL_ERROR"
        await until_logged(server, reply.json["error"]["details"]["error_id"])


async def until_logged(server: Server, error_id: str) -> None:
    await until(lambda: any(error_id in line for line in server.lines))
