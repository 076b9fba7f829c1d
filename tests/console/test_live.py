"""What agents do is seen at once, without a reload."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import accessibility_findings
from tests.console.console_server import ConsoleServer, RestAgent

ID = "live"


@pytest.fixture(scope="module")
def agent(console: ConsoleServer) -> RestAgent:
    writer = console.agent("writer")
    writer.post("/sessions", session_id=ID, purpose="Seen at once")
    writer.put(f"/sessions/{ID}/draft/intro", title="Opening", content="The first words.")
    writer.post(f"/sessions/{ID}/tasks", tasks=[{"description": "Weigh the beans"}])
    return writer


def is_live(page: Page) -> None:
    expect(page.locator("[data-connection=live]")).to_have_count(1)


def test_a_note_appears_on_the_corkboard(console: ConsoleServer, agent: RestAgent) -> None:
    with console.opens(f"/sessions/{ID}") as seen:
        expect(seen.page.get_by_role("heading", name="Seen at once", level=1)).to_be_visible()
        is_live(seen.page)

        agent.post(f"/sessions/{ID}/notes", content="Coffee costs 3 EUR.", tags=["price"])

        expect(seen.page.get_by_text("Coffee costs 3 EUR.").first).to_be_visible()


def test_a_new_version_of_a_section_appears_in_the_manuscript(console: ConsoleServer, agent: RestAgent) -> None:
    with console.opens(f"/sessions/{ID}/draft") as seen:
        expect(seen.page.get_by_text("The first words.").first).to_be_visible()
        is_live(seen.page)

        agent.put(f"/sessions/{ID}/draft/intro", title="Opening", content="The second words.")

        expect(seen.page.get_by_text("The second words.").first).to_be_visible()
        expect(seen.page.get_by_text("The first words.")).to_have_count(0)


def test_a_claimed_task_moves_on_the_checklist(console: ConsoleServer, agent: RestAgent) -> None:
    task = agent.get(f"/sessions/{ID}/plan")["tasks"][0]["id"]

    with console.opens(f"/sessions/{ID}/plan") as seen:
        pending = seen.page.get_by_role("region", name=re.compile("pending", re.I))
        working = seen.page.get_by_role("region", name=re.compile("in progress", re.I))
        expect(pending.get_by_text("Weigh the beans")).to_be_visible()
        is_live(seen.page)

        agent.post(f"/sessions/{ID}/tasks/{task}", status="in_progress", assigned_to="writer")

        expect(working.get_by_text("Weigh the beans")).to_be_visible()
        expect(pending.get_by_text("Weigh the beans")).to_have_count(0)


def test_a_message_appears_in_the_conversation(console: ConsoleServer, agent: RestAgent) -> None:
    with console.opens(f"/sessions/{ID}/messages") as seen:
        expect(seen.page.get_by_role("heading", name="Seen at once", level=1)).to_be_visible()
        is_live(seen.page)

        agent.post(f"/sessions/{ID}/messages", content="I disagree about the beans.")

        expect(seen.page.get_by_text("I disagree about the beans.").first).to_be_visible()


def test_a_session_appears_in_the_list(console: ConsoleServer, agent: RestAgent) -> None:
    with console.opens("/sessions") as seen:
        expect(seen.page.get_by_text("Seen at once").first).to_be_visible()
        is_live(seen.page)

        agent.post("/sessions", purpose="A table that was just opened")

        expect(seen.page.get_by_text("A table that was just opened").first).to_be_visible()


def test_a_question_is_counted_in_the_title_and_the_icon(console: ConsoleServer, agent: RestAgent) -> None:
    with console.opens("/notebooks") as seen:
        expect(seen.page).to_have_title("Notebooks · Longtable")
        is_live(seen.page)

        agent.post(f"/sessions/{ID}/questions", question="Beans or capsules?")

        expect(seen.page).to_have_title("(1) Notebooks · Longtable")
        expect(seen.page.locator("link[rel=icon]")).to_have_attribute("href", re.compile("^data:image/svg"))


def test_reserved_files_are_seen_above_the_checklist_and_can_be_released(
    console: ConsoleServer, agent: RestAgent
) -> None:
    with console.opens(f"/sessions/{ID}/plan") as seen:
        expect(seen.page.get_by_role("heading", name="Seen at once", level=1)).to_be_visible()
        is_live(seen.page)

        agent.post(f"/sessions/{ID}/reservations", paths=["src/**", "docs/*.md"], reason="New <b>login</b>")

        reserved = seen.page.get_by_role("list", name="Reserved files")
        expect(reserved.get_by_role("listitem")).to_have_count(2)
        expect(reserved).to_contain_text("writer")
        expect(reserved).to_contain_text("New <b>login</b>")
        assert accessibility_findings(seen.page) == []

        reserved.get_by_role("button", name="Release src/**").click()
        seen.page.get_by_role("dialog").get_by_role("button", name="Release", exact=True).click()

        expect(reserved.get_by_role("listitem")).to_have_count(1)
        assert [each["path"] for each in agent.get(f"/sessions/{ID}/reservations")["reservations"]] == ["docs/*.md"]
