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
    for version in range(3):
        body = {"content": f"The text as of {version + 1}", "expected_version": version}
        agent.put(f"/sessions/{found}/draft/intro", title="Introduction", **body)
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


@pytest.mark.parametrize(
    ("path", "label", "text"),
    [
        ("sessions", "Filter sessions", "many"),
        ("sessions/{session}/messages", "Search the messages", "number 7"),
    ],
)
def test_what_was_looked_for_in_a_list_stands_in_the_address(
    console: ConsoleServer, session: str, path: str, label: str, text: str
) -> None:
    with console.opens(f"/{path.format(session=session)}") as seen:
        seen.page.get_by_label(label).press_sequentially(text)
        expect(seen.page).to_have_url(re.compile(r"[?&]q=" + text.replace(" ", r"\+")))
        seen.page.reload()

        expect(seen.page.get_by_label(label)).to_have_value(text)


def test_a_message_that_was_looked_for_is_opened_in_its_place(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/messages?q=number+7") as seen:
        found = seen.page.get_by_role("list", name="Messages found, best first")
        found.get_by_role("link", name="Word number 7").click()

        expect(seen.page.get_by_role("article", name="Message 7 by scribe")).to_be_in_viewport()
        expect(seen.page.get_by_label("Search the messages")).to_have_value("")


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


def test_a_version_and_a_comparison_have_addresses(console: ConsoleServer, session: str) -> None:
    with console.opens(f"/sessions/{session}/draft/intro?version=2") as seen:
        expect(seen.page.get_by_text("Version 2 of 3").first).to_be_visible()
        expect(seen.page.get_by_text("The text as of 2")).to_be_visible()

        seen.page.get_by_role("switch", name="Show changes").click()
        expect(seen.page).to_have_url(re.compile(r"version=2&against=previous$"))
        seen.page.reload()

        expect(seen.page.get_by_role("switch", name="Show changes")).to_be_checked()
        expect(seen.page.locator(".diff").first).to_be_visible()


def test_a_record_of_the_audit_log_has_an_address_and_leads_to_its_object(console: ConsoleServer, session: str) -> None:
    pinned = console.agent("scribe").get("/audit", event_type="note_added", session_id=session, limit=MANY)["entries"]
    record = pinned[-1]

    with console.opens(f"/audit/{record['seq']}") as seen:
        row = seen.page.get_by_role("row").filter(has_text="Note added").first
        expect(row).to_have_attribute("aria-current", "true")
        expect(row).to_be_in_viewport()
        expect(seen.page.get_by_role("button", name="Copy link")).to_be_visible()
        row.get_by_role("link", name="note:n1").click()
        expect(seen.page.get_by_role("article", name="Note n1 by scribe")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("place", "label", "value"),
    [
        ("/sessions/{id}/activity?what=notes&by=scribe", "What happened", "notes"),
        ("/notebooks?q=fact&in=everything", "Search the notebooks", "fact"),
        ("/inbox?q=go+on", "Filter the inbox", "go on"),
    ],
)
def test_queries_and_filters_are_there_again(
    console: ConsoleServer, session: str, place: str, label: str, value: str
) -> None:
    with console.opens() as seen:
        seen.page.goto(place.format(id=session))
        for _ in range(2):
            expect(seen.page.get_by_label(label)).to_have_value(value)
            seen.page.reload()


def test_the_view_and_the_thread_stand_in_the_address(console: ConsoleServer, session: str) -> None:
    with console.opens() as seen:
        seen.page.goto(f"/sessions/{session}/plan?view=graph")
        expect(seen.page.get_by_role("radio", name="Graph")).to_be_checked()
        seen.page.get_by_role("radio", name="Board").click()
        expect(seen.page).to_have_url(re.compile(r"view=board$"))

        seen.page.goto(f"/sessions/{session}/messages?thread=9")

        expect(seen.page.get_by_role("dialog", name="Thread").get_by_text("Word number 9")).to_be_visible()


def test_a_question_that_waits_has_an_address_in_the_inbox(console: ConsoleServer, session: str) -> None:
    with console.opens() as seen:
        seen.page.goto(f"/inbox/question/{session}/q1")
        expect(seen.page.get_by_role("article").get_by_role("heading", name="Shall we go on?")).to_be_visible()

        seen.page.goto(f"/inbox/question/{session}/q99")

        expect(seen.page.get_by_text("This waits no longer")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/usage", "Costs"),
        ("/search?q=fact", "Notebooks"),
        ("/notebooks/trash", "Trash"),
        ("/notebooks/plans", "plans"),
    ],
)
def test_addresses_that_people_type_lead_somewhere(console: ConsoleServer, path: str, title: str) -> None:
    console.agent("ann").post("/scratchpads", scratch_id="plans", metadata={"title": "plans"}, cells=[])

    with console.opens() as seen:
        seen.page.goto(path)

        expect(seen.page.get_by_role("heading", level=1, name=title)).to_be_visible()


def test_an_address_under_the_notebooks_that_is_none_says_so(console: ConsoleServer) -> None:
    with console.opens() as seen:
        seen.page.goto("/notebooks/nope")

        expect(seen.page.get_by_text("There is no such scratchpad")).to_be_visible()
        seen.forgive("404")
