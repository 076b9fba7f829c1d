"""A person steers the work: edits, moves and rewires tasks, writes cells; neither text of two is lost."""

from typing import Any

from playwright.sync_api import expect

from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer, RestAgent


def planned(console: ConsoleServer, *tasks: str) -> tuple[RestAgent, str]:
    ann = console.agent("ann")
    session = ann.post("/sessions", purpose="Build a shed")["session_id"]
    ann.post(f"/sessions/{session}/tasks", tasks=[{"description": task} for task in tasks])
    return ann, session


def task_of(agent: RestAgent, session: str, task_id: str) -> dict[str, Any]:
    tasks = agent.get(f"/sessions/{session}/plan")["tasks"]
    found: dict[str, Any] = next(task for task in tasks if task["id"] == task_id)
    return found


def test_a_person_rewords_reprioritises_and_rewires_a_task(console: ConsoleServer) -> None:
    ann, session = planned(console, "Saw the boards", "Paint the boards")

    with console.opens(f"/sessions/{session}/plan/t2") as seen:
        form = seen.page.get_by_role("form", name="Change task t2")
        form.get_by_label("Priority").select_option("High")
        form.get_by_text("Its words and what it waits for").click()
        form.get_by_label("What is to be done").fill("Paint the boards green")
        form.get_by_role("checkbox", name="Saw the boards").check()
        form.get_by_role("button", name="Save").click()
        expect(seen.page.get_by_text("Task t2 is saved.")).to_be_visible()
        expect(seen.page.get_by_role("heading", name="Waits for")).to_be_visible()
        assert accessibility_findings(seen.page) == []

    changed = task_of(ann, session, "t2")
    assert (changed["description"], changed["priority"], changed["depends_on"]) == (
        "Paint the boards green",
        "high",
        ["t1"],
    )


def test_tasks_that_would_wait_for_each_other_are_refused_with_the_circle(console: ConsoleServer) -> None:
    ann, session = planned(console, "Saw", "Paint")
    ann.post(f"/sessions/{session}/tasks/t2", depends_on=["t1"])

    with console.opens(f"/sessions/{session}/plan/t1") as seen:
        form = seen.page.get_by_role("form", name="Change task t1")
        form.get_by_text("Its words and what it waits for").click()
        form.get_by_role("checkbox", name="Paint").check()
        form.get_by_role("button", name="Save").click()

        expect(seen.page.get_by_role("alert")).to_contain_text("t1 needs t2 needs t1")
        seen.forgive("400", "409")

    assert task_of(ann, session, "t1")["depends_on"] == []


def test_what_a_person_typed_stays_when_somebody_changed_the_task_meanwhile(console: ConsoleServer) -> None:
    ann, session = planned(console, "Saw the boards")

    with console.opens(f"/sessions/{session}/plan/t1") as seen:
        form = seen.page.get_by_role("form", name="Change task t1")
        form.get_by_text("Its words and what it waits for").click()
        form.get_by_label("What is to be done").fill("Saw ten boards")
        seen.page.route("**/plan", lambda route: route.abort())
        ann.post(f"/sessions/{session}/tasks/t1", priority="low")
        form.get_by_role("button", name="Save").click()
        expect(seen.page.get_by_text("What you chose and typed is still here.")).to_be_visible()
        seen.page.unroute("**/plan")
        expect(form.get_by_label("What is to be done")).to_have_value("Saw ten boards")
        seen.page.reload()
        expect(form.get_by_label("Priority")).to_have_value("low")
        expect(form.get_by_label("What is to be done")).to_have_value("Saw ten boards")
        form.get_by_role("button", name="Save").click()
        expect(seen.page.get_by_text("Task t1 is saved.")).to_be_visible()
        seen.forgive("409", "Failed to load resource", "net::ERR_FAILED")

    assert task_of(ann, session, "t1")["description"] == "Saw ten boards"


def test_a_task_is_dragged_to_another_column_and_onto_a_more_urgent_one(console: ConsoleServer) -> None:
    ann, session = planned(console, "Saw", "Paint", "Nail")
    ann.post(f"/sessions/{session}/tasks/t1", priority="high")

    with console.opens(f"/sessions/{session}/plan") as seen:
        page = seen.page
        page.locator("[data-task=t2]").drag_to(page.locator("[data-task=t1]"))
        expect(page.get_by_text("Task t2 has high priority now.")).to_be_visible()
        page.locator("[data-task=t3]").drag_to(page.get_by_role("heading", name="Completed"))
        expect(page.get_by_text("Task t3 is completed now.")).to_be_visible()
        expect(page.get_by_role("region", name="Completed").locator("[data-task=t3]")).to_be_visible()

    assert task_of(ann, session, "t2")["priority"] == "high"
    assert task_of(ann, session, "t3")["status"] == "completed"


