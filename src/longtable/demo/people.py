"""What the team wants of people: two answers and one permission. It waits for so long as its patience lasts, goes on
with an assumption then, and still listens afterwards."""

import asyncio
import time
from abc import ABC, abstractmethod
from typing import Any

from longtable.demo.cast import WRITER
from longtable.demo.coffee import sections, talk, tasks
from longtable.demo.coffee.sections import DemoAnswer, DemoAnswers
from longtable.demo.table import ENDING, Table
from longtable.gateway.model import DecisionStatus
from longtable.kernel.background import owned_task
from longtable.kernel.errors import ConfirmationRequired, LongtableError
from longtable.questions.model import QuestionView

_LONGEST_WAIT = 20.0


class Matter(ABC):
    """Something that only a person can settle."""

    def __init__(self, table: Table, answers: DemoAnswers) -> None:
        self._table = table
        self._answers = answers

    @abstractmethod
    async def ask(self) -> bool:
        """Whether there is something to wait for now."""

    @abstractmethod
    async def look(self, seconds: float) -> Any:
        """What a person has said, within so many seconds; None if nobody did."""

    @abstractmethod
    async def react(self, said: Any) -> None: ...

    @abstractmethod
    async def assume(self) -> None:
        """Goes on without a person."""


class Budget(Matter):
    async def ask(self) -> bool:
        self._id = await _ask(self._table, talk.BUDGET)
        return self._id is not None

    async def look(self, seconds: float) -> QuestionView | None:
        return await _answer(self._table, talk.BUDGET.by, self._id, seconds)

    async def react(self, said: QuestionView) -> None:
        table, who = self._table, talk.BUDGET.by
        self._answers.budget = _from(said)
        table.tell(who, f"is told about the budget: {said.answer}")
        await table.ends(who, tasks.BUDGET, note="A person has answered.")
        if sections.RECOMMENDATION in table.versions:
            await table.writes(WRITER, sections.RECOMMENDATION, sections.recommendation(self._answers, 1))

    async def assume(self) -> None:
        table, who = self._table, talk.BUDGET.by
        table.tell(who, f"goes on and assumes: {talk.BUDGET.assumption}. The question stays open")
        await table.ends(who, tasks.BUDGET, "blocked", "Nobody has answered yet; we go on with an assumption.")


class Guests(Matter):
    async def ask(self) -> bool:
        self._id = await _ask(self._table, talk.GUESTS)
        return self._id is not None

    async def look(self, seconds: float) -> QuestionView | None:
        return await _answer(self._table, talk.GUESTS.by, self._id, seconds)

    async def react(self, said: QuestionView) -> None:
        self._answers.guests = _from(said)
        self._table.tell(WRITER, f"is told about guests: {said.answer}")
        await self._write()

    async def assume(self) -> None:
        self._table.tell(WRITER, f"goes on and assumes: {talk.GUESTS.assumption}. The question stays open")
        await self._write()

    async def _write(self) -> None:
        await self._table.writes(WRITER, sections.GUESTS, sections.guests(self._answers))
        if tasks.GUESTS in self._table.leases:
            await self._table.ends(WRITER, tasks.GUESTS)


