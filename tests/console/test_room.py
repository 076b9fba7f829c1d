"""Room for what people came to read: heads that fold, runs in one block, lists that can be searched and sorted."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer

MAGNIFIED = {"width": 640, "height": 400}
"""What a window of 1280 by 800 has at 200 %."""


@pytest.fixture(scope="module")
def session(console: ConsoleServer) -> str:
    ann, bob = console.agent("ann"), console.agent("bob")
    session: str = ann.post("/sessions", purpose="Build a shed behind the house")["session_id"]
    ann.post(f"/sessions/{session}/tasks", tasks=[{"description": "Saw the boards"}])
    ann.post(f"/sessions/{session}/questions", question="Which colour?")
    for number in range(30):
        (ann if number < 25 else bob).post(f"/sessions/{session}/messages", content=f"Word {number} about boards")
    bob.post(f"/sessions/{session}/messages", content="The varnish is sticky")
    return session


def messages(page: Page, session: str) -> float:
    """The height of the list."""
    box = page.get_by_role("region", name="Messages", exact=True)
    expect(box.get_by_text("The varnish is sticky")).to_be_visible()
    box.scroll_into_view_if_needed()
    measured = box.bounding_box()
    assert measured
    return measured["height"]


@pytest.mark.parametrize(("size", "share"), [(PHONE, 0.6), (MAGNIFIED, 0.5)], ids=["phone", "200 %"])
def test_the_messages_have_most_of_a_small_window(
    console: ConsoleServer, session: str, size: dict[str, int], share: float
) -> None:
    with console.opens(f"/sessions/{session}/messages", viewport=size, has_touch=True) as seen:
        height = messages(seen.page, session)

        print(f"{height:.0f} of {size['height']} px are messages")
        assert height >= share * size["height"]
        assert accessibility_findings(seen.page) == []


def test_the_head_folds_to_one_line_and_stays_as_it_was_left(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}") as seen:
        page = seen.page
        fold = page.get_by_role("button", name="Head of the session")
        expect(page.get_by_text("Expires")).to_be_visible()
        fold.click()
        expect(page.get_by_text("Expires")).to_have_count(0)
        expect(fold).to_have_attribute("aria-expanded", "false")
        expect(page.get_by_role("link", name="1 open questions")).to_be_visible()
        assert accessibility_findings(page) == []

        page.reload()

        expect(page.get_by_role("heading", name="Build a shed")).to_be_visible()
        expect(page.get_by_text("Expires")).to_have_count(0)
        fold.click()
        expect(page.get_by_text("Expires")).to_be_visible()


def test_a_senders_run_of_messages_is_one_block(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/messages") as seen:
        box = seen.page.get_by_role("region", name="Messages", exact=True)
        expect(box.get_by_text("The varnish is sticky")).to_be_visible()
        first = box.get_by_role("article", name="Message 26 by bob")
        next_one = box.get_by_role("article", name="Message 27 by bob")
        expect(first.get_by_text("bob", exact=True)).to_be_visible()
        expect(next_one.get_by_text("bob", exact=True)).to_have_count(0)
        above, below = first.bounding_box(), next_one.bounding_box()

    assert above
    assert below
    assert abs(above["y"] + above["height"] - below["y"]) <= 2


def test_messages_are_searched_and_a_hit_is_shown_among_its_neighbours(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/messages") as seen:
        page = seen.page
        page.get_by_label("Search the messages").fill("varnish")
        page.get_by_role("list", name="Messages found").get_by_role("link").click()

        expect(page.get_by_role("article", name="Message 31 by bob")).to_be_in_viewport()
        assert page.url.endswith(f"/sessions/{session}/messages/31")


def test_a_day_leads_to_its_first_message(console: ConsoleServer, session: str) -> None:
    yesterday = datetime.now(tz=UTC) - timedelta(days=1)

    with console.opens(f"/sessions/{session}/messages") as seen:
        page = seen.page
        page.get_by_label("Go to a day").fill("2999-01-01")
        expect(page.get_by_text("Nothing was said since then.")).to_be_visible()
        page.get_by_label("Go to a day").fill(yesterday.date().isoformat())

        expect(page.get_by_role("article", name="Message 1 by ann")).to_be_in_viewport()


def test_a_day_is_typed_to_its_last_digit_before_the_page_goes_there(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/messages") as seen:
        page = seen.page
        day = page.get_by_label("Go to a day")
        day.focus()
        page.keyboard.type("0101202")
        expect(day).to_have_value("0202-01-01")
        page.keyboard.type("0")

        expect(page.get_by_role("article", name="Message 1 by ann")).to_be_in_viewport()


def test_the_field_for_a_day_looks_like_the_field_beside_it(console: ConsoleServer, session: str) -> None:
    look = "field => { const { backgroundColor, borderColor, minHeight } = getComputedStyle(field);"
    look += " return [backgroundColor, borderColor, minHeight]; }"
    with console.opens(f"/sessions/{session}/messages", color_scheme="dark") as seen:
        day = seen.page.get_by_label("Go to a day").evaluate(look)

        assert day == seen.page.get_by_label("Search the messages").evaluate(look)


def test_activity_has_days_and_the_clock_and_folds_bursts(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/activity") as seen:
        page = seen.page
        expect(page.get_by_role("heading", name=re.compile("Today|Yesterday")).first).to_be_visible()
        activity = page.get_by_role("list", name="Activity, newest first")
        assert re.search(r"\d{1,2}:\d{2}:\d{2}", activity.locator("time").first.inner_text())
        more = activity.get_by_role("button", name="and 24 more like it")
        expect(more).to_be_visible()
        before = activity.locator("time").count()
        more.click()
        expect(activity.get_by_role("button", name="Fold").first).to_be_visible()
        assert activity.locator("time").count() > before
        assert accessibility_findings(page) == []


def test_sessions_are_sorted_and_the_order_is_in_the_address(console: ConsoleServer, session: str) -> None:
    console.agent("ann").post("/sessions", purpose="Zebra crossing")
    console.agent("ann").post("/sessions", purpose="Apple pie")

    with console.opens("/sessions") as seen:
        page = seen.page
        page.get_by_label("Order of the sessions").select_option("By purpose")
        titles = page.get_by_role("list", name="Sessions").get_by_role("heading")
        expect(titles).to_have_text(["Apple pie", "Build a shed behind the house", "Zebra crossing"])
        page.reload()
        expect(titles.first).to_have_text("Apple pie")
        page.get_by_label("Order of the sessions").select_option("Most waits for people")
        expect(titles.first).to_have_text("Build a shed behind the house")