def test_a_task_is_moved_by_keys_and_keeps_the_focus(console: ConsoleServer) -> None:
    ann, session = planned(console, "Saw", "Paint")
    ann.post(f"/sessions/{session}/tasks/t2", depends_on=["t1"])

    with console.opens(f"/sessions/{session}/plan") as seen:
        page = seen.page
        page.get_by_role("button", name="Saw", exact=True).focus()
        page.keyboard.press("Shift+ArrowRight")
        expect(page.get_by_text("Task t1 is in progress now.")).to_be_visible()
        expect(page.get_by_role("button", name="Saw", exact=True)).to_be_focused()
        page.keyboard.press("Shift+ArrowUp")
        expect(page.get_by_text("Task t1 has high priority now.")).to_be_visible()
        page.get_by_role("button", name="Paint", exact=True).focus()
        page.keyboard.press("Shift+ArrowRight")
        page.get_by_role("dialog").get_by_role("button", name="Do it anyway").click()
        expect(page.get_by_text("Task t2 is in progress now.")).to_be_visible()
        assert accessibility_findings(page) == []

    moved = task_of(ann, session, "t1")
    assert (moved["status"], moved["priority"]) == ("in_progress", "high")
    assert task_of(ann, session, "t2")["status"] == "in_progress"


def test_a_task_is_moved_by_its_menu_on_a_phone(console: ConsoleServer) -> None:
    ann, session = planned(console, "Saw")

    with console.opens(f"/sessions/{session}/plan", viewport=PHONE, has_touch=True) as seen:
        seen.page.get_by_role("button", name="Move task t1").tap()
        seen.page.get_by_role("button", name="To blocked").tap()
        expect(seen.page.get_by_text("Task t1 is blocked now.")).to_be_visible()

    assert task_of(ann, session, "t1")["status"] == "blocked"


def test_a_person_writes_a_cell_and_puts_right_what_the_check_finds(console: ConsoleServer) -> None:
    ann = console.agent("ann")
    ann.post("/scratchpads", scratch_id="shed")

    with console.opens("/notebooks/pad/shed") as seen:
        page = seen.page
        page.get_by_role("button", name="Write a cell").click()
        form = page.get_by_role("dialog")
        form.get_by_label("Language").select_option("JSON")
        form.get_by_label("Text of the cell").fill('{"boards": 10,}')
        form.get_by_role("button", name="Save the cell").click()
        expect(form.get_by_role("list", name="What was found")).to_contain_text("line 1")
        assert accessibility_findings(page) == []
        form.get_by_label("Text of the cell").fill('{"boards": 10}')
        form.get_by_role("button", name="Save the cell").click()
        expect(form).to_have_count(0)
        expect(page.get_by_role("article", name="Cell 1")).to_contain_text("boards")

    cells = ann.get("/scratchpads/shed")["scratchpad"]["cells"]
    assert [cell["content"] for cell in cells] == ['{"boards": 10}']


def test_a_cell_that_somebody_wrote_meanwhile_is_compared_before_it_is_replaced(console: ConsoleServer) -> None:
    ann = console.agent("ann")
    ann.post("/scratchpads", scratch_id="roof")
    made = ann.post("/scratchpads/roof/cells", cell={"language": "txt", "content": "Tiles", "tags": ["plan"]})
    cell_id = made["scratchpad"]["cells"][0]["cell_id"]

    with console.opens("/notebooks/pad/roof") as seen:
        page = seen.page
        page.get_by_role("button", name="Edit cell 1").click()
        form = page.get_by_role("dialog")
        form.get_by_label("Text of the cell").fill("Slate")
        ann.put(f"/scratchpads/roof/cells/{cell_id}", cell={"language": "txt", "content": "Straw"})
        form.get_by_role("button", name="Save the cell").click()
        expect(form.get_by_role("alert")).to_contain_text("Somebody wrote version 2")
        expect(form.get_by_role("alert")).to_contain_text("Straw")
        form.get_by_role("button", name="Save mine as version 3").click()
        expect(form).to_have_count(0)
        seen.forgive("409")

    cell = ann.get("/scratchpads/roof")["scratchpad"]["cells"][0]
    assert (cell["content"], cell["tags"], cell["version"]) == ("Slate", ["plan"], 3)
