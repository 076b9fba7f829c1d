"""What a person decides in the page reaches the agent that waits for it, and nothing else does."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from longtable.client import Workspace
from longtable.demo.agent import GOVERNED, DemoAgent
from longtable.demo.prepare import prepare
from longtable.kernel.errors import ConfirmationRequired, LongtableError
from tests.console.chromium import PHONE, accessibility_findings
from tests.console.console_server import ConsoleServer, serving_console
from tests.e2e.servers import Processes

SESSION = "deciding"
CONTEXT = {"original_message": "Tell them", "conversation_id": "talk-1"}

Start = Callable[[Coroutine[Any, Any, Any]], "Future[Any]"]


@pytest.fixture(scope="module")
def console(
    browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ConsoleServer]:
    """With the office of the demo behind the gateway: what it sends needs a person's word."""
    folder: Path = tmp_path_factory.mktemp("data")
    with serving_console(browser, processes, folder, gateway_config=str(prepare(folder))) as started:
        started.agent("planner").post("/sessions", session_id=SESSION, purpose="Decide together")
        yield started


@pytest.fixture
def start() -> Iterator[Start]:
    """Runs what an agent does beside the test. Where the agent failed, that is told, not only what the page lacks."""
    started: list[Future[Any]] = []
    with ThreadPoolExecutor(4) as pool:

        def begin(work: Coroutine[Any, Any, Any]) -> "Future[Any]":
            started.append(pool.submit(asyncio.run, work))
            return started[-1]

        yield begin
    for each in started:
        each.result()


@dataclass(frozen=True)
class Mail:
    to: str
    subject: str = "Coffee"
    text: str = "We take the filter machine."

    @property
    def inputs(self) -> dict[str, str]:
        return {"to": self.to, "subject": self.subject, "text": self.text}


async def ask_and_wait(address: str, question: str, **more: Any) -> dict[str, Any]:
    async with Workspace.open(address, session=SESSION, agent="writer") as agent:
        asked = (await agent.add_question(question, **more)).question
        awaited = await agent.wait_for_answers([asked.id], timeout_seconds=40)
        answered = next(each for each in awaited.answers if each.id == asked.id)
        return {"answer": answered.answer, "by_human": answered.by_human}


async def send(address: str, mail: Mail, also: Mail | None = None) -> dict[str, str]:
    """Wants to send a mail, waits for the person's word, and tries it; `also` is tried with the same word."""
    async with DemoAgent.open(address, None, SESSION, "writer") as agent:
        try:
            await agent.send_summary(mail.inputs, CONTEXT)
        except ConfirmationRequired as held:
            handle = str(held.details["confirm_token"])
        status = (await agent.wait_for_decision(handle, wait_seconds=40)).status
        outcomes = {"status": status}
        for name, tried in {"other": also, "own": mail, "again": mail}.items():
            if tried is not None:
                outcomes[name] = await outcome(agent, tried, handle)
        return outcomes


async def outcome(agent: DemoAgent, mail: Mail, handle: str) -> str:
    try:
        return (await agent.send_summary(mail.inputs, CONTEXT, handle)).said
    except LongtableError as error:
        return error.code


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("article").filter(has_text=title)


def test_an_answer_by_button_reaches_the_waiting_call(console: ConsoleServer, start: Start) -> None:
    with console.opens() as seen:
        waiting = start(ask_and_wait(console.address, "Which machine?", options=["Filter", "Capsule"], blocking=True))
        question = card(seen.page, "Which machine?")
        expect(question.get_by_text("Blocking")).to_be_visible()

        question.get_by_role("button", name="Filter").click()

        assert waiting.result(20) == {"answer": "Filter", "by_human": True}
        expect(card(seen.page, "Which machine?").get_by_role("button", name="Filter")).to_have_count(0)


def test_the_whole_answer_flow_works_by_keyboard(console: ConsoleServer, start: Start) -> None:
    with console.opens("/connect") as seen:
        waiting = start(ask_and_wait(console.address, "What do guests get?"))
        expect(seen.page).to_have_title("(1) Connect · Longtable")
        keys = seen.page.keyboard

        keys.press("g")
        keys.press("i")
        expect(card(seen.page, "What do guests get?")).to_be_visible()
        keys.press("j")
        keys.press("Tab")
        while seen.page.evaluate("document.activeElement.tagName") != "TEXTAREA":
            keys.press("Tab")
        keys.type("Tea, and the good biscuits")
        keys.press("Tab")
        keys.press("Enter")

        assert waiting.result(20) == {"answer": "Tea, and the good biscuits", "by_human": True}


