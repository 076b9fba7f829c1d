"""Answers that are under way and can be cut short: an event stream has no end of its own, a call may be stuck."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RunningResponses:
    def __init__(self) -> None:
        self._under_way: set[asyncio.Timeout] = set()
        self._one_less = asyncio.Event()

    async def give(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> bool:
        """Runs `app`. An answer that was cut short is ended properly; False if nothing had been said yet."""
        started = unfinished = False

        async def watched(message: Message) -> None:
            nonlocal started, unfinished
            started = True
            unfinished = message["type"] == "http.response.start" or bool(message.get("more_body", False))
            await send(message)

        try:
            async with asyncio.timeout(None) as limit:
                self._under_way.add(limit)
                await app(scope, receive, watched)
        except TimeoutError:
            if not limit.expired():
                raise
            if unfinished:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            return started
        finally:
            self._under_way.discard(limit)
            self._one_less.set()
        return True

    async def end_within(self, seconds: float) -> None:
        """For answers that are about to end by themselves; the others are cut short."""
        try:
            async with asyncio.timeout(seconds):
                while self._under_way:
                    self._one_less.clear()
                    await self._one_less.wait()
        except TimeoutError:
            self.cut_short()

    def cut_short(self) -> None:
        for limit in self._under_way:
            limit.reschedule(0)
