"""The client of a call, on both sides of the process proxy."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from longtable.upstreams.client_channel import CannotAsk, ClientChannel, QuestionMethod
from longtable.upstreams.port import Progress

Send = Callable[[dict[str, Any]], Awaitable[None]]


class ProxiedClient:
    """In the process that runs the program: the client is asked by the process on the other side."""

    def __init__(self, log_level: str | None, send: Send) -> None:
        self.log_level = log_level
        self._send = send
        self._numbers = itertools.count(1)
        self._questions: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def log(self, upstream: str, message: Mapping[str, Any]) -> None:
        await self._send({"log": dict(message), "upstream": upstream})

    async def ask(self, upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._questions[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"question": number, "upstream": upstream, "method": method, "params": dict(params)})
            reply = await answer
        finally:
            del self._questions[number]
        if "cannot" in reply:
            raise CannotAsk(str(reply["cannot"]))
        result: dict[str, Any] = reply["result"]
        return result

    def answered(self, message: Mapping[str, Any]) -> None:
        answer = self._questions.get(message["question"])
        if answer is not None and not answer.done():
            answer.set_result(dict(message))


class PendingRequest:
    """On the side of the client: a request that has been sent, and to whom goes what comes before its reply."""

    def __init__(self, progress: Progress | None, client: ClientChannel | None) -> None:
        self.reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.client = client
        self.questions: list[asyncio.Task[None]] = []
        self._progress = progress

    async def pass_on(self, message: dict[str, Any]) -> None:
        if "progress" in message and self._progress is not None:
            await self._progress(*message["progress"])
        elif "log" in message and self.client is not None:
            await self.client.log(message["upstream"], message["log"])


async def answer_question(client: ClientChannel | None, message: Mapping[str, Any]) -> dict[str, Any]:
    """On the side of the client: what is sent back for a question."""
    reply: dict[str, Any] = {"ask": "answer", "question": message["question"]}
    try:
        if client is None:
            raise CannotAsk("The client of the agent has not declared that it can be asked.")
        return {**reply, "result": await client.ask(message["upstream"], message["method"], message["params"])}
    except CannotAsk as refusal:
        return {**reply, "cannot": str(refusal)}


class PatientClient:
    """A client whose answers do not count for the timeout of the call."""

    def __init__(self, client: ClientChannel, limit: asyncio.Timeout, seconds: float) -> None:
        self._client = client
        self._limit = limit
        self._seconds = seconds

    @property
    def log_level(self) -> str | None:
        return self._client.log_level

    async def log(self, upstream: str, message: Mapping[str, Any]) -> None:
        await self._client.log(upstream, message)

    async def ask(self, upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        self._limit.reschedule(None)
        try:
            return await self._client.ask(upstream, method, params)
        finally:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._seconds)
