"""What the team needs of people: two answers and one approval. It waits as long as its patience lasts, goes on with an
assumption then, and still listens afterwards."""

import asyncio
import time
from abc import ABC, abstractmethod
from typing import Any

from longtable.demo.table import ENDING, DemoAnswer, DemoTable
from longtable.kernel.background import owned_task
from longtable.kernel.errors import ConfirmationRequired, LongtableError
from longtable_client.results import DecisionStatus, QuestionView

_LONGEST_WAIT = 20.0
_SEND_TASK = "t10"


class HumanRequest(ABC):
    """Something that only a person can settle."""

    def __init__(self, table: DemoTable, who: str) -> None:
        self._table = table
        self._who = who

    @abstractmethod
    async def ask(self) -> bool:
        """Whether there is something to wait for now."""

    @abstractmethod
    async def wait(self, seconds: float) -> Any:
        """What a person has said, within so many seconds; None if no one did."""

    @abstractmethod
    async def react(self, settled: Any) -> None: ...

    @abstractmethod
    async def assume(self) -> None:
        """Goes on without a person."""


class QuestionRequest(HumanRequest):
    """A question of the script. With options it is a blocking one."""

    def __init__(self, table: DemoTable, who: str, name: str) -> None:
        super().__init__(table, who)
        self._name = name
        self._question = table.script["questions"][name]
        self._id = ""

    async def ask(self) -> bool:
        options = self._question.get("options")
        added = await self._table.step(
            self._who,
            f"asks you{' and needs an answer' if options else ''}: {self._question['question']}",
            self._table.agents[self._who].add_question(
                self._question["question"],
                context=self._question["context"],
                options=options,
                blocking=options is not None,
                priority="high" if options else "medium",
            ),
        )
        self._id = added.question.id if added is not None else ""
        return added is not None

    async def wait(self, seconds: float) -> QuestionView | None:
        agent = self._table.agents[self._who]
        waited = await agent.wait_for_answers([self._id], timeout_seconds=min(seconds, _LONGEST_WAIT))
        if waited.expired_or_withdrawn:
            # It cannot be answered any more, so no answer ends the wait.
            await asyncio.sleep(seconds)
        return waited.answers[0] if waited.answers else None

    async def react(self, settled: QuestionView) -> None:
        self._table.answers[self._name] = DemoAnswer(settled.answer or "", by=settled.answered_by)
        self._table.report(self._who, f"is told about {self._question['about']}: {settled.answer}")
        if self._name == "guests":
            await self._write_guests()
            return
        await self._table.ends(self._who, self._question["task"], note="A person has answered.")
        if "recommendation" in self._table.versions:
            await self._table.writes("writer", "recommendation", 1)

    async def assume(self) -> None:
        assumption = self._question["assumption"]
        self._table.report(self._who, f"goes on and assumes: {assumption}. The question stays open")
        if self._name == "guests":
            await self._write_guests()
            return
        note = "Nobody has answered yet; we go on with an assumption."
        await self._table.ends(self._who, self._question["task"], "blocked", note)

    async def _write_guests(self) -> None:
        await self._table.writes(self._who, "guests", 0)
        if self._question["task"] in self._table.leases:
            await self._table.ends(self._who, self._question["task"])


class ApprovalRequest(HumanRequest):
    """To send the summary. The inputs stay exactly as they were: an approval counts for these words only."""

    async def ask(self) -> bool:
        table, mail = self._table, self._table.script["mail"]
        text = table.fill(mail["text"]).replace("**", "")
        self._inputs = {"to": mail["to"], "subject": mail["subject"], "text": text}
        self._token, self._id = None, ""
        try:
            result = await self._call()
        except ConfirmationRequired as required:
            self._token, self._id = required.details["confirm_token"], required.details["confirmation_id"]
            table.report(self._who, f"wants to send the summary; a person must allow it first ({self._id})")
            return True
        except ENDING:
            raise
        except LongtableError as refused:
            table.report(self._who, f"cannot ask the office to send the summary ({refused.code})")
            await table.ends(self._who, _SEND_TASK, "cancelled", "The office cannot be asked at this server.")
            return False
        await self._sent(result)
        return False

    async def wait(self, seconds: float) -> DecisionStatus | None:
        agent = self._table.agents[self._who]
        decision = await agent.wait_for_decision(self._id, wait_seconds=min(seconds, _LONGEST_WAIT))
        return None if decision.status == "waiting" else decision

    async def react(self, settled: DecisionStatus) -> None:
        table = self._table
        if settled.status != "approved":
            because = f": {settled.reason}" if settled.reason else ""
            table.report(self._who, f"may not send the summary ({settled.status}){because}")
            outcome = f"The permission was {settled.status}{because}."
            await table.say(self._who, f"The summary stays here. {outcome}")
            await table.ends(self._who, _SEND_TASK, "cancelled", outcome)
            return
        try:
            await self._sent(await self._call())
        except ENDING:
            raise
        except LongtableError as refused:
            table.report(self._who, f"was allowed to send the summary, but it did not work ({refused.code})")
            await table.ends(self._who, _SEND_TASK, "failed", refused.message)

    async def assume(self) -> None:
        self._table.report(self._who, f"leaves the summary unsent until a person allows it ({self._id})")
        await self._table.ends(self._who, _SEND_TASK, "blocked", f"{self._id} waits for a person.")

    async def _call(self) -> str:
        context = self._table.context(self._table.script["mail"]["why"])
        return (await self._table.agents[self._who].send_summary(self._inputs, context, self._token)).said

    async def _sent(self, result: str) -> None:
        self._table.report(self._who, f"has sent the summary: {result}")
        await self._table.say(self._who, f"Done. The office says: {result}")
        await self._table.ends(self._who, _SEND_TASK, note=result)


class People:
    """All requests of one story. Each is waited for beside the story, which goes on meanwhile."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._waiting: list[asyncio.Task[None]] = []
        self._listening: list[asyncio.Task[None]] = []
        self.left_open: list[HumanRequest] = []

    async def ask(self, table: DemoTable, who: str, name: str) -> None:
        request = ApprovalRequest(table, who) if name == "permission" else QuestionRequest(table, who, name)
        if await request.ask():
            self._waiting.append(owned_task(self._settle(request)))
            # So that patience begins now, and not after the next pause.
            await asyncio.sleep(0)

    async def settled(self) -> None:
        """Returns when each request is settled or out of patience."""
        await asyncio.gather(*self._waiting)

    async def listen(self) -> None:
        """To what people say after all, for as long as something is open."""
        await asyncio.gather(*self._listening)

    async def leave(self) -> None:
        tasks = [*self._waiting, *self._listening]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for each in (self._waiting, self._listening, self.left_open):
            each.clear()

    async def _settle(self, request: HumanRequest) -> None:
        deadline = time.monotonic() + self._patience
        while (left := deadline - time.monotonic()) > 0:
            answer = await request.wait(left)
            if answer is not None:
                await request.react(answer)
                return
        self.left_open.append(request)
        await request.assume()
        self._listening.append(owned_task(self._listen(request)))

    async def _listen(self, request: HumanRequest) -> None:
        while (answer := await request.wait(_LONGEST_WAIT)) is None:
            pass
        self.left_open.remove(request)
        await request.react(answer)
