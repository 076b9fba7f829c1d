"""`longtable notifiers`: where people are called, said at the terminal."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from standardwebhooks import Webhook

from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import Processes, processes_in
from tests.receivers import Receiver, http_receiver

SECRET = "correct horse"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with http_receiver() as started:
        yield started


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    with processes_in(tmp_path) as own:
        yield own


def hook(receiver: Receiver) -> tuple[str, ...]:
    return ("--kind", "webhook", "--to", f"{receiver.address}/hook", "--allow-private")


def test_a_webhook_is_added_tested_listed_and_removed_without_a_server(program: Program, receiver: Receiver) -> None:
    added = program.does("notifiers", "add", "hook", *hook(receiver), "--events", "question,approval")
    tested = program.does("notifiers", "test", "hook")
    listed = program.does("notifiers", "list")
    sent = program.does("notifiers", "list", "--deliveries", "hook")
    removed = program.does("notifiers", "remove", "hook")

    (request,) = receiver.requests
    assert Webhook(added["secret"]).verify(request.body, request.headers)["type"] == "test"
    assert tested["delivered"] is True
    assert [(each["name"], each["events"]) for each in listed["notifiers"]] == [("hook", ["question", "approval"])]
    assert [each["status"] for each in sent["deliveries"]] == ["sent"]
    assert removed["removed"] is True
    assert program.does("notifiers", "list")["count"] == 0
    assert added["secret"] not in json.dumps([tested, listed, sent, removed])


def test_the_words_for_people_show_the_secret_once(program: Program, receiver: Receiver) -> None:
    added = program.run("notifiers", "add", "hook", *hook(receiver))
    receiver.answers = [500]
    tested = program.run("notifiers", "test", "hook")
    listed = program.run("notifiers", "list")

    assert "whsec_" in added.out
    assert (tested.status, "answered 500" in tested.err) == (1, True)
    assert "whsec_" not in listed.out
    assert "/hook" in listed.out


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("add", "x", "--kind", "webhook", "--to", "https://10.0.0.1/"), (2, "INVALID_ARGUMENT")),
        (("add", "x", "--kind", "pigeon", "--to", "https://example.org/"), (2, "INVALID_ARGUMENT")),
        (("add", "x", "--kind", "slack", "--to", "https://a.org/", "--events", "rain"), (2, "INVALID_ARGUMENT")),
        (("add", "no/name", "--kind", "slack", "--to", "https://a.org/"), (2, "INVALID_ARGUMENT")),
        (("remove", "x"), (1, "CONFIG_ERROR")),
    ],
)
def test_what_cannot_be_done_is_refused(program: Program, words: tuple[str, ...], refusal: tuple[int, str]) -> None:
    assert program.refuses("notifiers", *words) == refusal


def test_the_remedy_for_an_unknown_notifier_is_possible_here(program: Program) -> None:
    program.does("sessions", "create")

    refused = program.run("notifiers", "remove", "nope")

    assert (refused.status, "NOT_FOUND" in refused.err) == (1, True)
    assert refused.err.endswith("there is no such notifier. List the notifiers to see which there are.\n")


def test_where_a_human_secret_is_set_it_is_asked_for(program: Program, receiver: Receiver, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET)
    file.chmod(0o600)
    program.does("human-secret", "set", "--from-file", str(file))

    with at_terminal(program, "notifiers", "add", "hook", *hook(receiver)) as terminal:
        terminal.shows("Human secret: ")
        terminal.types("something else")
        refused = terminal.ends()
    program.does("notifiers", "add", "hook", *hook(receiver), "--human-secret-file", str(file))

    assert refused != 0
    assert program.does("notifiers", "list")["count"] == 1


def test_a_server_calls_a_notifier_that_was_added_at_the_terminal_while_it_ran(
    program: Program, processes: Processes, receiver: Receiver, tmp_path: Path
) -> None:
    server = processes.serve({"data_dir": str(tmp_path / "data"), "enable_semantic_search": "false"})
    program.does("notifiers", "add", "hook", *hook(receiver))
    with httpx2.Client(base_url=server.address) as ada:
        session = ada.post("/sessions", json={"purpose": "Plant tulips"}).json()["session_id"]
        ada.post(f"/sessions/{session}/questions", json={"question": "swordfish?", "blocking": True})

    assert receiver.arrived.wait(40)

    body = json.loads(receiver.requests[0].body)
    assert (body["type"], body["purpose"]) == ("question", "Plant tulips")
    assert body["link"] == f"{server.address}/sessions/{session}/questions/q1"
