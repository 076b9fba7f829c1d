"""Every page with the data of the demo: what it shows, and whether everybody can use it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import LINK, ConsoleServer, need_built_page, signed_in
from tests.e2e.program import Program, at_terminal

PURPOSE = "coffee machine"
PATHS = {
    "now": "/",
    "inbox": "/inbox",
    "approval": "/inbox/approval/d1",
    "decision": "/decisions/d1",
    "sessions": "/sessions",
    "corkboard": "/sessions/{id}",
    "manuscript": "/sessions/{id}/draft",
    "checklist": "/sessions/{id}/plan",
    "messages": "/sessions/{id}/messages",
    "questions": "/sessions/{id}/questions",
    "activity": "/sessions/{id}/activity",
    "notebooks": "/notebooks",
    "trash": "/notebooks/trash",
    "upstreams": "/gateway",
    "tools": "/gateway/tools",
    "quarantine": "/gateway/quarantine",
    "rules": "/gateway/rules",
    "calls": "/gateway/calls",
    "call": "/gateway/calls/{call}",
    "intents": "/gateway/intents",
    "costs": "/costs",
    "audit": "/audit",
    "notices": "/notifiers",
    "connect": "/connect",
}


@pytest.fixture(scope="module")
def console(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleServer]:
    """The demo after its story, as somebody finds it who did not answer."""
    need_built_page()
    folder: Path = tmp_path_factory.mktemp("demo")
    with at_terminal(Program(folder), "demo", "--fast", "--patience", "0", "--data-dir", str(folder)) as terminal:
        terminal.shows("Sign in")
        link = LINK.search(terminal.shown)
        assert link, terminal.shown
        terminal.shows("The table stays")
        yield ConsoleServer(link[1].partition("/login")[0], browser, signed_in(browser, link[1]))


@pytest.fixture(scope="module")
def session(console: ConsoleServer) -> str:
    found = console.agent("watcher").get("/overview")["sessions"]
    return str(next(each["session_id"] for each in found if PURPOSE in each["purpose"]))


@pytest.fixture(scope="module")
def call(console: ConsoleServer) -> str:
    return str(console.agent("watcher").get("/calls")["calls"][0]["call_id"])


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".loading")).to_have_count(0)


def overflows(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"))


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", PATHS)
def test_nobody_is_kept_out_of_a_page(console: ConsoleServer, session: str, call: str, name: str, colours: str) -> None:
    with console.opens(PATHS[name].format(id=session, call=call), color_scheme=colours) as seen:
        settled(seen.page)

        assert accessibility_findings(seen.page) == []


@pytest.mark.parametrize("name", PATHS)
def test_a_page_fits_on_a_phone(console: ConsoleServer, session: str, call: str, name: str) -> None:
    with console.opens(PATHS[name].format(id=session, call=call), viewport=PHONE, has_touch=True) as seen:
        settled(seen.page)

        assert not overflows(seen.page)
        assert accessibility_findings(seen.page) == []


@pytest.mark.parametrize("width", [820, 1_000, 1_240])
@pytest.mark.parametrize("name", ["audit", "calls"])
def test_a_wide_table_fits_into_a_window_of_any_width(console: ConsoleServer, name: str, width: int) -> None:
    with console.opens(PATHS[name], viewport={"width": width, "height": 800}) as seen:
        settled(seen.page)

        assert not overflows(seen.page)


def test_a_long_purpose_leaves_room_for_the_name_of_the_tool(console: ConsoleServer) -> None:
    with console.opens("/gateway/calls") as seen:
        settled(seen.page)
        row = seen.page.get_by_role("table", name="Recent calls").get_by_role("row").nth(1)
        purpose = row.get_by_role("cell").nth(3).get_by_role("link").locator("bdi")
        purpose.evaluate("(text) => { text.textContent = 'every invoice in every currency '.repeat(12) }")

        lines = row.get_by_role("link").first.evaluate("(link) => link.getClientRects().length")

        assert lines <= 2


def test_a_long_purpose_takes_three_lines_among_the_calls_of_a_phone(console: ConsoleServer) -> None:
    with console.opens("/gateway/calls", viewport=PHONE, has_touch=True) as seen:
        settled(seen.page)
        purpose = seen.page.locator("td[data-name=Session] a").first
        purpose.locator("bdi").evaluate(
            "(text) => { text.textContent = 'every invoice in every currency '.repeat(12) }"
        )
        box = purpose.bounding_box()

        assert box
        assert box["height"] < 85


def test_the_inbox_shows_both_questions_and_the_call_that_waits(console: ConsoleServer) -> None:
    with console.opens() as seen:
        listed = seen.page.get_by_role("list", name="Open decisions").get_by_role("link")

        expect(listed).to_have_count(3)
        expect(listed.filter(has_text="send_summary")).to_have_count(1)
        expect(listed.first.get_by_text("Blocking")).to_be_visible()
        expect(listed.first).to_have_attribute("aria-current", "true")
        expect(seen.page.get_by_role("article")).to_have_count(1)
        expect(seen.page).to_have_title("(3) Inbox · Longtable")


@pytest.mark.parametrize("late", ["questions", "decisions"])
def test_the_first_of_the_inbox_is_open_whichever_part_of_it_comes_last(console: ConsoleServer, late: str) -> None:
    with console.opens("/sessions") as seen:
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        seen.page.route(re.compile(rf"/{late}\?.*status="), hold)
        seen.page.goto("/#/inbox")
        listed = seen.page.get_by_role("list", name="Open decisions").get_by_role("link")
        expect(listed.first).to_be_visible()

        for route in held:
            route.continue_()

        expect(listed).to_have_count(3)
        expect(listed.first).to_have_attribute("aria-current", "true")


def test_the_sessions_tell_how_far_they_are(console: ConsoleServer, session: str) -> None:
    with console.opens("/sessions") as seen:
        expect(seen.page.get_by_role("link").filter(has_text=PURPOSE).first).to_be_visible()
        expect(seen.page.get_by_role("progressbar").first).to_be_visible()

        seen.page.get_by_role("link").filter(has_text=PURPOSE).first.click()

        expect(seen.page.get_by_role("heading", level=1)).to_contain_text(PURPOSE)
        assert session in seen.page.url


def test_a_call_is_opened_from_the_list_and_shows_what_was_in_it(console: ConsoleServer) -> None:
    with console.opens("/gateway/calls") as seen:
        row = seen.page.get_by_role("table", name="Recent calls").get_by_role("row").nth(1)
        name = row.get_by_role("link").first.inner_text()
        row.get_by_role("link", name=name).click()

        expect(seen.page.get_by_role("heading", name=name)).to_be_visible()
        expect(seen.page.get_by_role("region", name="The arguments of the call")).to_be_visible()
        expect(seen.page.get_by_text("The tool as its upstream defined it then")).to_be_visible()
        assert "/gateway/calls/call_" in seen.page.url
        seen.page.reload()
        expect(seen.page.get_by_role("button", name="Copy link")).to_be_visible()


def test_the_slider_leads_through_the_versions_and_shows_what_changed(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/draft") as seen:
        settled(seen.page)
        seen.page.get_by_role("button", name="History").first.click()
        slider = seen.page.get_by_role("slider", name="Version").first
        latest = int(slider.get_attribute("aria-valuenow") or slider.input_value())

        slider.focus()
        seen.page.keyboard.press("ArrowLeft")

        expect(seen.page.get_by_text(f"Version {latest - 1} of {latest}").first).to_be_visible()
        seen.page.get_by_role("switch").or_(seen.page.get_by_role("checkbox")).first.click()
        expect(seen.page.locator(".diff ins, .diff td[data-change=added]").first).to_be_visible()


def test_a_wrong_cell_is_marked_at_its_line_and_column(console: ConsoleServer) -> None:
    pads = console.agent("watcher").get("/scratchpads")["scratchpads"]
    wrong = next(found for pad in pads for found in _errors(console, pad["scratch_id"]))

    with console.opens(f"/notebooks/pad/{wrong.pad}") as seen:
        seen.page.get_by_role("button", name="Check all").click()
        found = seen.page.get_by_role("list", name="What was found")

        place = found.get_by_text(f"cell {wrong.cell}, line {wrong.line}, column {wrong.column}")
        expect(place.first).to_be_visible()
        marked = seen.page.get_by_role("article", name=f"Cell {wrong.cell}").locator(f"[data-line='{wrong.line}']")
        expect(marked.first).to_be_visible()
        expect(seen.page.get_by_text(wrong.message).first).to_be_visible()


@dataclass(frozen=True)
class Wrong:
    pad: str
    cell: int
    line: int
    column: int
    message: str


def _errors(console: ConsoleServer, pad: str) -> Iterator[Wrong]:
    for result in console.agent("watcher").post(f"/scratchpads/{pad}/validate")["results"]:
        for error in result["errors"]:
            yield Wrong(pad, result["cell_index"] + 1, error["line"], error["column"], error["message"])


def test_search_answers_while_one_types(console: ConsoleServer) -> None:
    with console.opens("/notebooks") as seen:
        settled(seen.page)
        seen.page.keyboard.press("/")

        seen.page.keyboard.type("pric", delay=30)

        expect(seen.page.locator("mark").first).to_be_visible()


def test_the_audit_log_is_verified_in_the_page(console: ConsoleServer) -> None:
    with console.opens("/audit") as seen:
        seen.page.get_by_role("button", name="Verify").click()

        expect(seen.page.get_by_text("the chain holds").first).to_be_visible(timeout=60_000)
