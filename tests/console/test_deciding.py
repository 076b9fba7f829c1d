"""What a person decides in the page reaches the agent that waits for it, and nothing else does."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from longtable.client import Workspace
from longtable.demo.agent import DemoAgent
from longtable.demo.prepare import prepare
from longtable.kernel.errors import ConfirmationRequired, LongtableError
from tests.console.chromium import PHONE, WatchedWindow, accessibility_findings
from tests.console.console_server import ConsoleServer, serving_console
from tests.e2e.servers import Processes

SESSION = "deciding"
SEND = "send_summary"

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
    why: str = "Tell them"

    @property
    def context(self) -> dict[str, str]:
        return {"original_message": self.why, "conversation_id": "talk-1"}

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
            await agent.send_summary(mail.inputs, mail.context)
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
        return (await agent.send_summary(mail.inputs, mail.context, handle)).said
    except LongtableError as error:
        return error.code


_HOLDS_NOTHING = """
const send = window.fetch;
window.fetch = async (request, options) => {
  if (!(request instanceof Request) || request.method !== "POST") return send(request, options);
  const body = (await request.clone().text()).replace('"hold_seconds":5', '"hold_seconds":0');
  return send(new Request(request, { body }), options);
};
"""


@contextmanager
def hurried(console: ConsoleServer, path: str = "/inbox", **options: Any) -> Iterator[WatchedWindow]:
    """An inbox in which nothing can be undone, so that what comes of a decision comes at once."""
    with console.opens(path, **options) as seen:
        seen.context.add_init_script(_HOLDS_NOTHING)
        seen.page.reload()
        yield seen


def card(page: Page, title: str) -> Locator:
    """Opens it from the list."""
    page.get_by_role("list", name="Open decisions").get_by_role("link").filter(has_text=title).first.click()
    return page.get_by_role("article").filter(has_text=title)


def test_an_answer_by_button_reaches_the_waiting_call(console: ConsoleServer, start: Start) -> None:
    with console.opens() as seen:
        waiting = start(ask_and_wait(console.address, "Which machine?", options=["Filter", "Capsule"], blocking=True))
        question = card(seen.page, "Which machine?")
        expect(question.get_by_text("Blocking")).to_be_visible()

        question.get_by_role("button", name="Filter").click()

        assert waiting.result(20) == {"answer": "Filter", "by_human": True}
        expect(question.get_by_text("Answered: Filter")).to_be_visible()
        expect(question.get_by_role("button", name="Filter")).to_have_count(0)


def test_the_whole_answer_flow_works_by_keyboard(console: ConsoleServer, start: Start) -> None:
    with hurried(console, path="/connect") as seen:
        waiting = start(ask_and_wait(console.address, "What do guests get?"))
        expect(seen.page).to_have_title("(1) Connect · Longtable")
        keys = seen.page.keyboard

        keys.press("g")
        keys.press("i")
        expect(seen.page.get_by_role("article").filter(has_text="What do guests get?")).to_be_visible()
        keys.press("j")
        expect(seen.page.get_by_role("heading", name="What do guests get?")).to_be_focused()
        keys.press("Tab")
        while seen.page.evaluate("document.activeElement.tagName") != "TEXTAREA":
            keys.press("Tab")
        keys.type("Tea, and the good biscuits")
        keys.press("Tab")
        keys.press("Enter")

        assert waiting.result(20) == {"answer": "Tea, and the good biscuits", "by_human": True}


def test_an_approval_lets_exactly_that_call_run_and_only_once(console: ConsoleServer, start: Start) -> None:
    mail, other = Mail("team@office.test"), Mail("everybody@office.test")

    with hurried(console) as seen:
        waiting = start(send(console.address, mail, also=other))
        wanted = card(seen.page, SEND)
        for text in mail.inputs.values():
            expect(wanted.get_by_text(text).first).to_be_visible()

        wanted.get_by_role("button", name="Approve").click()

        outcomes = waiting.result(20)
    assert outcomes["status"] == "approved"
    assert outcomes["other"] == "CONFIRMATION_INVALID"
    assert "team@office.test" in outcomes["own"]
    assert outcomes["again"] != outcomes["own"]


def test_nobody_approves_on_a_phone_what_they_have_not_seen(console: ConsoleServer, start: Start) -> None:
    mail = Mail("far@office.test", text="line\n" * 60, why="Tell them all about it. " * 90)

    with hurried(console, viewport=PHONE, has_touch=True) as seen:
        waiting = start(send(console.address, mail))
        wanted = card(seen.page, SEND)
        approve, to = wanted.get_by_role("button", name="Approve"), wanted.get_by_text("far@office.test").first
        expect(wanted.get_by_text("Read the arguments to the end first.")).to_be_in_viewport()
        expect(to).not_to_be_in_viewport()
        expect(approve).to_be_in_viewport()
        expect(approve).to_be_disabled()
        assert tops(to) < tops(wanted.get_by_text("line").first)

        approve.focus()
        seen.page.keyboard.press("Enter")

        expect(to).to_be_in_viewport()
        expect(wanted.get_by_role("region", name="Arguments of")).to_be_focused()
        expect(wanted.get_by_text("Approved, once")).to_have_count(0)
        approve.focus()
        seen.page.keyboard.press("Enter")
        expect(approve).to_be_enabled()
        approve.tap()
        assert waiting.result(20)["status"] == "approved"


def tops(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box
    return box["y"]


def test_whoever_taps_twice_approves_once(console: ConsoleServer, start: Start) -> None:
    with hurried(console, viewport=PHONE, has_touch=True) as seen:
        waiting = [start(send(console.address, Mail(f"{name}@office.test"))) for name in ("first", "second")]
        expect(seen.page.get_by_role("list", name="Open decisions").get_by_role("link")).to_have_count(2)
        wanted = card(seen.page, SEND)
        place = wanted.get_by_role("button", name="Approve").bounding_box()
        expect(wanted.get_by_role("button", name="Approve")).to_be_enabled()
        assert place
        at = (place["x"] + 20, place["y"] + 20)

        seen.page.touchscreen.tap(*at)
        seen.page.touchscreen.tap(*at)
        expect(seen.page.get_by_text("Approved, once")).to_be_in_viewport()
        seen.page.get_by_role("link", name="Next").press("Enter")
        left = seen.page.get_by_role("article").filter(has=seen.page.get_by_role("button", name="Approve"))
        left.get_by_label("Reason").fill("One is enough")
        left.get_by_role("button", name="Deny").click()

        assert sorted(each.result(20)["status"] for each in waiting) == ["approved", "denied"]


def test_two_clicks_before_the_page_is_drawn_anew_are_one_approval(console: ConsoleServer, start: Start) -> None:
    with hurried(console) as seen:
        waiting = start(send(console.address, Mail("clicks@office.test")))
        wanted = card(seen.page, SEND)

        wanted.get_by_role("button", name="Approve").evaluate("button => { button.click(); button.click(); }")

        expect(wanted.get_by_text("Approved, once")).to_be_visible()
        assert waiting.result(20)["status"] == "approved"
        assert seen.problems == []


def test_an_undone_answer_reaches_nobody_and_what_was_typed_is_there_again(
    console: ConsoleServer, start: Start
) -> None:
    with console.opens() as seen:
        waiting = start(ask_and_wait(console.address, "How many cups?"))
        question = card(seen.page, "How many cups?")
        question.get_by_label("Your answer").fill("Four")
        question.get_by_role("button", name="Send").click()
        question.get_by_role("button", name="Undo").click()
        expect(question.get_by_label("Your answer")).to_have_value("Four")
        asked = console.agent("watcher").get(f"/sessions/{SESSION}/questions", status="pending")["questions"]
        assert [each["question"] for each in asked] == ["How many cups?"]

        question.get_by_label("Your answer").fill("Five")
        seen.page.keyboard.press("Control+Enter")

        assert waiting.result(20)["answer"] == "Five"


def test_an_undone_approval_can_be_denied(console: ConsoleServer, start: Start) -> None:
    with console.opens() as seen:
        waiting = start(send(console.address, Mail("undone@office.test")))
        wanted = card(seen.page, SEND)
        wanted.get_by_role("button", name="Approve").click()
        expect(wanted.get_by_text("Approved, once")).to_be_visible()
        seen.page.reload()
        expect(wanted.get_by_role("button", name="Undo")).to_be_visible()
        seen.page.keyboard.press("z")

        wanted.get_by_label("Reason").fill("I looked again")
        wanted.get_by_role("button", name="Deny").click()

        assert waiting.result(20)["status"] == "denied"


def test_what_is_put_off_stays_counted_and_comes_back_by_itself(console: ConsoleServer, start: Start) -> None:
    with hurried(console) as seen:
        waiting = start(ask_and_wait(console.address, "Milk or not?", options=["Milk", "None"]))
        question = card(seen.page, "Milk or not?")
        seen.context.clock.install()
        seen.page.reload()
        question.get_by_role("button", name="Actions for").click()
        expect(question.get_by_text("In this browser only")).to_be_visible()
        question.get_by_role("button", name="Snooze for 15 minutes").click()

        expect(seen.page).to_have_title("Inbox · Longtable")
        expect(seen.page.get_by_role("button", name="Snoozed 1")).to_be_visible()
        # As if the lid of a laptop had been closed: each timer that is due fires once.
        seen.context.clock.fast_forward(16 * 60_000)
        expect(seen.page).to_have_title("(1) Inbox · Longtable")
        card(seen.page, "Milk or not?").get_by_role("button", name="Milk").click()
        assert waiting.result(20)["answer"] == "Milk"


def test_a_denial_with_its_reason_stops_the_call(console: ConsoleServer, start: Start) -> None:
    with hurried(console) as seen:
        waiting = start(send(console.address, Mail("press@office.test")))
        wanted = card(seen.page, SEND)
        expect(wanted.get_by_text("press@office.test").first).to_be_visible()

        wanted.get_by_label("Reason").fill("Not before it is decided")
        wanted.get_by_role("button", name="Deny").click()

        outcomes = waiting.result(20)
    assert outcomes["status"] == "denied"
    assert "press@office.test" not in outcomes["own"]
    latest = console.agent("planner").get("/calls")["calls"][0]
    assert latest["outcome"] != "SUCCESS"


def test_a_call_is_shown_whole_with_invisible_characters_spelled_out(console: ConsoleServer, start: Start) -> None:
    text = "line\n" * 300 + "the last line\u202e hidden"

    with hurried(console) as seen:
        waiting = start(send(console.address, Mail("long@office.test", text=text)))
        wanted = card(seen.page, SEND)

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
    with hurried(console) as first, console.opens() as second:
        waiting = start(ask_and_wait(console.address, "Who buys the beans?", options=["Ann", "Ben"]))
        other = card(second.page, "Who buys the beans?")
        expect(other).to_be_visible()

        card(first.page, "Who buys the beans?").get_by_role("button", name="Ann").click()

        assert waiting.result(20)["answer"] == "Ann"
        expect(other.get_by_role("button", name="Ben")).to_have_count(0)
        expect(other.get_by_text("This waits no longer")).to_be_visible()
