"""Everything has an address: whoever opens it lands on the thing, marked, also after a reload."""

import re

import pytest
from playwright.sync_api import expect

from tests.console.console_server import ConsoleServer

MANY = 80
"""Notes: more than a page of them."""
MESSAGES = 40
"""More than a screen shows."""


@pytest.fixture(scope="module")
def session(console: ConsoleServer) -> str:
    agent = console.agent("scribe")
    found: str = agent.post("/sessions", purpose="Many things")["session_id"]
    for number in range(1, MESSAGES + 1):
        agent.post(f"/sessions/{found}/messages", content=f"Word number {number}")
    for number in range(1, MANY + 1):
        agent.post(f"/sessions/{found}/notes", content=f"Fact number {number}", tags=["fact"])
    agent.post(f"/sessions/{found}/questions", question="Shall we go on?")
    agent.post(f"/sessions/{found}/tasks", tasks=[{"description": "Count the facts"}])
    return found


@pytest.mark.parametrize(
    ("place", "marked"),
    [("notes/n7", "Note n7 by scribe"), ("messages/9", "Message 9 by scribe")],
)
def test_an_address_leads_to_the_thing_itself_also_after_a_reload(
    console: ConsoleServer, session: str, place: str, marked: str
) -> None:
    with console.opens() as seen:
        for _ in range(2):
            seen.page.goto(f"/sessions/{session}/{place}")
            found = seen.page.get_by_role("article", name=marked)
            expect(found).to_be_in_viewport()
            expect(found).to_have_attribute("aria-current", "true")


def test_neighbours_of_a_note_come_as_somebody_looks_for_them(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/notes/n7") as seen:
        expect(seen.page.get_by_role("article", name="Note n7 by scribe")).to_be_in_viewport()
        seen.page.get_by_role("button", name="Show newer notes").click()

        expect(seen.page.get_by_role("button", name="Show newer notes")).to_have_count(0)
        seen.page.get_by_role("button", name="Show all notes").click()
        expect(seen.page.get_by_text(f"Fact number {MANY}").first).to_be_visible()


def test_a_hit_and_a_line_of_the_activity_lead_to_the_note(console: ConsoleServer, session: str) -> None:
    with console.opens("/notebooks") as seen:
        seen.page.get_by_label("Search the notebooks").fill('"Fact number 31"')
        seen.page.get_by_label("Everything").check()
        seen.page.get_by_role("list", name="Search hits").get_by_text("31").first.click()

        expect(seen.page).to_have_url(re.compile(f"/sessions/{session}/notes/n31$"))
        expect(seen.page.get_by_role("article", name="Note n31 by scribe")).to_be_in_viewport()
        seen.page.goto(f"/sessions/{session}/activity")
        seen.page.get_by_role("link", name=f"pinned note n{MANY}").click()
        expect(seen.page.get_by_role("article", name=f"Note n{MANY} by scribe")).to_be_in_viewport()


def test_what_is_filtered_stands_in_the_address(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/notes") as seen:
        seen.page.get_by_label("Author").select_option("scribe")
        seen.page.get_by_label("Filter notes").fill("number 5")
        expect(seen.page.get_by_text("found for “number 5”")).to_be_visible()
        seen.page.reload()

        expect(seen.page.get_by_label("Filter notes")).to_have_value("number 5")
        expect(seen.page.get_by_label("Author")).to_have_value("scribe")


def test_a_link_of_a_note_can_be_copied_and_sent(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/notes/n7") as seen:
        seen.context.grant_permissions(["clipboard-read", "clipboard-write"])
        seen.page.get_by_role("button", name="Actions for note n7").click()
        seen.page.get_by_role("button", name="Copy link").click()
        expect(seen.page.get_by_text("Copied.")).to_be_visible()

        link = seen.page.evaluate("navigator.clipboard.readText()")

        assert link == f"{console.address}/sessions/{session}/notes/n7"


def test_links_of_the_old_form_still_lead_there(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/plan/t1") as seen:
        expect(seen.page.get_by_role("dialog").get_by_text("Count the facts").first).to_be_visible()

        assert seen.page.url == f"{console.address}/sessions/{session}/plan/t1"


def test_the_way_back_leads_to_the_page_and_not_to_the_json_at_the_same_address(console: ConsoleServer) -> None:
    with console.opens("/sessions") as seen:
        expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
        read = seen.page.evaluate("fetch('/sessions').then((answer) => answer.headers.get('content-type'))")
        seen.page.goto("about:blank")
        seen.page.go_back()

        assert read == "application/json"
        expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
