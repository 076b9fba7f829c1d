"""Calls of one upstream within the limits of its entry: the circuit breaker, calls at a time, and the timeout."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from longtable.kernel.errors import UpstreamError, UpstreamTimeout
from longtable.upstreams.circuit_breaker import CircuitBreaker
from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.instance_limits import Usage
from longtable.upstreams.questions import UpstreamQuestions

_R = TypeVar("_R")


class LimitedCalls:
    def __init__(self, entry: McpEntry, breaker: CircuitBreaker, questions: UpstreamQuestions, usage: Usage) -> None:
        self._name = entry.name
        self._timeout = entry.limits.timeout
        self._breaker = breaker
        self._questions = questions
        self._usage = usage
        self._slots = asyncio.Semaphore(entry.limits.max_concurrency)

    async def run(self, client: ClientChannel | None, send: Callable[[], Awaitable[_R]]) -> _R:
        """Raises what `send` raises, or UpstreamTimeout."""
        self._breaker.admit()
        seconds = self._timeout
        try:
            with self._usage, anyio.fail_after(seconds) as scope, self._questions.under_way.entered(client, scope):
                async with self._slots:
                    result = await send()
        except TimeoutError:
            self._breaker.failed()
            problem = f"{self._name} did not answer within {seconds:g} s."
            raise UpstreamTimeout(problem, upstream=self._name, timeout=seconds) from None
        except (UpstreamError, UpstreamTimeout):
            self._breaker.failed()
            raise
        except BaseException:
            self._breaker.abandoned()
            raise
        self._breaker.succeeded()
        return result
