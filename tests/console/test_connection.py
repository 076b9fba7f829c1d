"""A lost connection shows, recovers by itself and misses nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.console.chromium import WatchedWindow
from tests.console.console_server import QUIET, ConsoleServer, link_to, need_built_page, signed_in
from tests.e2e.servers import Processes, Server

LOST = "The connection is lost"
BY_THE_BREAK = ("Failed to load resource", "net::ERR", "network error")


@pytest.fixture
def own(browser: Browser, processes: Processes, tmp_path: Path) -> tuple[ConsoleServer, Server]:
    """A console whose server the test may end."""
    need_built_page()
    server = processes.serve({"data_dir": str(tmp_path), **QUIET})
    return ConsoleServer(server.address, browser, signed_in(browser, link_to(server, tmp_path))), server


def marked(page: Page) -> None:
    """Leaves a mark in the page that a reload would wipe away."""
    page.evaluate("window.stillTheSame = true")


def is_still_the_same(page: Page) -> bool:
    return bool(page.evaluate("window.stillTheSame === true"))


def shows_all(seen: WatchedWindow, texts: list[str]) -> None:
    for text in texts:
        expect(seen.page.get_by_text(text, exact=True).first).to_be_visible(timeout=60_000)


def test_what_happens_while_the_network_is_away_is_shown_when_it_is_back(console: ConsoleServer) -> None:
    agent = console.agent("researcher")
    agent.post("/sessions", session_id="offline", purpose="A break in the line")
    agent.post("/sessions/offline/notes", content="Before the break.")

    with console.opens("/sessions/offline") as seen:
        shows_all(seen, ["Before the break."])
        marked(seen.page)
        seen.context.set_offline(True)
        expect(seen.page.get_by_text(LOST)).to_be_visible(timeout=60_000)
        texts = [f"Finding {number} of the break." for number in range(5)]
        for text in texts:
            agent.post("/sessions/offline/notes", content=text)
        seen.context.set_offline(False)

        shows_all(seen, texts)
        expect(seen.page.get_by_text(LOST)).to_have_count(0)
        assert is_still_the_same(seen.page)
        seen.forgive(*BY_THE_BREAK)


def test_a_part_that_was_never_open_comes_when_the_server_is_back(console: ConsoleServer) -> None:
    agent = console.agent("researcher")
    agent.post("/sessions", session_id="unopened", purpose="A break before the plan was seen")
    agent.post("/sessions/unopened/tasks", tasks=[{"description": "Mend the line"}])

    with console.opens("/sessions/unopened") as seen:
        marked(seen.page)
        plan = seen.page.get_by_role("tab", name="Checklist")
        expect(plan).to_be_visible()
        seen.context.set_offline(True)
        plan.click()
        expect(seen.page.get_by_text("Loading checklist")).to_be_visible()
        expect(plan).to_be_visible()
        seen.context.set_offline(False)

        shows_all(seen, ["Mend the line"])
        assert is_still_the_same(seen.page)
        seen.forgive(*BY_THE_BREAK)


def test_a_server_that_was_killed_and_started_again_is_found_again(
    own: tuple[ConsoleServer, Server], processes: Processes, tmp_path: Path
) -> None:
    console, server = own
    agent = console.agent("researcher")
    agent.post("/sessions", session_id="killed", purpose="A server that dies")
    agent.post("/sessions/killed/notes", content="Before the crash.")

    with console.opens("/sessions/killed") as seen:
        shows_all(seen, ["Before the crash."])
        marked(seen.page)
        server.kill()
        expect(seen.page.get_by_text(LOST)).to_be_visible(timeout=60_000)
        processes.serve({"data_dir": str(tmp_path), "http_port": str(server.port), **QUIET})
        texts = [f"Finding {number} after the crash." for number in range(5)]
        for text in texts:
            agent.post("/sessions/killed/notes", content=text)

        shows_all(seen, texts)
        expect(seen.page.get_by_text(LOST)).to_have_count(0)
        assert is_still_the_same(seen.page)
        seen.forgive(*BY_THE_BREAK)


def test_tabs_share_one_stream_and_another_takes_over_when_the_first_is_closed(console: ConsoleServer) -> None:
    agent = console.agent("researcher")
    agent.post("/sessions", session_id="tabs", purpose="Many tabs")

    with console.opens("/sessions/tabs") as seen:
        expect(seen.page.get_by_role("heading", name="Many tabs", level=1)).to_be_visible()
        others = [seen.context.new_page() for _ in range(7)]
        for other in others:
            other.goto("/#/sessions/tabs")
            expect(other.get_by_role("heading", name="Many tabs", level=1)).to_be_visible()
        streams = [address for address in seen.requests if address.endswith("/events")]
        seen.page.close()
        agent.post("/sessions/tabs/notes", content="Heard by all that are left.")

        assert len(streams) == 1
        for other in others:
            expect(other.get_by_text("Heard by all that are left.").first).to_be_visible()
