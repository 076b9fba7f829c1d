"""The sockets of a server: what is left behind is replaced, what others use is left alone."""

import asyncio
import signal
import socket
from pathlib import Path

import pytest

from tests.e2e.servers import Processes
from tests.e2e.test_shutdown import ended_cleanly
from tests.e2e.wire import Wire

pytestmark = pytest.mark.slow


async def test_a_socket_that_a_killed_server_left_behind_is_replaced(
    processes: Processes, embedded: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "table.sock"
    processes.serve({**embedded, "http_socket_path": str(path)}).kill()
    assert path.is_socket()

    server = processes.serve({**embedded, "http_socket_path": str(path)})

    reader, writer = await asyncio.open_unix_connection(str(path))
    reply = await Wire(reader, writer, "localhost").sends("GET", "/ready")
    writer.close()
    assert reply.status == 200
    assert path.stat().st_mode & 0o777 == 0o600
    server.signal(signal.SIGTERM)
    ended_cleanly(server, await server.ends())
    assert not path.exists()


async def test_a_socket_that_another_server_answers_on_is_left_alone(
    processes: Processes, embedded: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "table.sock"
    processes.serve({**embedded, "http_socket_path": str(path)})

    second = processes.fails_to_serve({**embedded, "http_socket_path": str(path)})

    assert second.popen.returncode == 1
    assert "CONFIG_ERROR" in second.lines[-1]
    reader, writer = await asyncio.open_unix_connection(str(path))
    assert (await Wire(reader, writer, "localhost").sends("GET", "/ready")).status == 200
    writer.close()


async def test_a_file_in_the_place_of_the_socket_is_not_overwritten(
    processes: Processes, embedded: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "precious.txt"
    path.write_text("keep me")

    process = processes.fails_to_serve({**embedded, "http_socket_path": str(path)})

    assert process.popen.returncode == 1
    assert "CONFIG_ERROR" in process.lines[-1]
    assert path.read_text() == "keep me"


async def test_a_port_that_is_taken_is_a_configuration_error(processes: Processes, embedded: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        process = processes.fails_to_serve({**embedded, "http_port": str(port)})

    assert process.popen.returncode == 1
    assert "CONFIG_ERROR" in process.lines[-1]
    assert str(port) in process.lines[-1]
    assert process.tracebacks == []