def test_an_approval_lets_exactly_that_call_run_and_only_once(console: ConsoleServer, start: Start) -> None:
    mail, other = Mail("team@office.test"), Mail("everybody@office.test")

    with console.opens() as seen:
        waiting = start(send(console.address, mail, also=other))
        wanted = card(seen.page, GOVERNED)
        for text in mail.inputs.values():
            expect(wanted.get_by_text(text).first).to_be_visible()

        wanted.get_by_role("button", name="Approve").click()

        outcomes = waiting.result(20)
    assert outcomes["status"] == "approved"
    assert outcomes["other"] == "CONFIRMATION_INVALID"
    assert "team@office.test" in outcomes["own"]
    assert outcomes["again"] != outcomes["own"]


def test_whoever_taps_twice_approves_once(console: ConsoleServer, start: Start) -> None:
    text = "line\n" * 100

    with console.opens(viewport=PHONE, has_touch=True) as seen:
        waiting = [start(send(console.address, Mail(f"{name}@office.test", text=text))) for name in ("first", "second")]
        expect(seen.page.get_by_role("button", name="Approve")).to_have_count(2)
        place = seen.page.get_by_role("button", name="Approve").first.bounding_box()
        assert place
        at = (place["x"] + 20, place["y"] + 20)

        seen.page.touchscreen.tap(*at)
        expect(seen.page.get_by_text("Approved, once")).to_be_in_viewport()
        seen.page.touchscreen.tap(*at)

        expect(seen.page.get_by_role("button", name="Approve")).to_have_count(1)
        left = seen.page.get_by_role("article").filter(has=seen.page.get_by_role("button", name="Approve"))
        left.get_by_label("Reason").fill("One is enough")
        left.get_by_role("button", name="Deny").click()
        assert sorted(each.result(20)["status"] for each in waiting) == ["approved", "denied"]


def test_a_denial_with_its_reason_stops_the_call(console: ConsoleServer, start: Start) -> None:
    with console.opens() as seen:
        waiting = start(send(console.address, Mail("press@office.test")))
        wanted = card(seen.page, "press@office.test")

        wanted.get_by_label("Reason").fill("Not before it is decided")
        wanted.get_by_role("button", name="Deny").click()

        outcomes = waiting.result(20)
    assert outcomes["status"] == "denied"
    assert "press@office.test" not in outcomes["own"]
    latest = console.agent("planner").get("/calls")["calls"][0]
    assert latest["outcome"] != "SUCCESS"


def test_a_call_is_shown_whole_with_invisible_characters_spelled_out(console: ConsoleServer, start: Start) -> None:
    text = "line\n" * 300 + "the last line\u202e hidden"

    with console.opens() as seen:
        waiting = start(send(console.address, Mail("long@office.test", text=text)))
        wanted = card(seen.page, "long@office.test")

        expect(wanted.get_by_text("the last line")).to_have_count(1)
        expect(wanted.get_by_text("U+202E").first).to_be_attached()
        wanted.get_by_label("Reason").fill("A test")
        wanted.get_by_role("button", name="Deny").click()
        assert waiting.result(20)["status"] == "denied"


async def pause_and_listen(address: str) -> str:
    """Asks for a pause without any question, and waits until somebody lets the work go on."""
    async with Workspace.open(address, session=SESSION, agent="writer") as agent:
        paused = await agent.check_pause(agent_requested=True)
        resumed = await agent.read_events(
            after=paused.event_seq or 0, kinds=["scratchpad/checkpoint_resumed"], wait_seconds=40
        )
        assert resumed.events[0]["checkpoint_id"] == paused.checkpoint_id
        return str(resumed.events[0]["actor"])


def test_a_pause_without_a_question_is_ended_by_a_button(console: ConsoleServer, start: Start) -> None:
    with console.opens(f"/sessions/{SESSION}") as seen:
        waiting = start(pause_and_listen(console.address))
        expect(seen.page.get_by_text("The work has paused for people: an agent asked for it.")).to_be_visible()
        assert accessibility_findings(seen.page) == []

        seen.page.get_by_role("button", name="Resume the work").click()

        assert waiting.result(20).startswith("human:")
        expect(seen.page.get_by_role("button", name="Resume the work")).to_have_count(0)


def test_a_question_that_somebody_else_answered_says_so(console: ConsoleServer, start: Start) -> None:
    with console.opens() as first, console.opens() as second:
        waiting = start(ask_and_wait(console.address, "Who buys the beans?", options=["Ann", "Ben"]))
        expect(card(second.page, "Who buys the beans?")).to_be_visible()

        card(first.page, "Who buys the beans?").get_by_role("button", name="Ann").click()

        assert waiting.result(20)["answer"] == "Ann"
        expect(card(second.page, "Who buys the beans?").get_by_role("button", name="Ben")).to_have_count(0)
