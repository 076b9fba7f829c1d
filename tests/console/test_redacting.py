"""An owner takes back whatever was written, in the page where it is read, and everybody who looks sees it go."""

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import accessibility_findings
from tests.console.console_server import ConsoleServer

SECRET = "swordfish"
TOMBSTONE = "[redacted by the owner]"


@pytest.fixture(scope="module")
def spilled(console: ConsoleServer) -> str:
    ada = console.agent("ada")
    session = str(ada.post("/sessions", purpose=f"Find out about {SECRET}")["session_id"])
    ada.post(f"/sessions/{session}/tasks", tasks=[{"description": f"Change {SECRET}"}])
    ada.post(f"/sessions/{session}/tasks/t1", note=f"It was {SECRET}.")
    for question in (f"Is it {SECRET}?", "Which one?"):
        ada.post(f"/sessions/{session}/questions", question=question)
    console.agent("bob").post(f"/sessions/{session}/answers", answers={"q2": f"{SECRET}!"})
    ada.put(f"/sessions/{session}/draft/intro", title=f"On {SECRET}", content="Nothing.")
    ada.post("/scratchpads", scratch_id="vault", metadata={"title": SECRET}, cells=[])
    return session


def redacts(page: Page, button: str) -> None:
    page.get_by_role("button", name=button, exact=True).first.click()
    page.get_by_role("button", name="Redact for good").click()
    expect(page.get_by_role("dialog", name="Redact")).to_have_count(0)


def test_a_task_and_its_note_are_redacted_where_the_task_is_read(console: ConsoleServer, spilled: str) -> None:
    with console.opens(f"/sessions/{spilled}/plan/t1") as watched, console.opens(f"/sessions/{spilled}/plan") as other:
        page = watched.page
        expect(page.get_by_role("dialog").get_by_text(f"Change {SECRET}").first).to_be_visible()
        expect(other.page.get_by_text(f"Change {SECRET}").first).to_be_visible()
        assert accessibility_findings(page) == []

        redacts(page, "Redact this note")
        expect(page.get_by_text(f"It was {SECRET}.")).to_have_count(0)
        redacts(page, "Redact the task")

        expect(other.page.get_by_text(TOMBSTONE).first).to_be_visible()
        expect(other.page.get_by_text(f"Change {SECRET}")).to_have_count(0)


def test_a_question_an_answer_and_the_purpose_are_redacted(console: ConsoleServer, spilled: str) -> None:
    with console.opens(f"/sessions/{spilled}/questions") as watched:
        page = watched.page
        expect(page.get_by_text(f"{SECRET}!")).to_be_visible()
        redacts(page, "Redact the answer")
        expect(page.get_by_text(f"{SECRET}!")).to_have_count(0)
        redacts(page, "Redact the question")
        expect(page.get_by_text(f"Is it {SECRET}?")).to_have_count(0)
        assert accessibility_findings(page) == []

        page.get_by_role("button", name="Actions for the session").click()
        page.get_by_role("button", name="Redact the purpose").click()
        page.get_by_role("button", name="Redact for good").click()
        expect(page.get_by_role("heading", name=TOMBSTONE, level=1)).to_be_visible()


def test_titles_of_sections_and_scratchpads_are_redacted(console: ConsoleServer, spilled: str) -> None:
    with console.opens(f"/sessions/{spilled}/draft") as watched:
        page = watched.page
        page.get_by_role("button", name="History").first.click()
        redacts(page, "Redact the title")
        expect(page.get_by_role("heading", name=f"On {SECRET}")).to_have_count(0)
    with console.opens("/notebooks/pad/vault") as watched:
        page = watched.page
        expect(page.get_by_role("heading", name=SECRET)).to_be_visible()
        redacts(page, "Redact the title")
        expect(page.get_by_role("heading", name=TOMBSTONE)).to_be_visible()
        assert accessibility_findings(page) == []
