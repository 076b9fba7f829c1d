"""Shows what an agent waits for to the user of the agent's own client, where the client can ask: an open question as a
form, whose answer counts as passed on by the agent; a call that waits for approval only as a link to the console."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types

from longtable.app import App
from longtable.kernel.background import owned_task
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.errors import LongtableError
from longtable.server.client_channel import McpClientChannel, can_elicit
from longtable.server.parked_calls import ParkedCalls
from longtable.server.senders import Context, MessageSender, is_modern
from longtable.upstreams.client_channel import CannotAsk

if TYPE_CHECKING:
    from longtable.questions.model import QuestionView

WAIT_FOR_ANSWERS: Final = "wait_for_answers"
_WAITS: Final = {WAIT_FOR_ANSWERS: "timeout_seconds", "wait_for_decision": "wait_seconds"}
"""The calls during which a user is asked, and the argument that says for how long they wait."""
_ASKED_BY: Final = "longtable"
_MAX_SHOWN: Final = 10_000
"""What this process remembers of what it has shown, so that nobody is asked again by the next call that waits."""

Wait = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Makes the call with these arguments."""


class Elicitation:
    def __init__(self, app: App) -> None:
        self.app = app
        self._parked = ParkedCalls()
        self._shown: dict[tuple[str, str, str], None] = {}

    def concerns(self, ctx: Context, params: types.CallToolRequestParams) -> bool:
        if params.name not in _WAITS or not self.app.settings.elicitation:
            return False
        return can_elicit(ctx) or (is_modern(ctx) and params.request_state is not None)

    async def call(
        self, ctx: Context, sender: MessageSender, params: types.CallToolRequestParams, wait: Wait
    ) -> dict[str, Any]:
        """Raises NotFound for a call that its client has left to another process."""
        if is_modern(ctx):
            return await self._parked.answer(ctx, sender.caller, params, partial(self._run, sender, params, wait))
        prompt = _Prompt(self, McpClientChannel(ctx), sender, params)
        # It outlasts the call: a user who takes longer than an agent waits is still heard.
        task = self.app.background.start("elicitation", prompt.run)
        result = await wait(params.arguments or {})
        if prompt.is_settled_by(result):
            # The client is told to close what it shows before it has the result.
            await task.stop()
            await prompt.complete()
        return result

    def is_new(self, caller: Caller, subject: str) -> bool:
        """Whether it is shown for the first time; says so once."""
        key = (caller.tenant, caller.session_id or "", subject)
        if key in self._shown:
            return False
        if len(self._shown) >= _MAX_SHOWN:
            self._shown.clear()
        self._shown[key] = None
        return True

    async def _run(
        self, sender: MessageSender, params: types.CallToolRequestParams, wait: Wait, channel: McpClientChannel
    ) -> dict[str, Any]:
        prompt, arguments = _Prompt(self, channel, sender, params), params.arguments or {}
        task = owned_task(prompt.run())
        try:
            result = await wait(arguments)
            if not prompt.is_settled_by(result) and not task.done():
                await task
                result = await wait({**arguments, _WAITS[params.name]: 0})
            return result
        finally:
            task.cancel()


class _Prompt:
    """What a user is shown during one call."""

    def __init__(
        self,
        elicitation: Elicitation,
        channel: McpClientChannel,
        sender: MessageSender,
        params: types.CallToolRequestParams,
    ) -> None:
        self._elicitation = elicitation
        self._channel = channel
        self._sender = sender
        self._params = params
        self._subject: str | None = None
        self._link_id: str | None = None

    async def run(self) -> None:
        """What cannot be asked is left to the console."""
        try:
            if self._params.name == WAIT_FOR_ANSWERS:
                await self._ask_questions(await self._in_its_session())
            else:
                await self._show_link(await self._placed())
        except (CannotAsk, LongtableError):
            return

    def is_settled_by(self, result: Mapping[str, Any]) -> bool:
        body = result["structuredContent"]
        if result["isError"] or self._subject is None:
            return True
        if self._params.name == WAIT_FOR_ANSWERS:
            return self._subject not in body["still_pending"]
        return bool(body["status"] != "waiting")

    async def complete(self) -> None:
        """Tells the client that what its user opened is over."""
        if self._link_id is not None:
            await self._channel.completed(self._link_id)

    async def _in_its_session(self) -> Caller:
        """Questions belong to a session, also to that which a caller without one gets."""
        sender = self._sender
        if sender.refusal is not None:
            raise sender.refusal
        return await self._elicitation.app.session_resolver.resolve_listener(
            sender.caller, None, sender.current_session
        )

    async def _placed(self) -> Caller:
        """The caller in its session, as for the call itself. That call also reports what is wrong."""
        caller = self._sender.caller_in_session
        if self._sender.refusal is not None:
            raise self._sender.refusal
        if caller.session_id is not None:
            await self._elicitation.app.session_resolver.check(self._sender.caller, caller.session_id, to_change=True)
        return caller

    async def _ask_questions(self, caller: Caller) -> None:
        """One after another, until the user does not answer one."""
        relayed_answers = self._elicitation.app.slices.relayed_answers
        ids = (self._params.arguments or {}).get("question_ids")
        if ids is not None and not isinstance(ids, list):
            return
        for question in await relayed_answers.open_questions(caller, ids):
            if question.id != self._subject and not self._elicitation.is_new(caller, question.id):
                continue
            self._subject = question.id
            answer = _answer_in(await self._channel.ask(_ASKED_BY, "elicitation/create", _form(question)))
            if answer is None:
                return
            call = Call(caller, WAIT_FOR_ANSWERS, "answer_relayed")
            await relayed_answers.relay(call, question.id, answer)

    async def _show_link(self, caller: Caller) -> None:
        app, request = self._elicitation.app, self._channel.ctx.request
        call = Call(caller, self._params.name, "decision_awaited")
        named = str((self._params.arguments or {}).get("confirmation_id"))
        decision = await app.slices.gateway.dependencies.decisions.wait(call, named, 0)
        if decision.status != "waiting" or request is None or not app.settings.enable_console:
            return
        if decision.confirmation_id == self._subject or self._elicitation.is_new(caller, decision.confirmation_id):
            self._subject, self._link_id = decision.confirmation_id, secrets.token_urlsafe(12)
            message = f"May {caller.agent} call {decision.tool}? Decide in the console ({decision.confirmation_id})."
            link = {"mode": "url", "message": message, "url": str(request.base_url), "elicitationId": self._link_id}
            await self._channel.ask(_ASKED_BY, "elicitation/create", link)


def _form(question: "QuestionView") -> dict[str, Any]:
    answer = {"type": "string", "title": "Answer" if question.options is None else "Or in your own words"}
    choice = (
        {"choice": {"type": "string", "title": "Answer", "enum": list(question.options)}} if question.options else {}
    )
    lines = [question.question, question.context or "", f"Your answer is recorded as passed on by {question.asked_by}."]
    return {
        "mode": "form",
        "message": "\n\n".join(line for line in lines if line),
        "requestedSchema": {"type": "object", "properties": {**choice, "answer": answer}},
    }


def _answer_in(reply: Mapping[str, Any]) -> str | None:
    """The answer of the user; None if there is none."""
    content = reply.get("content")
    if reply.get("action") != "accept" or not isinstance(content, dict):
        return None
    answers = [value.strip() for name in ("answer", "choice") if isinstance(value := content.get(name), str)]
    return next(filter(None, answers), None)
