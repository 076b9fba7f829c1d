"""The graph of a plan opens where the work is, shows all of it when asked to, and can be gone about in."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.console_server import ConsoleServer

AT_ONCE = 100
NODES = """(canvas) => {
  const room = canvas.getBoundingClientRect();
  const boxes = [...canvas.querySelectorAll("button")].map((node) => node.getBoundingClientRect());
  const inside = boxes.filter((box) =>
    box.left >= room.left - 1 && box.right <= room.right + 1 &&
    box.top >= room.top - 1 && box.bottom <= room.bottom + 1);
  return { all: boxes.length, inside: inside.length };
}"""


def plan_of(console: ConsoleServer, count: int) -> str:
    """Each task waits for two before it; one in the middle is being worked on."""
    agent = console.agent("planner")
    session: str = agent.post("/sessions", purpose=f"{count} tasks")["session_id"]
    for first in range(1, count + 1, AT_ONCE):
        tasks = [
            {
                "description": f"Task {number}",
                "depends_on": [named(other, first) for other in (number - 4, number - 7) if other > 0],
            }
            for number in range(first, min(first + AT_ONCE, count + 1))
        ]
        agent.post(f"/sessions/{session}/tasks", tasks=tasks)
    return session


def named(number: int, first: int) -> str:
    """Tasks of the same call have no id yet."""
    return f"#{number - first}" if number >= first else f"t{number}"


def opened(page: Page, session: str) -> Locator:
    page.goto(f"/#/sessions/{session}/plan")
    page.get_by_label("Graph").check()
    canvas = page.get_by_role("region", name="Dependency graph")
    expect(canvas.get_by_role("button").first).to_be_attached()
    return canvas


@pytest.mark.parametrize("count", [20, 300, 1_000])
def test_the_graph_opens_on_the_work_and_fits_whole(console: ConsoleServer, count: int) -> None:
    session = plan_of(console, count)
    console.agent("ann").post(f"/sessions/{session}/tasks/t2", status="in_progress")

    with console.opens() as seen:
        canvas = opened(seen.page, session)
        expect(canvas.get_by_role("button", name="Task 2 In progress")).to_be_in_viewport()
        assert canvas.evaluate(NODES)["inside"] >= 5
        seen.page.get_by_role("button", name="Fit").click()

        expect(canvas.locator("button").nth(count - 1)).to_be_in_viewport()
        assert canvas.evaluate(NODES) == {"all": count, "inside": count}


def test_finished_chains_are_folded_until_somebody_wants_them(console: ConsoleServer) -> None:
    agent = console.agent("planner")
    session = agent.post("/sessions", purpose="Mostly done")["session_id"]
    chain = [{"description": f"Step {n}", "depends_on": [f"#{n - 2}"] if n > 1 else []} for n in range(1, 8)]
    agent.post(f"/sessions/{session}/tasks", tasks=chain)
    for number in range(1, 6):
        agent.post(f"/sessions/{session}/tasks/t{number}", status="completed")

    with console.opens() as seen:
        canvas = opened(seen.page, session)
        expect(canvas.get_by_role("button")).to_have_count(4)
        canvas.get_by_role("button", name="4 finished tasks").click()

        expect(canvas.get_by_role("button")).to_have_count(7)


def test_a_task_lights_all_that_it_has_to_do_with(console: ConsoleServer) -> None:
    agent = console.agent("planner")
    session = agent.post("/sessions", purpose="Ties")["session_id"]
    ties: dict[str, list[str]] = {"Root": [], "Stem": ["#0"], "Leaf": ["#1"], "Stone": []}
    agent.post(f"/sessions/{session}/tasks", tasks=[{"description": d, "depends_on": a} for d, a in ties.items()])

    with console.opens() as seen:
        canvas = opened(seen.page, session)
        canvas.get_by_role("button", name="Stem").hover()

        expect(canvas.locator("button[data-lit]")).to_have_count(3)
        expect(canvas.get_by_role("button", name="Stone")).not_to_have_attribute("data-lit", "true")
