"""Where there is nothing to show, too much of it, or little room: a page keeps its shape and its reader's place."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.chromium import DESKTOP, PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer, serving_console
from tests.e2e.servers import Processes

PATHS = ["/", "/inbox", "/sessions", "/notebooks", "/notebooks/trash", "/gateway", "/audit", "/connect"]
LONG = "unbreakable" * 9
TAGS = [f"{number}-{LONG}"[:60] for number in range(12)]
_OUTSIDE = """
() => [...document.querySelectorAll("main :is(p, a, button, input, td, th, h2)")]
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && each.closest(".tabs, .wide, .virtual, pre, ul") === null)
  .map((each) => each.textContent.slice(0, 40))
"""

_FIRST_LETTER_IS_INSIDE = """title => {
  const letter = document.createRange();
  const text = document.createTreeWalker(title, NodeFilter.SHOW_TEXT).nextNode();
  letter.setStart(text, 0);
  letter.setEnd(text, 1);
  const [at, box] = [letter.getBoundingClientRect(), title.getBoundingClientRect()];
  return at.left >= box.left - 1 && at.right <= box.right + 1;
}"""


@pytest.fixture(scope="module")
def empty(browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleServer]:
    with serving_console(browser, processes, tmp_path_factory.mktemp("empty")) as started:
        yield started


@pytest.fixture(scope="module")
def console(
    browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ConsoleServer]:
    """With one session whose every name is longer than a line."""
    with serving_console(browser, processes, tmp_path_factory.mktemp("long")) as started:
        agent = started.agent(LONG)
        agent.post("/sessions", session_id="long-names", purpose=f"{LONG} " * 20)
        agent.post("/sessions/long-names/notes", content=LONG, tags=[LONG[:60]])
        agent.post("/sessions", session_id="many-tags", purpose="Tags")
        agent.post("/sessions/many-tags/notes", content=f"| a | b |\n|---|---|\n| {'wide' * 99} | 1 |", tags=TAGS)
        agent.post("/sessions/long-names/questions", question=LONG * 3, options=[LONG * 3, "No"])
        described: dict[str, Any] = {"title": LONG * 2, "tags": [LONG[:60]]}
        agent.post("/scratchpads", scratch_id=LONG, metadata=described, cells=[])
        yield started


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".loading")).to_have_count(0)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_of_a_new_server_fits_on_a_phone(empty: ConsoleServer, path: str) -> None:
    with empty.opens(path, viewport=PHONE, has_touch=True) as seen:
        settled(seen.page)

        assert seen.page.evaluate(_OUTSIDE) == []


@pytest.mark.parametrize("path", [*PATHS, "/sessions/long-names"])
def test_long_names_stay_inside_the_window(console: ConsoleServer, path: str) -> None:
    with console.opens(path) as seen:
        settled(seen.page)

        assert seen.page.evaluate(_OUTSIDE) == []


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_many_long_tags_leave_room_for_the_corkboard(console: ConsoleServer, size: Any) -> None:
    with console.opens("/sessions/many-tags", viewport=size) as seen:
        settled(seen.page)
        more = seen.page.get_by_label("More tags").bounding_box()

        assert more
        assert more["width"] < 200
        assert seen.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert accessibility_findings(seen.page) == [], "a wide table in a note is reached by keyboard"


def test_the_name_of_the_product_stays_on_one_line_beside_a_long_name(console: ConsoleServer) -> None:
    with console.opens("/inbox", viewport=PHONE) as seen:
        settled(seen.page)
        seen.page.locator(".who > .clip").evaluate("(name, long) => { name.textContent = long }", LONG)
        product = seen.page.get_by_role("link", name="Longtable").bounding_box()

        assert product
        assert product["height"] < 40
        assert seen.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_what_to_write_with_lies_beside_the_messages_in_a_low_window(console: ConsoleServer) -> None:
    console.agent("critic").post("/sessions/long-names/messages", content="Can you see me?")

    with console.opens("/sessions/long-names/messages", viewport={"width": 640, "height": 400}) as seen:
        settled(seen.page)
        said = seen.page.get_by_text("Can you see me?").bounding_box()
        field = seen.page.get_by_placeholder("Say something to the table").bounding_box()

    assert said
    assert field
    assert said["y"] + said["height"] <= field["y"]


def test_whoever_follows_a_link_by_key_arrives_inside_the_page(console: ConsoleServer) -> None:
    with console.opens("/sessions") as seen:
        seen.page.get_by_role("link").filter(has_text=LONG).first.focus()

        seen.page.keyboard.press("Enter")

        expect(seen.page.get_by_role("tab", name="Corkboard")).to_be_visible()
        expect(seen.page.locator("#content")).to_be_focused()


def test_a_session_whose_time_runs_out_is_shown_as_over(console: ConsoleServer) -> None:
    console.agent("planner").post("/sessions", session_id="brief", purpose="Soon over", ttl="5s")

    with console.opens("/sessions/brief/messages") as seen:
        expect(seen.page.get_by_placeholder("Say something to the table")).to_be_visible()

        expect(seen.page.get_by_text("The time of this session is over.")).to_be_visible(timeout=60_000)
        expect(seen.page.get_by_placeholder("Say something to the table")).to_have_count(0)


def test_a_long_purpose_is_short_until_somebody_asks_for_the_whole(console: ConsoleServer) -> None:
    with console.opens("/sessions/long-names") as seen:
        title = seen.page.get_by_role("heading", level=1)
        whole = seen.page.get_by_role("button", name="The whole purpose")
        expect(whole).to_have_attribute("aria-expanded", "false")
        hidden = "title => title.scrollHeight > title.clientHeight + 2"
        assert title.evaluate(hidden)
        whole.click()

        expect(whole).to_have_attribute("aria-expanded", "true")
        assert not title.evaluate(hidden)


def test_what_is_cut_off_a_purpose_from_right_to_left_is_its_end(console: ConsoleServer) -> None:
    """As if it were written from left to right, the reader saw its last words."""
    console.agent("ann").post(
        "/sessions", session_id="from-the-right", purpose="ترحيل خدمات الفوترة إلى الدفتر الجديد " * 4
    )

    with console.opens("/sessions/from-the-right/messages", viewport=PHONE, has_touch=True) as seen:
        title = seen.page.get_by_role("heading", level=1)
        expect(title).to_contain_text("ترحيل")

        assert title.evaluate(_FIRST_LETTER_IS_INSIDE)


def test_a_long_session_id_takes_two_lines_of_the_log(console: ConsoleServer) -> None:
    name = "s" * 60
    console.agent("ann").post("/sessions", session_id=name, purpose="Long id")

    with console.opens("/audit", viewport={"width": 1280, "height": 800}) as seen:
        link = seen.page.get_by_role("link", name=name).first
        expect(link).to_have_attribute("title", name)
        box = link.bounding_box()

        assert box
        assert box["height"] < 50


def test_all_that_can_be_done_with_a_cell_is_inside_a_phone(console: ConsoleServer) -> None:
    cells = [{"language": "json", "content": "{}"}]
    agent = console.agent("ann")
    agent.post("/scratchpads", scratch_id="one-cell", metadata={"title": "One cell"}, cells=cells)

    with console.opens("/notebooks/pad/one-cell", viewport=PHONE, has_touch=True) as seen:
        expect(seen.page.get_by_role("button", name="Redact cell 1")).to_be_in_viewport(ratio=1)
