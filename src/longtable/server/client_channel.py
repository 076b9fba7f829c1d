"""The client of an agent, as other servers may use it while a call of the agent is under way: progress, log messages,
and questions to its user. Every question names the server that asks, so that none can speak as us."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import TypeAdapter, ValidationError

from longtable.server.log_levels import log_level_of
from longtable.server.senders import Context, is_modern
from longtable.upstreams.client_channel import CannotAsk, QuestionMethod

HEARD_WITHIN: Final = 0.25
"""Seconds that a call waits for a client to take a notification."""
_MAX_QUESTION: Final = 262_144
_MAX_LOGGED: Final = 65_536
_MAX_LOG_MESSAGES: Final = 1_000
"""The most log messages of one call."""
_QUESTION: TypeAdapter[types.ServerRequest] = TypeAdapter(types.ServerRequest)
_RESULTS: Mapping[QuestionMethod, type[types.Result]] = {
    "elicitation/create": types.ElicitResult,
    "roots/list": types.ListRootsResult,
    "sampling/createMessage": types.CreateMessageResultWithTools,
}

Asking = Callable[[QuestionMethod, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Another way to ask, where the revision has no requests to clients."""


class McpClientChannel:
    """`ctx` is the request that is being answered; it changes when a call takes several."""

    def __init__(self, ctx: Context, asking: Asking | None = None) -> None:
        self.ctx = ctx
        self._asking = asking
        self._is_stuck = False
        self._logged = 0

    @property
    def wants_progress(self) -> bool:
        return (self.ctx.meta or {}).get("progress_token") is not None

    @property
    def log_level(self) -> str | None:
        return log_level_of(self.ctx)

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        await self._notify(lambda: self.ctx.session.report_progress(progress, total, message))

    async def log(self, upstream: str, message: Mapping[str, Any]) -> None:
        self._logged += 1
        level, name, data = message["level"], message.get("logger"), message["data"]
        if not self._wants(level) or self._logged > _MAX_LOG_MESSAGES:
            return
        if len(json.dumps(data)) > _MAX_LOGGED:
            data = "[left out: too large]"
        params = types.LoggingMessageNotificationParams(
            level=level, logger=upstream if name is None else f"{upstream}/{name}"[:200], data=data
        )
        notification = types.LoggingMessageNotification(params=params)
        await self._notify(lambda: self.ctx.session.send_notification(notification, self.ctx.request_id))

    async def ask(self, upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        _check_capability(self.ctx.session.client_capabilities, method, params)
        question = _signed(upstream, method, params)
        if len(json.dumps(question)) > _MAX_QUESTION:
            raise CannotAsk("The question is too long.")
        try:
            if is_modern(self.ctx):
                if self._asking is None:
                    raise CannotAsk("The client cannot be asked during this request.")
                return await self._asking(method, question)
            return await self._request(method, question)
        except (MCPError, ValidationError, TimeoutError) as problem:
            reason = problem.error.message[:300] if isinstance(problem, MCPError) else "it gave no valid answer"
            raise CannotAsk(f"The client did not answer: {reason}.") from None

    async def _request(self, method: QuestionMethod, params: dict[str, Any]) -> dict[str, Any]:
        request = _QUESTION.validate_python({"method": method, "params": params}, by_name=False)
        metadata = ServerMessageMetadata(related_request_id=self.ctx.request_id)
        result = await self.ctx.session.send_request(request, _RESULTS[method], metadata=metadata)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def completed(self, link_id: str) -> None:
        """Tells the client that its user is done with what a link led to."""
        await self._notify(lambda: self.ctx.session.send_elicit_complete(link_id, self.ctx.request_id))

    def _wants(self, level: str) -> bool:
        lowest = self.log_level
        if lowest is None:
            return False
        return level in allowed_log_levels(types.LATEST_PROTOCOL_VERSION, {types.LOG_LEVEL_META_KEY: lowest})

    async def _notify(self, send: Callable[[], Awaitable[None]]) -> None:
        """A client that does not take notifications does not hold up the call."""
        if self._is_stuck:
            return
        try:
            async with asyncio.timeout(HEARD_WITHIN):
                await send()
        except TimeoutError:
            self._is_stuck = True


def can_be_asked(ctx: Context) -> bool:
    """Whether the client has declared that it answers questions of any kind."""
    declared = ctx.session.client_capabilities
    return declared is not None and any((declared.elicitation, declared.roots, declared.sampling))


def can_elicit(ctx: Context) -> bool:
    """Whether the client can ask its user."""
    declared = ctx.session.client_capabilities
    return declared is not None and declared.elicitation is not None


def _check_capability(
    declared: types.ClientCapabilities | None, method: QuestionMethod, params: Mapping[str, Any]
) -> None:
    is_link = method == "elicitation/create" and params.get("mode") == "url"
    if declared is None or not _knows(declared, method, is_link):
        raise CannotAsk(f"The client of the agent has not declared {method}{' with a link' if is_link else ''}.")


def _knows(declared: types.ClientCapabilities, method: QuestionMethod, is_link: bool) -> bool:
    if method == "roots/list":
        return declared.roots is not None
    if method == "sampling/createMessage":
        return declared.sampling is not None
    elicitation = declared.elicitation
    if elicitation is None or is_link:
        return elicitation is not None and elicitation.url is not None
    # A client of the revision before links declares neither.
    return elicitation.form is not None or elicitation.url is None


def _signed(upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
    """The question with the name of the server that asks it."""
    if method == "elicitation/create":
        if params.get("mode") == "url" and urlsplit(str(params.get("url"))).scheme not in ("https", "http"):
            raise CannotAsk("A link must begin with https or http.")
        return {**params, "message": f'The server "{upstream}" asks: {params.get("message", "")}'}
    if method == "sampling/createMessage":
        prompt = f'A request of the server "{upstream}". {params.get("systemPrompt", "")}'.strip()
        return {**params, "systemPrompt": prompt}
    return dict(params)
