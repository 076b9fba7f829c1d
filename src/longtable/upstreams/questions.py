"""What an MCP server asks of its client, and its log messages: passed on to the client of the agent whose call is under
way. What cannot be passed on is refused with a reason."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import mcp_types as types
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from longtable.upstreams.calls_under_way import CallsUnderWay
from longtable.upstreams.client_channel import CannotAsk, ClientChannel, QuestionMethod
from longtable.upstreams.entries import McpEntry

REASON = "longtable/reason"
"""In `_meta` of an answer: why nobody was asked."""

_MAX_ROUNDS = 10
_R = TypeVar("_R")
_Sampled = types.CreateMessageResult | types.CreateMessageResultWithTools
_SAMPLED: TypeAdapter[_Sampled] = TypeAdapter(_Sampled)
_NOT_ALLOWED = "Sampling is not allowed for this server; its operator can allow it with `sampling: allow`."


class UpstreamQuestions:
    def __init__(self, entry: McpEntry) -> None:
        self.entry = entry
        self.under_way = CallsUnderWay()

    def callbacks(self) -> dict[str, Any]:
        """For the SDK's client, which declares a capability for each of them."""
        always = {
            "elicitation_callback": self._elicit,
            "list_roots_callback": self._list_roots,
            "logging_callback": self._log,
        }
        return {**always, "sampling_callback": self._sample} if self.entry.sampling == "allow" else always

    def refuse_sampling(self, session: ClientSession) -> None:
        """With a reason, which the SDK has no place for unless the capability is declared."""
        if self.entry.sampling != "allow":
            session._sampling_callback = _refuse_sampling

    async def answered(
        self,
        result: _R | types.InputRequiredResult,
        repeat: Callable[[dict[str, Any]], Awaitable[_R | types.InputRequiredResult]],
    ) -> _R:
        """Answers what the server needs to know, and repeats the request with it. Raises MCPError."""
        for _ in range(_MAX_ROUNDS):
            if not isinstance(result, types.InputRequiredResult):
                return result
            answers = {name: await self._answer(each) for name, each in (result.input_requests or {}).items()}
            more = {"inputResponses": answers, "requestState": result.request_state}
            result = await repeat({name: value for name, value in more.items() if value})
        raise MCPError(types.INVALID_REQUEST, f"{self.entry.name} has asked {_MAX_ROUNDS} times.")

    async def _answer(self, request: types.InputRequest) -> dict[str, Any]:
        answer: types.Result | types.ErrorData
        if isinstance(request, types.ElicitRequest):
            answer = await self._elicit(None, request.params)
        elif isinstance(request, types.ListRootsRequest):
            answer = await self._list_roots(None)
        elif self.entry.sampling == "allow":
            answer = await self._sample(None, request.params)
        else:
            answer = types.ErrorData(code=types.INVALID_REQUEST, message=_NOT_ALLOWED)
        if isinstance(answer, types.ErrorData):
            raise MCPError.from_error_data(answer)
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def _elicit(
        self, context: ClientRequestContext | None, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        try:
            return types.ElicitResult.model_validate(await self._ask("elicitation/create", params))
        except CannotAsk as refusal:
            return types.ElicitResult(action="cancel", _meta={REASON: str(refusal)})

    async def _list_roots(self, context: ClientRequestContext | None) -> types.ListRootsResult:
        try:
            return types.ListRootsResult.model_validate(await self._ask("roots/list", None))
        except CannotAsk as refusal:
            return types.ListRootsResult(roots=[], _meta={REASON: str(refusal)})

    async def _sample(
        self, context: ClientRequestContext | None, params: types.CreateMessageRequestParams
    ) -> _Sampled | types.ErrorData:
        try:
            return _SAMPLED.validate_python(await self._ask("sampling/createMessage", params), by_name=False)
        except CannotAsk as refusal:
            return types.ErrorData(code=types.INVALID_REQUEST, message=str(refusal))

    async def _ask(self, method: QuestionMethod, params: types.RequestParams | None) -> Mapping[str, Any]:
        fields = {} if params is None else params.model_dump(mode="json", by_alias=True, exclude_none=True)
        fields.pop("_meta", None)
        try:
            return await self.under_way.current().ask(self.entry.name, method, fields)
        except ValidationError:
            raise CannotAsk("The client's answer was not one.") from None

    async def _log(self, params: types.LoggingMessageNotificationParams) -> None:
        try:
            client = self.under_way.current().client
        except CannotAsk:
            return
        if client is not None:
            message = params.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"})
            await client.log(self.entry.name, message)


def log_level_meta(client: ClientChannel | None) -> dict[str, Any]:
    """Params of a request to a server of the newer revision, which sends log messages only where it is told to."""
    level = client.log_level if client is not None else None
    return {} if level is None else {"_meta": {types.LOG_LEVEL_META_KEY: level}}


async def _refuse_sampling(context: ClientRequestContext, params: types.CreateMessageRequestParams) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_REQUEST, message=_NOT_ALLOWED)
