"""What a person adds at a table by a form is there at once, and a form begins empty each time."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.chromium import accessibility_findings
from tests.console.console_server import ConsoleServer

ID = "forms"


@pytest.fixture(scope="module", autouse=True)
def session(console: ConsoleServer) -> None:
    agent = console.agent("writer")
    agent.post("/sessions", session_id=ID, purpose="Filled in by hand")
    agent.post(f"/sessions/{ID}/notes", content="Coffee costs 3 EUR.")
    agent.post(f"/sessions/{ID}/tasks", tasks=[{"description": "Weigh the beans"}])
    agent.put(f"/sessions/{ID}/draft/intro", title="Opening", content="The first words.")


def test_a_person_adds_a_task(console: ConsoleServer) -> None:
    with console.opens(f"/sessions/{ID}/plan") as seen:
        dialog = open_form(seen.page, "Add a task")
        dialog.get_by_label("What is to be done").fill("Grind the beans")
        dialog.get_by_label("Priority").select_option("high")
        dialog.get_by_label("Weigh the beans").check()
        assert accessibility_findings(seen.page) == []

        dialog.get_by_role("button", name="Add the task").click()

        expect(seen.page.get_by_text("Grind the beans").first).to_be_visible()
        expect(dialog).to_have_count(0)

    tasks = console.agent("writer").get(f"/sessions/{ID}/plan")["tasks"]
    added = next(task for task in tasks if task["description"] == "Grind the beans")
    assert (added["priority"], len(added["depends_on"])) == ("high", 1)


def test_a_person_adds_a_section_before_another(console: ConsoleServer) -> None:
    with console.opens(f"/sessions/{ID}/draft") as seen:
        dialog = open_form(seen.page, "Add a section")
        dialog.get_by_label("Title").fill("Summary")
        dialog.get_by_label("Text, in Markdown").fill("In short: *coffee*.")
        dialog.get_by_label("Place").select_option(label="Before Opening")
        assert accessibility_findings(seen.page) == []

        dialog.get_by_role("button", name="Add the section").click()

        expect(seen.page.get_by_text("In short: coffee.")).to_be_visible()
        expect(dialog).to_have_count(0)

    sections = console.agent("writer").get(f"/sessions/{ID}/draft")["sections"]
    assert [section["title"] for section in sections] == ["Summary", "Opening"]


def test_a_person_pins_a_note(console: ConsoleServer) -> None:
    with console.opens(f"/sessions/{ID}") as seen:
        dialog = open_form(seen.page, "Pin a note")
        dialog.get_by_label("What is to be remembered").fill("Tea costs 2 EUR.")
        dialog.get_by_label("Tags, between commas").fill("price, tea")
        assert accessibility_findings(seen.page) == []

        dialog.get_by_role("button", name="Pin the note").click()

        expect(seen.page.get_by_text("Tea costs 2 EUR.").first).to_be_visible()
        expect(dialog).to_have_count(0)


def test_a_form_that_was_cancelled_begins_empty(console: ConsoleServer) -> None:
    with console.opens(f"/sessions/{ID}/plan") as seen:
        dialog = open_form(seen.page, "Add a task")
        dialog.get_by_label("What is to be done").fill("Never mind")
        dialog.get_by_role("button", name="Cancel").click()

        dialog = open_form(seen.page, "Add a task")

        expect(dialog.get_by_label("What is to be done")).to_have_value("")
        expect(dialog.get_by_role("button", name="Add the task")).to_be_disabled()


def open_form(page: Page, name: str) -> Locator:
    page.get_by_role("button", name=name).first.click()
    dialog = page.get_by_role("dialog", name=name)
    expect(dialog).to_be_visible()
    return dialog
