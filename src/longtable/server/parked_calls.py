"""Calls that wait for the answer of a client which cannot be sent a request: revision 2026-07-28. The call goes on in a
task; its client gets the questions as a result, and repeats the call with the answers."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types

from longtable.kernel.background import owned_task
from longtable.kernel.caller import Caller
from longtable.kernel.errors import NotFound
from longtable.server.client_channel import McpClientChannel
from longtable.server.senders import Context
from longtable.upstreams.calls_under_way import QUESTION_SECONDS
from longtable.upstreams.client_channel import QuestionMethod

_T = TypeVar("_T")
Run = Callable[[McpClientChannel], Awaitable[dict[str, Any]]]


class ParkedCall:
    """A call of one caller, and the questions that wait for an answer."""

    def __init__(self, ctx: Context, caller: Caller, params: types.CallToolRequestParams, run: Run) -> None:
        self.state = secrets.token_urlsafe(24)
        self.of = _identity(caller, params)
        self._channel = McpClientChannel(ctx, self._ask)
        self._questions: dict[str, dict[str, Any]] = {}
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._asked = asyncio.Event()
        self.task: asyncio.Task[dict[str, Any]] = owned_task(_awaited(run(self._channel)))

    async def outcome(self) -> dict[str, Any]:
        """The result of the call, or the questions that it waits for."""
        question = owned_task(_awaited(self._asked.wait()))
        try:
            await asyncio.wait({self.task, question}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.task.cancel()
            raise
        finally:
            question.cancel()
        if self.task.done():
            return self.task.result()
        return {"resultType": "input_required", "inputRequests": dict(self._questions), "requestState": self.state}

    def resume(self, ctx: Context, answers: dict[str, dict[str, Any]]) -> None:
        self._channel.ctx = ctx
        for name, answer in answers.items():
            waiting = self._answers.get(name)
            if waiting is not None and not waiting.done():
                self._questions.pop(name, None)
                waiting.set_result(answer)
        if not self._questions:
            self._asked.clear()

    async def _ask(self, method: QuestionMethod, params: dict[str, Any]) -> dict[str, Any]:
        name = f"question-{secrets.token_hex(4)}"
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[name] = answer
        self._questions[name] = {"method": method, "params": params}
        self._asked.set()
        try:
            return await answer
        finally:
            self._questions.pop(name, None)
            del self._answers[name]


class ParkedCalls:
    """Those of this process. A client normally comes back to it, over the connection that it has open."""

    def __init__(self) -> None:
        self._calls: dict[str, ParkedCall] = {}

    async def answer(
        self, ctx: Context, caller: Caller, params: types.CallToolRequestParams, run: Run
    ) -> dict[str, Any]:
        """Runs a call, or goes on with one that waits. Raises NotFound for one that does not wait here."""
        if params.request_state is None:
            call = ParkedCall(ctx, caller, params, run)
        else:
            call = self._find(caller, params)
            answers = {
                name: each.model_dump(mode="json", by_alias=True, exclude_none=True)
                for name, each in (params.input_responses or {}).items()
            }
            call.resume(ctx, answers)
        outcome = await call.outcome()
        if call.task.done():
            self._calls.pop(call.state, None)
        elif call.state not in self._calls:
            self._calls[call.state] = call
            asyncio.get_running_loop().call_later(2 * QUESTION_SECONDS, self._end, call.state)
        return outcome

    def _find(self, caller: Caller, params: types.CallToolRequestParams) -> ParkedCall:
        call = self._calls.get(params.request_state or "")
        if call is None or call.of != _identity(caller, params):
            raise NotFound(
                "No such call waits here: it has ended, or another process of the server has it.",
                hint="Make the call again, without requestState.",
            )
        return call

    def _end(self, state: str) -> None:
        call = self._calls.pop(state, None)
        if call is not None:
            call.task.cancel()


def _identity(caller: Caller, params: types.CallToolRequestParams) -> tuple[Any, ...]:
    return caller.tenant, caller.agent, caller.credential, params.name, params.arguments


async def _awaited(work: Awaitable[_T]) -> _T:
    return await work
