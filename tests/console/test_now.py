"""The first page shows who is at work on what, live; people write to one agent and ask it to pause from there."""

from playwright.sync_api import expect

from tests.console.console_server import ConsoleServer


def test_the_first_page_shows_what_each_agent_does_and_waits_for(console: ConsoleServer) -> None:
    ann, bob = console.agent("ann"), console.agent("bob")
    session = ann.post("/sessions", purpose="Build a shed")["session_id"]
    ann.post(f"/sessions/{session}/tasks", tasks=[{"description": "Saw the boards"}])
    ann.calls("claim_task", session, task_id="t1")
    bob.post(f"/sessions/{session}/questions", question="Which colour?", blocking=True)

    with console.opens("/") as seen:
        working = seen.page.get_by_role("article", name="ann at Build a shed")
        expect(working.get_by_role("link", name="Saw the boards")).to_be_visible()
        expect(working.get_by_text("Lease:")).to_be_visible()
        waiting = seen.page.get_by_role("article", name="bob at Build a shed")
        expect(waiting.get_by_text("Waits for an answer")).to_be_visible()
        expect(seen.page.get_by_role("img", name="ann: 1 task")).to_be_visible()

        console.agent("cleo").post(f"/sessions/{session}/notes", content="Nails are in the box")
        expect(seen.page.get_by_role("article", name="cleo at Build a shed").get_by_text("Nails")).to_be_visible()
        working.get_by_role("link", name="Saw the boards").click()
        assert seen.page.url.endswith(f"/sessions/{session}/plan/t1")


LOADED = """() => performance.getEntriesByType("resource")
  .filter((entry) => /\\.(js|css)$/.test(new URL(entry.name).pathname))
  .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""
MOST_LOADED = 180_000


def test_the_first_page_loads_little(console: ConsoleServer) -> None:
    with console.opens("/connect") as seen:
        seen.page.goto("about:blank")
        seen.page.goto(f"{console.address}/")
        expect(seen.page.get_by_role("heading", name="Now", level=1)).to_be_visible()

        assert 0 < seen.page.evaluate(LOADED) <= MOST_LOADED


def test_a_person_asks_an_agent_to_pause_and_it_learns_of_it(console: ConsoleServer) -> None:
    dan = console.agent("dan")
    session = dan.post("/sessions", purpose="Paint the shed")["session_id"]
    dan.post(f"/sessions/{session}/notes", content="Began")

    with console.opens("/now") as seen:
        seen.page.get_by_role("button", name="Actions for dan").click()
        seen.page.get_by_role("button", name="Ask to pause").click()
        expect(seen.page.get_by_text("dan was asked to pause")).to_be_visible()
        seen.page.get_by_role("button", name="Actions for dan").click()
        seen.page.get_by_role("button", name="Write to it").click()
        seen.page.get_by_label("Only dan and people see it.").fill("The colour changes to green.")
        seen.page.get_by_role("button", name="Send").click()
        expect(seen.page.get_by_text("Sent to dan.")).to_be_visible()

    with console.opens(f"/sessions/{session}/messages") as seen:
        expect(seen.page.get_by_text("dan does not know of it yet")).to_be_visible()
        answer = dan.calls("check_pause", session)
        expect(seen.page.get_by_text("dan knows of it")).to_be_visible()
        seen.page.reload()
        expect(seen.page.get_by_text("dan knows of it")).to_be_visible()

    said = dan.get(f"/sessions/{session}/messages")["messages"]
    assert answer["pause"] is True
    assert "The colour changes to green." in [message["content"] for message in said]
