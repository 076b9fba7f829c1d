"""What models cost, by day, agent and session; and the audit log, which follows what happens."""

from playwright.sync_api import expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer


def test_the_page_of_costs_tells_how_to_report_before_anybody_has(console: ConsoleServer) -> None:
    with console.opens("/costs") as seen:
        expect(seen.page.get_by_role("heading", name="No costs yet")).to_be_visible()
        expect(seen.page.get_by_text("report_usage(")).to_be_visible()
        assert accessibility_findings(seen.page) == []


def test_costs_are_shown_by_day_agent_and_session_and_narrowed_in_the_address(console: ConsoleServer) -> None:
    session = console.agent("ann").post("/sessions", purpose="Build a shed")["session_id"]
    for name, tokens, cost in (("ann", 9_000, 1.5), ("bob", 1_000, 0.25)):
        used = {"model": "m-1", "input_tokens": tokens, "output_tokens": 10, "cost": cost}
        console.agent(name).post(f"/sessions/{session}/usage", **used)

    with console.opens("/costs") as seen:
        page = seen.page
        agents = page.get_by_role("table", name="By agent, the largest first")
        expect(agents.get_by_role("row")).to_have_count(3)
        expect(agents.get_by_role("row").nth(1)).to_contain_text("ann")
        expect(page.get_by_role("table", name="By session")).to_contain_text("Build a shed")
        expect(page.get_by_role("img", name="Cost of each of 30 days")).to_be_visible()
        assert accessibility_findings(page) == []

        page.get_by_label("Period").select_option("7 days")
        page.get_by_role("button", name="Tokens").click()
        agents.get_by_role("link", name="bob").click()
        expect(page.get_by_text("Only agent bob")).to_be_visible()
        page.reload()
        expect(page.get_by_role("img", name="Tokens of each of 7 days")).to_be_visible()
        expect(agents.get_by_role("row")).to_have_count(2)
        page.get_by_role("button", name="Show every agent again").click()
        expect(agents.get_by_role("row")).to_have_count(3)

        console.agent("cleo").post(f"/sessions/{session}/usage", model="m", input_tokens=5, output_tokens=5)
        console.agent("cleo").post(f"/sessions/{session}/notes", content="Done")
        expect(agents.get_by_role("row")).to_have_count(4)


def test_costs_fit_on_a_phone(console: ConsoleServer) -> None:
    with console.opens("/costs", viewport=PHONE, color_scheme="dark") as seen:
        expect(seen.page.get_by_role("heading", name="Costs", level=1)).to_be_visible()
        expect(seen.page.locator(".loading")).to_have_count(0)

        assert accessibility_findings(seen.page) == []
        assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")


def test_the_audit_log_follows_what_happens_and_keeps_the_filter(console: ConsoleServer) -> None:
    ann = console.agent("ann")
    session = ann.post("/sessions", purpose="Watched")["session_id"]

    with console.opens(f"/audit?session_id={session}&event_type=note_added") as seen:
        page = seen.page
        records = page.get_by_role("table", name="Records, newest first").locator("tbody tr")
        expect(page.get_by_role("heading", name="No record fits")).to_be_visible()
        ann.post(f"/sessions/{session}/notes", content="One")
        expect(records).to_have_count(1)
        ann.post(f"/sessions/{session}/tasks", tasks=[{"description": "Not a note"}])
        ann.post(f"/sessions/{session}/notes", content="Two")
        expect(records).to_have_count(2)
        expect(page.get_by_label("Session")).to_have_value(session)
        assert f"session_id={session}" in page.url


def test_a_reader_of_an_old_record_keeps_the_place_until_they_ask_for_the_newer(console: ConsoleServer) -> None:
    ann = console.agent("ann")
    session = ann.post("/sessions", purpose="Read")["session_id"]
    for number in range(30):
        ann.post(f"/sessions/{session}/notes", content=f"Note {number}")

    with console.opens(f"/audit?session_id={session}", viewport={"width": 1000, "height": 600}) as seen:
        page = seen.page
        details = page.get_by_role("button", name="Details of record").nth(20)
        details.scroll_into_view_if_needed()
        details.click()
        before = details.bounding_box()
        ann.post(f"/sessions/{session}/notes", content="Newest")

        newer = page.get_by_role("button", name="1 newer record")
        expect(newer).to_be_visible()
        assert details.bounding_box() == before
        assert accessibility_findings(page) == []
        newer.click()
        expect(newer).to_have_count(0)
        expect(page.get_by_role("table", name="Records").locator("tbody tr").first).to_contain_text("Note added")
