"""`serve` and `console`: the link that makes its bearer the owner is shown to a person and to nobody else."""

import http.client
import json
import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import Processes

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals are opened as POSIX does")

LINK = re.compile(r"http://(?P<host>127\.0\.0\.1:\d+)(?P<path>/login\?link=link_\S+)")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data", {"http_port": "0"})


def status_of(host: str, method: str, path: str, body: str | None = None) -> int:
    connection = http.client.HTTPConnection(host, timeout=60)
    try:
        headers = {"Origin": f"http://{host}", "Content-Type": "application/x-www-form-urlencoded"}
        connection.request(method, path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_person_at_a_terminal_gets_the_address_and_a_link_that_works_once(program: Program) -> None:
    with at_terminal(program, "serve") as terminal:
        link = LINK.search(terminal.shows("Ctrl+C"))
        assert link is not None, terminal.shown
        host, path = link["host"], link["path"]

        assert f"http://{host}/mcp" in terminal.shown
        assert f"Data     {program.data_dir}" in terminal.shown
        named = re.search(r"'(\S+) connect CLIENT --http --http-port (\d+)'", terminal.shown)
        assert named is not None, terminal.shown
        assert host.endswith(f":{named[2]}")
        assert shutil.which(named[1]) is not None, f"{named[1]} cannot be typed"
        assert '{"' not in terminal.shows("info     started address=")
        assert status_of(host, "GET", path) == 303
        assert status_of(host, "GET", path) == 401
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ends() == 0


def test_a_pipe_gets_nothing_and_no_link_is_made(program: Program, processes: Processes) -> None:
    server = processes.serve({"data_dir": str(program.data_dir)})

    assert server.stop() == 0
    assert server.popen.stdout is not None
    assert server.popen.stdout.read() == b""
    assert server.noise == []
    assert not any("link_" in line or "/login" in line for line in server.lines)
    assert program.rows("SELECT * FROM login_links") == []


def test_with_auth_on_people_sign_in_by_token_and_there_is_no_link(program: Program) -> None:
    human = program.does("token", "create", "--tenant", "acme", "--role", "human")["secret"]
    agent = program.does(
        "token", "create", "--tenant", "acme", "--role", "agent", "--agent", "ann", "--session", "one"
    )["secret"]

    with at_terminal(program, "serve", "--auth", "tokens") as terminal:
        shown = terminal.shows("role human or owner")
        address = re.search(r"Console\s+http://(\S+)", shown)
        assert address is not None, shown

        assert "link" not in shown
        assert status_of(address[1], "POST", "/login", f"token={human}") == 303
        assert status_of(address[1], "POST", "/login", f"token={agent}") == 403
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ends() == 0

    result = program.does("console", http_port="8765")
    assert result["console"] == "http://127.0.0.1:8765"
    assert "token of the role human or owner" in result["sign_in"]
    assert program.rows("SELECT * FROM login_links") == []


def test_the_console_command_finds_the_running_server_and_makes_a_new_link_for_it(
    program: Program, processes: Processes
) -> None:
    server = processes.serve({"data_dir": str(program.data_dir)})

    with at_terminal(Program(program.data_dir), "console") as terminal:
        status = terminal.ends()
    link = LINK.search(terminal.shown)

    assert status == 0
    assert link is not None, terminal.shown
    assert link["host"] == f"127.0.0.1:{server.port}"
    assert status_of(link["host"], "GET", link["path"]) == 303


@pytest.mark.parametrize(
    ("options", "code", "expected"),
    [
        ({"http_port": "8765"}, "FORBIDDEN", "shown on a terminal only"),
        ({"http_port": "0"}, "CONFIG_ERROR", "http_port"),
        ({"enable_console": "false"}, "CONFIG_ERROR", "enable_console"),
    ],
    ids=["a pipe", "any port", "no console"],
)
def test_the_console_command_refuses_with_a_reason(
    program: Program, options: dict[str, str], code: str, expected: str
) -> None:
    program.does("sessions", "create")

    ended = program.run("console", "--json", **options)

    assert ended.status == 1
    assert ended.json["error"]["code"] == code
    assert expected in ended.json["error"]["error"]
    assert program.rows("SELECT * FROM login_links") == []


def test_a_taken_port_is_named_without_a_traceback(program: Program, processes: Processes) -> None:
    server = processes.serve({"data_dir": str(program.data_dir)})

    ended = program.run("serve", "--http-port", str(server.port), "--json")

    assert ended.status == 1
    assert ended.json["error"]["code"] == "CONFIG_ERROR"
    assert "http_port" in ended.json["error"]["error"]


def test_commands_and_a_server_share_one_store(program: Program, processes: Processes) -> None:
    server = processes.serve({"data_dir": str(program.data_dir)})

    program.does("sessions", "create", "--session-id", "from-cli")
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
    connection.request("GET", "/sessions")
    seen = json.loads(connection.getresponse().read())
    connection.close()

    assert [session["session_id"] for session in seen["sessions"]] == ["from-cli"]
    assert program.does("audit", "verify")["ok"]


def test_a_tenant_that_has_its_own_sessions_takes_over_no_others(program: Program, processes: Processes) -> None:
    program.does("sessions", "create", "--session-id", "ours")
    program.does("sessions", "create", "--tenant", "acme", "--session-id", "theirs")

    server = processes.serve({"data_dir": str(program.data_dir), "auth_tokens": "acme:their-token"})

    assert server.stop() == 0
    assert program.rows("SELECT tenant, session_id FROM sessions ORDER BY 1") == [
        ("acme", "theirs"),
        ("default", "ours"),
    ]
