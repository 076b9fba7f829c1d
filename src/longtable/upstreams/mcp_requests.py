"""Sends requests about resources, prompts and completion to an MCP server."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from longtable.kernel.errors import NotFound, UpstreamError
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.questions import UpstreamQuestions
from longtable.upstreams.requests import RequestMethod, UpstreamRequest

NOT_THERE = (-32_002, types.INVALID_PARAMS)
"""Codes for a resource or a prompt that the server does not have; the first until revision 2025-11-25."""


@dataclass(frozen=True, slots=True)
class _Method:
    request: type[types.Request[Any, Any]]
    result: TypeAdapter[Any]
    capability: str


_METHODS: Mapping[RequestMethod, _Method] = {
    "resources/list": _Method(types.ListResourcesRequest, TypeAdapter(types.ListResourcesResult), "resources"),
    "resources/templates/list": _Method(
        types.ListResourceTemplatesRequest, TypeAdapter(types.ListResourceTemplatesResult), "resources"
    ),
    "resources/read": _Method(
        types.ReadResourceRequest, TypeAdapter(types.ReadResourceResult | types.InputRequiredResult), "resources"
    ),
    "prompts/list": _Method(types.ListPromptsRequest, TypeAdapter(types.ListPromptsResult), "prompts"),
    "prompts/get": _Method(
        types.GetPromptRequest, TypeAdapter(types.GetPromptResult | types.InputRequiredResult), "prompts"
    ),
    "completion/complete": _Method(types.CompleteRequest, TypeAdapter(types.CompleteResult), "completions"),
}


async def send_request(
    session: ClientSession, entry: McpEntry, request: UpstreamRequest, questions: UpstreamQuestions
) -> dict[str, Any]:
    """Raises MCPError, NotFound and UpstreamError."""
    method = _METHODS[request.method]
    if getattr(session.server_capabilities, method.capability, None) is None:
        return {}

    async def send(more: dict[str, Any]) -> Any:
        params = {"method": request.method, "params": {**request.params, **more}}
        return await session.send_request(method.request.model_validate(params, by_name=False), method.result)

    try:
        result = await questions.answered(await send({}), send)
    except ValidationError:
        problem = f"{entry.name} answered with something that is not a result, or is too long."
        raise UpstreamError(problem, upstream=entry.name) from None
    except MCPError as error:
        if error.error.code == types.METHOD_NOT_FOUND:
            return {}
        if error.error.code in NOT_THERE:
            raise NotFound(entry.mask(error.error.message[:300]), upstream=entry.name) from None
        raise
    dumped: dict[str, Any] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped
