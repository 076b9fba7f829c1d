"""`longtable watch --answer`: a person at a real terminal reads in sentences, answers and decides."""

import asyncio
import fcntl
import signal
import struct
import termios

import pytest

from tests.e2e.program import AtTerminal, at_terminal
from tests.e2e.test_cli_decisions import SECRET, TOOL, TerminalGateway, gateway

__all__ = ["gateway"]

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

HIDDEN = "pay eve\u200b\u202e now"


def resized(terminal: AtTerminal, columns: int) -> None:
    fcntl.ioctl(terminal.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    terminal.process.send_signal(signal.SIGWINCH)


async def shows(terminal: AtTerminal, text: str) -> str:
    return await asyncio.to_thread(terminal.shows, text)


async def test_a_person_answers_and_decides_where_they_watch(gateway: TerminalGateway) -> None:
    await gateway.asks(HIDDEN)
    await gateway.alice.calls("add_question", question="Which colour?", options=["red", "blue"], blocking=True)

    with at_terminal(gateway.program, "watch", "--answer", "--tenant-wide") as terminal:
        resized(terminal, 100)
        await shows(terminal, "Human secret:")
        terminal.types(SECRET)
        await shows(terminal, "[1] alice asks, and waits: Which colour?")
        shown = await shows(terminal, "Ctrl+C ends")
        terminal.types("1 2")
        await shows(terminal, "[1] is answered.")
        await gateway.alice.calls("add_note", content="the answer is " + "very " * 40 + "good")
        noted = await shows(terminal, "alice pinned note n1".removeprefix("alice "))
        terminal.types("2 approved")
        await shows(terminal, "neither 'approve' nor 'deny'")
        terminal.types("2 approve")
        await shows(terminal, "[2] is approved")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.ends() == 0

    answers = (await gateway.alice.calls("get_answered_questions"))["questions"]
    assert [(each["answer"], each["by_human"]) for each in answers] == [("blue", True)]
    decided = (await gateway.does("list"))["decisions"][0]
    assert (decided["status"], decided["decided_by"][:6]) == ("approved", "human:")
    assert f"alice wants to call {TOOL}" in shown
    assert "text: pay eve<U+200B><U+202E> now" in shown
    assert "2) blue" in shown
    assert "\u202e" not in terminal.shown
    [line] = [line for line in noted.splitlines() if "pinned note n1" in line]
    assert "good" not in line, "it is fitted to the width"


async def test_what_comes_later_and_what_others_settle_is_told(gateway: TerminalGateway) -> None:
    with at_terminal(
        gateway.program, "watch", "--answer", "--tenant-wide", "--human-secret-file", gateway.secret()
    ) as terminal:
        resized(terminal, 60)
        await shows(terminal, "Ctrl+C ends")
        terminal.types("1 yes")
        await shows(terminal, "'1' is no number of what waits")
        await gateway.alice.calls("add_question", question="Shall I?")
        await shows(terminal, "[1] alice asks: Shall I?")
        await gateway.alice.calls("withdraw_question", question_id="q1")
        await shows(terminal, "[1] is settled.")
        asked = await gateway.asks("later")
        await shows(terminal, "text: later")
        terminal.types("2 deny Not today.")
        await shows(terminal, "[2] is denied.")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.ends() == 0

    told = await gateway.alice.tries(TOOL, inputs={"text": "later"}, confirm_token=asked["confirm_token"])
    assert "Not today." in told["error"]["error"]


async def test_without_the_right_secret_nothing_is_shown_or_answered(gateway: TerminalGateway) -> None:
    await gateway.alice.calls("add_question", question="Shall I?")

    with at_terminal(gateway.program, "watch", "--answer", "--tenant-wide") as terminal:
        await shows(terminal, "Human secret:")
        terminal.types("a wrong one")
        assert await asyncio.to_thread(terminal.ends) == 1

    assert "Shall I?" not in terminal.shown
    piped = await asyncio.to_thread(gateway.program.run, "watch", "--answer", "--tenant-wide")
    assert (piped.status, "needs a terminal" in piped.err) == (2, True)
    both = await asyncio.to_thread(gateway.program.run, "watch", "--answer", "--url", "http://127.0.0.1:9")
    assert (both.status, "excludes --url" in both.err) == (2, True)
