"""Ctrl+K: anything can be gone to, done or found from any page, by keyboard and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer


@pytest.fixture(scope="module")
def session(console: ConsoleServer) -> str:
    ann = console.agent("ann")
    session: str = ann.post("/sessions", purpose="Build a shed")["session_id"]
    ann.post(f"/sessions/{session}/tasks", tasks=[{"description": "Saw the boards"}, {"description": "Paint it"}])
    ann.post(f"/sessions/{session}/notes", content="The nails are in the tin")
    ann.calls("claim_task", session, task_id="t1")
    other = ann.post("/sessions", session_id="sess_errand", purpose="Another errand")["session_id"]
    ann.post(f"/sessions/{other}/tasks", tasks=[{"description": "Fetch the ladder"}])
    ann.post(f"/sessions/{other}/questions", question="How tall is the ladder?")
    return session


def types(page: Page, words: str) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name=re.compile("^Pages, sessions"))).to_be_focused()
    page.keyboard.type(words)


@pytest.mark.parametrize(
    ("words", "option", "leads_to"),
    [
        ("gatew", "Gateway", "/gateway"),
        ("shed", "Build a shed", "/sessions/{session}"),
        ("saw boards", "Saw the boards", "/sessions/{session}/plan/t1"),
        ("ann", "ann", "/sessions/{session}/plan/t1"),
        ("nails", "The nails are in the tin", "/sessions/{session}/notes/n1"),
        ("fetch ladder", "Fetch the ladder", "/sessions/sess_errand/plan/t1"),
        ("tall ladder", "How tall is the ladder?", "/sessions/sess_errand/questions/q1"),
        ("new sess", "New session", "/sessions"),
    ],
)
def test_the_keyboard_goes_to_anything_from_any_page(
    console: ConsoleServer, session: str, words: str, option: str, leads_to: str
) -> None:
    with console.opens("/connect") as seen:
        expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
        types(seen.page, words)
        wanted = seen.page.get_by_role("listbox", name="What was found").get_by_role("option", name=option).first
        expect(wanted).to_have_attribute("aria-selected", "true")
        seen.page.keyboard.press("Enter")

        expect(seen.page.get_by_role("combobox", name=re.compile("^Pages, sessions"))).to_have_count(0)
        expect(seen.page).to_have_url(re.compile(re.escape(leads_to.format(session=session)) + "$"))


def test_the_arrows_choose_and_escape_leaves_everything_as_it_was(console: ConsoleServer, session: str) -> None:
    with console.opens("/connect") as seen:
        expect(seen.page.get_by_role("heading", level=1)).to_be_visible()
        types(seen.page, "")
        expect(seen.page.get_by_role("group", name="Sessions").get_by_role("option")).to_have_count(2)
        chosen = seen.page.get_by_role("listbox", name="What was found").get_by_role("option", selected=True)
        expect(chosen).to_contain_text("Now")
        seen.page.keyboard.press("ArrowDown")
        expect(chosen).to_contain_text("Inbox")
        seen.page.keyboard.press("ArrowUp")
        seen.page.keyboard.press("ArrowUp")
        expect(chosen).to_contain_text("Sign out")
        expect(chosen).to_be_in_viewport()
        assert accessibility_findings(seen.page) == []

        seen.page.keyboard.press("Escape")

        expect(seen.page.get_by_role("dialog")).to_have_count(0)
        assert seen.page.url.endswith("/connect")


def test_a_phone_has_it_too(console: ConsoleServer, session: str) -> None:
    with console.opens("/inbox", viewport=PHONE, has_touch=True) as seen:
        seen.page.get_by_role("button", name="Go to or find").click()
        expect(seen.page.get_by_role("option", name="Build a shed", exact=True)).to_be_visible()
        assert accessibility_findings(seen.page) == []
        assert not seen.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1")
        seen.page.get_by_role("combobox", name=re.compile("^Pages, sessions")).fill("no such words anywhere")
        expect(seen.page.get_by_text("Nothing has these words.")).to_be_visible()
        seen.page.get_by_role("combobox", name=re.compile("^Pages, sessions")).fill("shed")
        seen.page.get_by_role("option", name="Build a shed").first.tap()

        expect(seen.page.get_by_role("heading", name="Build a shed")).to_be_visible()
