"""The server that the official conformance suites ask for: exact names of tools, resources and prompts."""

import json
import re
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

from tests.conformance import rounds, tools
from tests.conformance.content import PNG, Context, embedded, image, text

NAME = "longtable-conformance"
TOOLS = tools.box.tools | rounds.box.tools
HANDLERS = tools.box.handlers | rounds.box.handlers
TEMPLATE = re.compile(r"test://template/(?P<id>[^/]+)/data")

RESOURCES = [
    types.Resource(uri="test://static-text", name="Text", description="A text", mime_type="text/plain"),
    types.Resource(uri="test://static-binary", name="Image", description="An image", mime_type="image/png"),
    types.Resource(uri="test://watched-resource", name="Watched", description="A text", mime_type="text/plain"),
]
TEMPLATES = [
    types.ResourceTemplate(
        uri_template="test://template/{id}/data", name="Data", description="By id", mime_type="application/json"
    )
]


def _argument(name: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=f"The argument {name}", required=True)


PROMPTS = [
    types.Prompt(name="test_simple_prompt", description="One text"),
    types.Prompt(
        name="test_prompt_with_arguments",
        description="A text with two arguments",
        arguments=[_argument("arg1"), _argument("arg2")],
    ),
    types.Prompt(
        name="test_prompt_with_embedded_resource",
        description="A resource and a text",
        arguments=[_argument("resourceUri")],
    ),
    types.Prompt(name="test_prompt_with_image", description="An image and a text"),
    types.Prompt(name="test_input_required_result_prompt", description="Asks the user before it is written"),
]


async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=list(TOOLS.values()))


async def call_tool(
    ctx: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    handler = HANDLERS.get(params.name)
    if handler is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    return await handler(ctx, params)


async def list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=RESOURCES)


async def list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)


def _contents(uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
    if uri == "test://static-text":
        words = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=words)
    if uri == "test://static-binary":
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    if uri == "test://watched-resource":
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text="Watched.")
    if match := TEMPLATE.fullmatch(uri):
        data = {"id": match["id"], "templateTest": True, "data": f"Data for ID: {match['id']}"}
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(data))
    return None


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    contents = _contents(str(params.uri))
    if contents is None:
        raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": str(params.uri)})
    return types.ReadResourceResult(contents=[contents])


async def accept(ctx: Context, params: Any) -> types.EmptyResult:
    """Answers a request that only wants to be accepted."""
    return types.EmptyResult()


async def list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=PROMPTS)


def _messages(name: str, arguments: dict[str, str]) -> list[types.ContentBlock]:
    match name:
        case "test_simple_prompt":
            return [text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            return [text(f"Prompt with arguments: arg1='{arguments.get('arg1')}', arg2='{arguments.get('arg2')}'")]
        case "test_prompt_with_embedded_resource":
            resource = embedded(arguments["resourceUri"], "text/plain", "Embedded resource content for testing.")
            return [resource, text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            return [image(), text("Please analyze the image above.")]
    raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {name}")


async def get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    if params.name == "test_input_required_result_prompt":
        return await rounds.prompt_with_context(params)
    contents = _messages(params.name, params.arguments or {})
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content) for content in contents])


async def complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))


def build_server() -> Server[Any]:
    """The low-level server with every fixture."""
    server: Server[Any] = Server(
        NAME,
        version="1.0.0",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_subscriptions_listen=ListenHandler(tools.bus),
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )
    # Registered here and not in the constructor: there the SDK warns that logging is deprecated.
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, accept)
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME))
    return server