class Permission(Matter):
    """To send the summary. What was asked for stays exactly as it was: an approval counts for these words only."""

    async def ask(self) -> bool:
        mail = {"to": talk.RECIPIENTS, "subject": talk.SUBJECT, "text": sections.mail(self._answers)}
        self._inputs, self._token, self._id = mail, None, ""
        table = self._table
        try:
            said = await self._call()
        except ConfirmationRequired as wanted:
            self._token, self._id = wanted.details["confirm_token"], wanted.details["confirmation_id"]
            table.tell(WRITER, f"wants to send the summary; a person must allow it first ({self._id})")
            return True
        except ENDING:
            raise
        except LongtableError as refused:
            table.tell(WRITER, f"cannot ask the office to send the summary ({refused.code})")
            await table.ends(WRITER, tasks.SEND, "cancelled", "The office cannot be asked at this server.")
            return False
        await self._sent(said)
        return False

    async def look(self, seconds: float) -> DecisionStatus | None:
        wait = min(seconds, _LONGEST_WAIT)
        decision = await self._table.agents[WRITER].wait_for_decision(self._id, wait_seconds=wait)
        return None if decision.status == "waiting" else decision

    async def react(self, said: DecisionStatus) -> None:
        table = self._table
        if said.status != "approved":
            because = f": {said.reason}" if said.reason else ""
            table.tell(WRITER, f"may not send the summary ({said.status}){because}")
            await table.says(
                talk.DemoLine(WRITER, f"The summary stays here. The permission was {said.status}{because}.")
            )
            await table.ends(WRITER, tasks.SEND, "cancelled", f"The permission was {said.status}{because}.")
            return
        try:
            await self._sent(await self._call())
        except ENDING:
            raise
        except LongtableError as refused:
            table.tell(WRITER, f"was allowed to send the summary, but it did not work ({refused.code})")
            await table.ends(WRITER, tasks.SEND, "failed", refused.message)

    async def assume(self) -> None:
        self._table.tell(WRITER, f"leaves the summary unsent until a person allows it ({self._id})")
        await self._table.ends(WRITER, tasks.SEND, "blocked", f"{self._id} waits for a person.")

    async def _call(self) -> str:
        agent = self._table.agents[WRITER]
        return (await agent.send_summary(self._inputs, self._table.context(talk.WHY), self._token)).said

    async def _sent(self, said: str) -> None:
        self._table.tell(WRITER, f"has sent the summary: {said}")
        await self._table.says(talk.DemoLine(WRITER, f"Done. The office says: {said}"))
        await self._table.ends(WRITER, tasks.SEND, note=said)


class People:
    """All matters of one story. Each is waited for beside the story, which goes on meanwhile."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._waiting: list[asyncio.Task[None]] = []
        self._listening: list[asyncio.Task[None]] = []
        self.left_open: list[Matter] = []

    async def ask(self, matter: Matter) -> None:
        if await matter.ask():
            self._waiting.append(owned_task(self._settle(matter)))
            # So that patience begins now, and not after the next pause.
            await asyncio.sleep(0)

    async def settled(self) -> None:
        """Returns when each matter is settled or out of patience."""
        await asyncio.gather(*self._waiting)

    async def listen(self) -> None:
        """To what people say after all, for as long as something is open."""
        await asyncio.gather(*self._listening)

    async def leave(self) -> None:
        all_of_them = [*self._waiting, *self._listening]
        for task in all_of_them:
            task.cancel()
        await asyncio.gather(*all_of_them, return_exceptions=True)
        for each in (self._waiting, self._listening, self.left_open):
            each.clear()

    async def _settle(self, matter: Matter) -> None:
        until = time.monotonic() + self._patience
        while (left := until - time.monotonic()) > 0:
            said = await matter.look(left)
            if said is not None:
                await matter.react(said)
                return
        self.left_open.append(matter)
        await matter.assume()
        self._listening.append(owned_task(self._listen(matter)))

    async def _listen(self, matter: Matter) -> None:
        while (said := await matter.look(_LONGEST_WAIT)) is None:
            pass
        self.left_open.remove(matter)
        await matter.react(said)


async def _ask(table: Table, asked: talk.DemoQuestion) -> str | None:
    blocking = asked.options is not None
    question = await table.step(
        asked.by,
        f"asks you{' and needs an answer' if blocking else ''}: {asked.question}",
        table.agents[asked.by].add_question(
            asked.question,
            context=asked.context,
            options=asked.options,
            blocking=blocking,
            priority="high" if blocking else "medium",
        ),
    )
    return question.question.id if question is not None else None


async def _answer(table: Table, who: str, question_id: str | None, seconds: float) -> QuestionView | None:
    assert question_id is not None
    waited = await table.agents[who].wait_for_answers([question_id], timeout_seconds=min(seconds, _LONGEST_WAIT))
    if waited.expired_or_withdrawn:
        # Nobody can answer it any more, so there is nothing to be woken by.
        await asyncio.sleep(seconds)
    return waited.answers[0] if waited.answers else None


def _from(said: QuestionView) -> DemoAnswer:
    return DemoAnswer(said.answer or "", by=said.answered_by)
