"""The calls that are under way at one upstream, and which of them a message of the upstream belongs to."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import anyio

from longtable.upstreams.client_channel import CannotAsk, ClientChannel, QuestionMethod

QUESTION_SECONDS = 300.0
"""How long a person may take to answer."""


class CallUnderWay:
    def __init__(self, client: ClientChannel | None, scope: anyio.CancelScope) -> None:
        self.client = client
        self._scope = scope
        self._questions = 0
        self._left = 0.0

    async def ask(self, upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        """The time that a person takes does not count for the timeout of the call. Raises CannotAsk."""
        if self.client is None:
            raise CannotAsk("The client of the agent has not declared that it can be asked.")
        with self._paused(), anyio.move_on_after(QUESTION_SECONDS):
            return await self.client.ask(upstream, method, params)
        raise CannotAsk(f"There was no answer within {QUESTION_SECONDS:g} s.")

    @contextmanager
    def _paused(self) -> Iterator[None]:
        if self._questions == 0:
            self._left, self._scope.deadline = self._scope.deadline - anyio.current_time(), math.inf
        self._questions += 1
        try:
            yield
        finally:
            self._questions -= 1
            if self._questions == 0:
                self._scope.deadline = anyio.current_time() + self._left


_CURRENT: ContextVar[CallUnderWay | None] = ContextVar("call_under_way", default=None)
"""The SDK hands the context of a request to whatever arrives on the stream of its response."""


class CallsUnderWay:
    def __init__(self) -> None:
        self._calls: set[CallUnderWay] = set()

    @contextmanager
    def entered(self, client: ClientChannel | None, scope: anyio.CancelScope) -> Iterator[None]:
        """`scope` has the timeout of the call."""
        call = CallUnderWay(client, scope)
        self._calls.add(call)
        token = _CURRENT.set(call)
        try:
            yield
        finally:
            _CURRENT.reset(token)
            self._calls.discard(call)

    def current(self) -> CallUnderWay:
        """The call on whose stream a message came; where there is one stream for all, the only call. Raises
        CannotAsk."""
        named = _CURRENT.get()
        if named is not None and named in self._calls:
            return named
        if not self._calls:
            raise CannotAsk("No call is under way, so there is nobody to ask.")
        if len(self._calls) > 1:
            raise CannotAsk("Several calls are under way, and nothing says which of them this belongs to.")
        (only,) = self._calls
        return only
