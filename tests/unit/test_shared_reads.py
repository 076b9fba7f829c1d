"""One read for all who ask at the same time: those who come while one is under way share the next."""

import asyncio
from collections.abc import Sequence

from longtable.kernel.errors import StoreUnavailable
from longtable.log.shared_reads import SharedReads


class EchoStore:
    """Answers a question with itself, once it is let go; fails at a question named `bad`."""

    def __init__(self) -> None:
        self.reads: list[list[str]] = []
        self.may_go_on = asyncio.Event()

    async def read(self, topic: str, questions: Sequence[str]) -> list[str]:
        self.reads.append(list(questions))
        await self.may_go_on.wait()
        if "bad" in questions:
            raise StoreUnavailable("It is away.")
        return [f"{topic}: {question}" for question in questions]


async def asked(store: EchoStore, *questions: str) -> list[str | BaseException]:
    """The answers to questions that come one after the other while the first is being answered; `gone` gives up."""
    reads: SharedReads[str, str] = SharedReads(store.read)
    tasks = [asyncio.create_task(reads.ask("topic", question)) for question in questions]
    await asyncio.sleep(0)
    for task, question in zip(tasks, questions, strict=True):
        if question == "gone":
            task.cancel()
    store.may_go_on.set()
    answers = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 40)
    assert await asyncio.wait_for(reads.ask("topic", "later"), 40) == "topic: later"
    return answers


async def test_who_comes_while_another_is_answered_shares_the_next_read() -> None:
    store = EchoStore()

    answers = await asked(store, "first", "second", "third")

    assert answers == ["topic: first", "topic: second", "topic: third"]
    assert store.reads == [["first"], ["second", "third"], ["later"]]


async def test_a_read_that_fails_fails_for_all_who_share_it_and_for_nobody_else() -> None:
    store = EchoStore()

    first, *others = await asked(store, "first", "second", "bad", "gone")

    assert first == "topic: first"
    assert [type(answer) for answer in others] == [StoreUnavailable, StoreUnavailable, asyncio.CancelledError]


async def test_who_gives_up_holds_up_nobody() -> None:
    answers = await asked(EchoStore(), "first", "gone", "third")

    assert (answers[0], answers[2]) == ("topic: first", "topic: third")
