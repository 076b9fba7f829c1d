"""Responses under way. Each can be cut short, as an event stream has no end of its own and a call may be stuck; and the
work for one ends when its client has gone, as nothing waits for it any more."""

import asyncio

from starlette.types import Message, Receive, Send

from longtable.kernel.background import owned_task
from longtable.kernel.delivery import Delivery
from longtable.server.intake import Peer

WATCHED_AFTER = 0.05
"""Seconds. Most calls are over by then, and a task for each would cost more than some of them."""


class RunningResponse:
    """One response, created in the task that does the work: it sends the response, and can cancel the work. That of a
    call has a `delivery`, which says when it may be cancelled."""

    __slots__ = (
        "_has_cancelled",
        "_send",
        "_working",
        "after_body",
        "delivery",
        "is_started",
        "is_unfinished",
        "watching",
    )

    def __init__(self, send: Send) -> None:
        self._send = send
        self._working = asyncio.current_task()
        self._has_cancelled = False
        self.watching: asyncio.Task[None] | None = None
        self.delivery: Delivery | None = None
        self.after_body: Receive | None = None
        self.is_started = self.is_unfinished = False

    @property
    def is_abandoned(self) -> bool:
        """Whether its client has gone, and it was not sent by then."""
        return self.delivery is not None and self.delivery.is_abandoned

    def lose_client(self) -> None:
        """The connection has ended. Nothing waits for the work any more."""
        if self.delivery is None:
            self.cancel()
        else:
            self.delivery.abandon(self.cancel)

    async def send(self, message: Message) -> None:
        self.is_started = True
        self.is_unfinished = message["type"] == "http.response.start" or message.get("more_body", False)
        await self._send(message)
        if self.delivery is not None and not self.is_unfinished:
            self.delivery.sent()

    async def finish(self) -> None:
        """Ends the body of a response that was cut short."""
        if self.is_unfinished:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    def cancel(self) -> None:
        if self._working is not None and not self._has_cancelled:
            self._has_cancelled = True
            self._working.cancel()

    def caused_cancellation(self) -> bool:
        """Whether a cancellation that has arrived is from here, and from nowhere else as well."""
        return self._has_cancelled and self._working is not None and self._working.uncancel() == 0

    def watch(self) -> None:
        self.watching = owned_task(self._watch())

    async def _watch(self) -> None:
        assert self.after_body is not None
        # After the body of a request comes nothing but its end.
        while (await self.after_body())["type"] != "http.disconnect":
            continue
        self.lose_client()


class RunningResponses:
    """`draining` says that no new one should begin."""

    def __init__(self) -> None:
        self.draining = False
        self.under_way: set[RunningResponse] = set()
        self._unwatched: dict[RunningResponse, float] = {}
        self._is_timer_set = False
        self._all_ended: asyncio.Event | None = None

    def follow_client(self, response: RunningResponse, peer: Peer | None, after_body: Receive) -> None:
        """The work for a response ends when its client has gone. A connection of ours tells of that; another one is
        watched if the response takes long. One timer does for all of them."""
        if peer is not None:
            peer.on_lost = response.lose_client
            if not peer.is_open:
                response.lose_client()
            return
        response.after_body = after_body
        loop = asyncio.get_running_loop()
        self._unwatched[response] = loop.time() + WATCHED_AFTER
        if not self._is_timer_set:
            self._is_timer_set = True
            loop.call_later(WATCHED_AFTER, self._watch_late_ones)

    def end(self, response: RunningResponse) -> None:
        self.under_way.discard(response)
        self._unwatched.pop(response, None)
        if response.watching is not None:
            response.watching.cancel()
        if self._all_ended is not None and not self.under_way:
            self._all_ended.set()

    async def drain(self, seconds: float) -> bool:
        """Lets what has begun finish. False when the time was over first."""
        self.draining = True
        return await self._end_by_themselves(seconds)

    async def end_within(self, seconds: float) -> None:
        """For responses that are about to end by themselves; the others are cut short."""
        if not await self._end_by_themselves(seconds):
            self.cut_short()

    def cut_short(self) -> None:
        for response in self.under_way:
            response.cancel()

    async def _end_by_themselves(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                while self.under_way:
                    self._all_ended = asyncio.Event()
                    await self._all_ended.wait()
        except TimeoutError:
            return False
        return True

    def _watch_late_ones(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        late = [response for response, moment in self._unwatched.items() if moment <= now]
        for response in late:
            del self._unwatched[response]
            response.watch()
        # In the order in which they began, so that the first of those left is the next.
        moment = next(iter(self._unwatched.values()), None)
        self._is_timer_set = moment is not None
        if moment is not None:
            loop.call_at(moment, self._watch_late_ones)
