"""`longtable status`: how a running server is, for people and for programs."""

import json
import re

import pytest

from tests.e2e.program import Program
from tests.e2e.servers import Processes
from tests.receivers import http_receiver

pytestmark = pytest.mark.slow


def test_it_shows_each_part_of_a_server_that_runs(processes: Processes, program: Program) -> None:
    server = processes.serve({"data_dir": str(program.data_dir), "enable_semantic_search": "false"})

    # Asked in this order: tasks come up while the server starts, and none that was started leaves the list.
    as_json = program.run("status", "--json", http_port=str(server.port))
    shown = program.run("status", "--url", server.address)

    assert (shown.status, as_json.status) == (0, 0)
    assert shown.out.startswith(f"status   ok\naddress  {server.address}\n")
    assert re.search(r"^store    ok: store sqlite, free [\d,]+\.\d MiB, file ", shown.out, re.MULTILINE)
    body = json.loads(as_json.out)
    assert (body["status"], body["store"]["status"], body["upstreams"]) == ("ok", "ok", [])
    assert [worker["pid"] for worker in body["workers"]] == [body["pid"]]
    assert body["background"]
    assert all(f"{task['task']} " in shown.out for task in body["background"])


def test_it_says_when_no_server_answers(program: Program) -> None:
    assert program.refuses("status", "--url", "http://127.0.0.1:1") == (1, "UPSTREAM_ERROR")


@pytest.mark.parametrize("url", ["http://host:876S", "http://", "http://[::1", "http://a b/"])
def test_it_refuses_an_address_that_is_none(program: Program, url: str) -> None:
    assert program.refuses("status", "--url", url) == (2, "INVALID_ARGUMENT")


@pytest.mark.parametrize("answer", ['{"error": "Not found"}', '["no", "status"]', '{"ok": true}'])
def test_it_says_that_another_program_answers(program: Program, answer: str) -> None:
    with http_receiver(answer.encode()) as other:
        assert program.refuses("status", "--url", other.address) == (1, "UPSTREAM_ERROR")


def test_it_needs_an_owners_token_where_auth_is_on(processes: Processes, program: Program) -> None:
    secret = program.does("token", "create", "--tenant", "acme", "--role", "owner")["secret"]
    server = processes.serve({"data_dir": str(program.data_dir), "auth": "tokens", "enable_semantic_search": "false"})

    assert program.refuses("status", "--url", server.address) == (1, "UNAUTHORIZED")
    assert program.does("status", "--url", server.address, token=secret)["status"] == "ok"
