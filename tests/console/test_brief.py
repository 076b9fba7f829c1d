"""What a person who arrives at a session is told: where the team stands, and what is new since the last visit."""

from playwright.sync_api import expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer

FOLD = "Where the team stands"


def new_session(console: ConsoleServer, purpose: str) -> str:
    return str(console.agent("boss").post("/sessions", purpose=purpose)["session_id"])


def test_on_a_first_visit_the_brief_is_folded_and_opens_on_demand(console: ConsoleServer) -> None:
    session = new_session(console, "First visit")
    ada = console.agent("ada")
    ada.post(f"/sessions/{session}/notes", content="The parser fails.\n\nDetails follow.")
    ada.post(f"/sessions/{session}/tasks", tasks=[{"description": "write a test"}])
    ada.post(f"/sessions/{session}/questions", question="Which parser?")

    with console.opens(f"/sessions/{session}/activity") as seen:
        fold = seen.page.get_by_role("group").filter(has_text=FOLD)
        expect(fold.get_by_role("heading")).to_have_count(0)
        seen.page.get_by_text(FOLD).click()

        headings = fold.get_by_role("heading")
        expect(headings).to_have_text(["Open questions", "Tasks to begin", "Newest notes"])
        expect(fold.get_by_text("The parser fails. Details follow.")).to_be_visible()
        assert accessibility_findings(seen.page) == []
        headings.get_by_role("link", name="Tasks to begin").click()
        expect(seen.page.get_by_role("tab", name="Checklist")).to_have_attribute("aria-selected", "true")


def test_who_comes_back_is_shown_what_is_new_and_only_that(console: ConsoleServer) -> None:
    session = new_session(console, "Second visit")
    ada = console.agent("ada")
    ada.post(f"/sessions/{session}/notes", content="Seen before.")

    with console.opens(f"/sessions/{session}/activity") as seen:
        expect(seen.page.get_by_role("heading", level=1)).to_contain_text("Second visit")
        expect(seen.page.get_by_text(FOLD)).to_be_visible()
        seen.page.goto("/#/sessions")
        expect(seen.page.get_by_role("heading", level=1)).to_contain_text("Sessions")
        ada.post(f"/sessions/{session}/notes", content="New since then.")
        seen.page.goto(f"/#/sessions/{session}/activity")

        fold = seen.page.get_by_role("group").filter(has_text=FOLD)
        expect(fold.get_by_text("New since then.")).to_be_visible()
        expect(fold.get_by_text("Seen before.")).to_have_count(0)
        seen.page.get_by_text(FOLD).click()
        expect(fold.get_by_role("heading")).to_have_count(0)


def test_the_brief_fits_on_a_phone(console: ConsoleServer) -> None:
    session = new_session(console, "On a phone")
    console.agent("ada").post(f"/sessions/{session}/notes", content="W" * 200)

    with console.opens(f"/sessions/{session}/activity", viewport=PHONE, has_touch=True) as seen:
        seen.page.get_by_text(FOLD).click()

        expect(seen.page.get_by_role("heading", name="Newest notes")).to_be_visible()
        assert not seen.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1")
        assert accessibility_findings(seen.page) == []
