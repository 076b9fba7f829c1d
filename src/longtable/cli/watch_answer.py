"""`longtable watch --answer`: what waits for a person is shown beside what happens, and settled by a typed line."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from longtable.app import App
from longtable.cli.human_secret import require_person
from longtable.cli.output import is_terminal
from longtable.cli.owner import owner_of, tool_call
from longtable.cli.terminal_input import TerminalInput
from longtable.identity.human_secret import has_human_secret
from longtable.kernel.background import owned_task
from longtable.kernel.call import Call
from longtable.kernel.errors import Forbidden, InvalidArgument, LongtableError

HELP: Final = (
    "N TEXT answers question N, N K chooses its option K; N approve and N deny REASON decide about call N;"
    " an empty line shows again what waits, Ctrl+C ends."
)
_SETTLING: Final = ("scratchpad/question_", "gateway/", "decision/", "session/")
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters to the standard, and nothing to the eye."""

Event = dict[str, Any]
Item = dict[str, Any]


def spelled_out(text: str) -> str:
    """With every character that cannot be seen as its number: what is approved is what was read."""
    return "".join(
        character if character.isprintable() and character not in _BLANK_LETTERS else f"<U+{ord(character):04X}>"
        for character in text
    )


async def check_person(app: App, tenant: str, secret_file: Path | None) -> None:
    """The same rule as for a decision at the terminal. Raises Forbidden, InvalidArgument or RateLimited."""
    if not (is_terminal() and sys.stdin.isatty()):
        raise InvalidArgument.at("answer", "needs a terminal, and a person at it")
    if not await has_human_secret(app.database):
        raise Forbidden(
            "No human secret is set, so people answer in the console only.",
            hint="Set one with 'longtable human-secret set'.",
        )
    await require_person(app, secret_file, Call(owner_of(tenant), "watch_answer", "decision_refused"))


@dataclass
class WaitingItems:
    """Questions and calls that wait for a person, each under a number of this run: ids are those of a session."""

    app: App
    tenant: str
    session_id: str | None
    say: Callable[[str], None]
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    open: dict[int, Item] = field(default_factory=dict)

    async def refresh(self) -> None:
        """Shows what is new, and forgets what is settled."""
        found = {self._number(item): item for item in await self._found()}
        for number in self.open.keys() - found.keys():
            self.say(f"[{number}] is settled.")
        new = [number for number in found if number not in self.open]
        self.open = found
        for number in new:
            self._show(number)

    def show_all(self) -> None:
        for number in self.open:
            self._show(number)
        self.say(HELP if self.open else "Nothing waits for you.")

    async def act(self, line: str) -> None:
        """Does what a typed line says, or tells why not."""
        words = line.strip()
        if not words:
            self.show_all()
            return
        name, _, rest = words.partition(" ")
        number = int(name) if name.isdecimal() and len(name) < 10 else 0
        item = self.open.get(number)
        if item is None:
            self.say(f"{name[:20]!r} is no number of what waits. {HELP}")
            return
        try:
            self.say(f"[{number}] {await self._settle(item, rest.strip())}")
        except LongtableError as error:
            self.say(f"[{number}] {error.code}: {error.message}")
        await self.refresh()

    async def _settle(self, item: Item, rest: str) -> str:
        if "tool" in item:
            return await self._decide(item, rest)
        if not rest:
            raise InvalidArgument("An answer is missing.", hint="Type it after the number.")
        options = item["options"] or []
        chosen = int(rest) - 1 if rest.isdecimal() and len(rest) < 4 else -1
        answer = options[chosen] if 0 <= chosen < len(options) else rest
        arguments = {"answers": {item["id"]: answer}}
        result = await tool_call("submit_answers", self.tenant, arguments, item["session_id"])(self.app)
        return "is answered." if result["answered"] else "was settled by somebody else before."

    async def _decide(self, item: Item, rest: str) -> str:
        word, _, reason = rest.partition(" ")
        if word == "approve" and not reason:
            await tool_call("approve_decision", self.tenant, {"decision_id": item["id"]})(self.app)
            return "is approved: the call may be made once, within five minutes."
        if word == "deny":
            arguments = {"decision_id": item["id"], "reason": reason.strip() or None}
            await tool_call("deny_decision", self.tenant, arguments)(self.app)
            return "is denied."
        raise InvalidArgument("That is neither 'approve' nor 'deny' with a reason.", hint="Nothing was decided.")

    async def _found(self) -> list[Item]:
        questions = await tool_call("list_open_questions", self.tenant, {})(self.app)
        decisions = await tool_call("list_decisions", self.tenant, {"status": "waiting"})(self.app)
        items = [*questions["questions"], *reversed(decisions["decisions"])]
        return [item for item in items if self.session_id in (None, item["session_id"])]

    def _number(self, item: Item) -> int:
        return self.numbers.setdefault((item["session_id"] or "", item["id"]), len(self.numbers) + 1)

    def _show(self, number: int) -> None:
        item = self.open[number]
        lines = _decision_lines(item) if "tool" in item else _question_lines(item)
        self.say("\n".join([f"[{number}] {lines[0]}", *(f"    {line}" for line in lines[1:])]))


def _question_lines(question: Mapping[str, Any]) -> list[str]:
    waits = ", and waits" if question["blocking"] else ""
    lines = [f"{spelled_out(question['asked_by'])} asks{waits}: {spelled_out(question['question'])}"]
    if question["context"]:
        lines.append(spelled_out(question["context"]))
    return lines + [f"{place}) {spelled_out(option)}" for place, option in enumerate(question["options"] or (), 1)]


def _decision_lines(decision: Mapping[str, Any]) -> list[str]:
    """Everything: nobody decides about what was cut off."""
    lines = [f"{spelled_out(decision['requested_by'])} wants to call {spelled_out(decision['tool'])}"]
    if decision["why"]:
        lines.append(f"because: {spelled_out(decision['why'])}")
    arguments = decision["arguments"]
    if isinstance(arguments, dict) and arguments:
        lines += [f"{spelled_out(name)}: {_value(value)}" for name, value in arguments.items()]
    else:
        lines.append(spelled_out(decision["arguments_text"]))
    for place, step in enumerate(decision.get("steps", ()), 1):
        later = "" if step["fixed"] else "  (some of it from an earlier result)"
        lines.append(f"step {place}: {spelled_out(step['tool'])} {_value(step['inputs'])}{later}")
    return lines


def _value(value: Any) -> str:
    return spelled_out(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


async def watch_and_answer(
    events: AsyncGenerator[Event, None], show: Callable[[Event], None], waiting: WaitingItems, terminal: TerminalInput
) -> None:
    """Until Ctrl+C, Ctrl+D or the end of the session."""

    async def follow() -> None:
        async with aclosing(events):
            async for event in events:
                with terminal.above():
                    show(event)
                if event["kind"].startswith(_SETTLING):
                    await waiting.refresh()

    async def listen() -> None:
        while (line := await terminal.line()) is not None:
            await waiting.act(line)

    with terminal.reading():
        await waiting.refresh()
        waiting.say(HELP)
        await _first_of(owned_task(follow()), owned_task(listen()))


async def _first_of(*tasks: Any) -> None:
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
