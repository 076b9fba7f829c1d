"""What somebody looks for is found, also when much else lies before it."""

from playwright.sync_api import expect

from tests.console.console_server import ConsoleServer

ONE_PAGE = 50
"""Sessions that the list shows before somebody asks for more."""
MORE_THAN_A_PAGE_OF_LOOKS = 130


def test_the_filter_finds_a_session_that_is_not_shown_yet(console: ConsoleServer) -> None:
    agent = console.agent("planner")
    agent.post("/sessions", purpose="Mend the roof")
    for number in range(ONE_PAGE):
        agent.post("/sessions", purpose=f"Errand {number}")

    with console.opens("/sessions") as seen:
        expect(seen.page.get_by_text(f"Errand {ONE_PAGE - 1}")).to_be_visible()
        expect(seen.page.get_by_text("Mend the roof")).to_have_count(0)
        seen.page.get_by_label("Filter sessions").fill("roof")

        expect(seen.page.get_by_text("Mend the roof")).to_be_visible()


def test_the_log_shows_what_was_done_behind_all_that_was_only_read(console: ConsoleServer) -> None:
    agent = console.agent("planner")
    session = agent.post("/sessions", purpose="Read a lot")["session_id"]
    agent.post(f"/sessions/{session}/notes", content="The one change")
    for _ in range(MORE_THAN_A_PAGE_OF_LOOKS):
        agent.get(f"/sessions/{session}/notes")

    with console.opens("/audit") as seen:
        seen.page.get_by_label("Session").fill(session)

        expect(seen.page.get_by_role("cell", name="Note added")).to_be_visible()
        expect(seen.page.get_by_role("cell", name="Notes read")).to_have_count(0)


def test_a_hit_in_a_draft_opens_the_manuscript(console: ConsoleServer) -> None:
    agent = console.agent("writer")
    session = agent.post("/sessions", purpose="Write about bees")["session_id"]
    agent.put(f"/sessions/{session}/draft/hives", title="Where they live", content="A skep is woven of straw.")

    with console.opens("/notebooks") as seen:
        seen.page.get_by_label("Search the notebooks").fill("skep")
        seen.page.get_by_label("Everything").check()
        seen.page.keyboard.press("/")
        expect(seen.page.get_by_label("Search the notebooks")).to_be_focused()
        seen.page.get_by_role("list", name="Search hits").get_by_text("Where they live").first.click()

        expect(seen.page.get_by_role("heading", name="Where they live")).to_be_visible()
        assert seen.page.url.endswith(f"/sessions/{session}/draft/hives")
