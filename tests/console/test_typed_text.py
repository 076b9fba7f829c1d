"""What a person has typed and not sent is there again after a reload, for that person alone, until it is sent."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.chromium import window
from tests.console.console_server import QUIET, ConsoleServer
from tests.e2e.program import Program
from tests.e2e.servers import Processes

ID = "typed"
TEXT = "Half a thought, and"


@dataclass(frozen=True)
class TypedField:
    """Where one can type: the page, what is pressed to get to the field, and its label."""

    path: str
    label: str
    opened_by: tuple[str, ...] = ()

    def field(self, page: Page) -> Locator:
        for name in self.opened_by:
            page.get_by_role("button", name=name).first.click()
        return page.get_by_label(self.label).first


PLACES = {
    "answer in the inbox": TypedField("/inbox", "Your answer"),
    "answer at the table": TypedField(f"/sessions/{ID}/questions", "Your answer"),
    "message": TypedField(f"/sessions/{ID}/messages", "Your message"),
    "note": TypedField(f"/sessions/{ID}", "What is to be remembered", ("Pin a note",)),
    "task": TypedField(f"/sessions/{ID}/plan", "What is to be done", ("Add a task",)),
    "note to a task": TypedField(f"/sessions/{ID}/plan/t1", "Add a note"),
    "section": TypedField(f"/sessions/{ID}/draft", "Text, in Markdown", ("Add a section",)),
    "words to one agent": TypedField("/now", "Only writer and people see it.", ("Actions for writer", "Write to it")),
    "session": TypedField("/sessions", "Purpose", ("New session",)),
    "token": TypedField("/connect", "Name of the token"),
    "notifier": TypedField("/notifiers", "Name"),
    "upstream": TypedField("/gateway", "Name", ("Add an upstream",)),
}


@pytest.fixture(scope="module", autouse=True)
def session(console: ConsoleServer) -> None:
    agent = console.agent("writer")
    agent.post("/sessions", session_id=ID, purpose="Typed by hand")
    agent.post(f"/sessions/{ID}/notes", content="Coffee costs 3 EUR.")
    agent.post(f"/sessions/{ID}/tasks", tasks=[{"description": "Weigh the beans"}])
    agent.post(f"/sessions/{ID}/questions", question="What do guests get?")


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_what_was_typed_survives_a_reload(console: ConsoleServer, place: TypedField) -> None:
    with console.opens(place.path) as seen:
        place.field(seen.page).fill(TEXT)

        seen.page.reload()

        expect(place.field(seen.page)).to_have_value(TEXT)


def test_the_new_words_of_a_task_survive_a_reload(console: ConsoleServer) -> None:
    with console.opens(f"/sessions/{ID}/plan/t1") as seen:
        seen.page.get_by_text("Its words and what it waits for").click()
        field = seen.page.get_by_label("What is to be done")
        field.fill(TEXT)

        seen.page.reload()

        expect(field).to_be_visible()
        expect(field).to_have_value(TEXT)


def test_the_address_of_a_webhook_may_be_a_secret_and_is_kept_nowhere(console: ConsoleServer) -> None:
    with console.opens("/notifiers") as seen:
        seen.page.get_by_label("Kind").select_option("slack")
        seen.page.get_by_label("Address").first.fill("https://hooks.example.org/a-secret")
        assert "a-secret" not in seen.page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")

        seen.page.reload()

        expect(seen.page.get_by_label("Kind")).to_have_value("slack")
        expect(seen.page.get_by_label("Address").first).to_have_value("")


def test_what_was_sent_is_not_there_again(console: ConsoleServer) -> None:
    place = PLACES["message"]

    with console.opens(place.path) as seen:
        place.field(seen.page).fill("A whole thought.")
        seen.page.get_by_role("button", name="Send").click()
        expect(place.field(seen.page)).to_have_value("")
        seen.page.reload()

        expect(place.field(seen.page)).to_have_value("")


def test_nobody_sees_what_another_person_has_typed(browser: Browser, processes: Processes, tmp_path: Path) -> None:
    server, program = processes.serve({"data_dir": str(tmp_path), "auth": "tokens", **QUIET}), Program(tmp_path)
    program.does("sessions", "create", "--tenant", "default", "--session-id", ID)
    secrets = {
        name: program.does("token", "create", "--tenant", "default", "--role", "human", "--name", name)["secret"]
        for name in ("eva", "kim")
    }

    with window(browser, server.address) as seen:
        field = seen.page.get_by_label("Your message")
        sign_in(seen.page, secrets["eva"])
        field.fill(TEXT)
        for name in ("kim", "eva"):
            seen.page.get_by_role("button", name="Sign out").click()
            expect(seen.page.get_by_role("heading", name="Sign in")).to_be_visible()
            sign_in(seen.page, secrets[name])
            expect(field).to_have_value(TEXT if name == "eva" else "")


def sign_in(page: Page, secret: str) -> None:
    page.goto(f"/sessions/{ID}/messages")
    page.get_by_label("Token of the role human or owner").fill(secret)
    page.get_by_role("button", name="Sign in").click()
