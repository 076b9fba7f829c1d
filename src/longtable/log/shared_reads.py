"""Reads the store once for many that ask for something alike at the same time, such as all who waited for one event."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from longtable.kernel.background import owned_task

Q = TypeVar("Q")
A = TypeVar("A")
MOST = 250
"""So many are answered by one read."""


class SharedReads(Generic[Q, A]):
    """`read` answers questions about one topic, in their order. A question that comes while no other one is being
    answered is read for at once and alone; those that come meanwhile share the next read, which begins later than
    all of them."""

    def __init__(self, read: Callable[[Any, Sequence[Q]], Awaitable[Sequence[A]]]) -> None:
        self._read = read
        self._waiting: dict[Hashable, list[tuple[Q, asyncio.Future[A]]]] = {}
        self._draining: set[asyncio.Task[None]] = set()

    async def ask(self, topic: Hashable, question: Q) -> A:
        waiting = self._waiting.get(topic)
        if waiting is not None:
            answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
            waiting.append((question, answer))
            return await answer
        self._waiting[topic] = []
        try:
            return (await self._read(topic, [question]))[0]
        finally:
            if self._waiting[topic]:
                draining = owned_task(self._drain(topic))
                self._draining.add(draining)
                draining.add_done_callback(self._draining.discard)
            else:
                del self._waiting[topic]

    async def _drain(self, topic: Hashable) -> None:
        waiting = self._waiting[topic]
        while waiting:
            batch = waiting[:MOST]
            del waiting[:MOST]
            try:
                answers = await self._read(topic, [question for question, _ in batch])
            except Exception as error:  # noqa: BLE001 - each of those who asked raises it
                for _, future in batch:
                    _fail(future, error)
                continue
            for (_, future), answer in zip(batch, answers, strict=True):
                # One that has gone has cancelled its future.
                if not future.done():
                    future.set_result(answer)
        del self._waiting[topic]


def _fail(future: "asyncio.Future[Any]", error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
