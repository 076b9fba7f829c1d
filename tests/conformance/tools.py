"""The fixture tools that answer in one round: content, errors, progress, logs, and requests to the client."""

import json
from typing import Any

import anyio
import mcp_types as types
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from tests.conformance.content import WAV, Context, embedded, image, said, text
from tests.conformance.toolbox import Toolbox, text_argument

PAUSE = 0.05
box = Toolbox()
bus = InMemorySubscriptionBus()


@box.tool("test_simple_text")
async def simple_text(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Returns one text."""
    return said("This is a simple text response for testing.")


@box.tool("test_image_content")
async def image_content(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Returns one image."""
    return types.CallToolResult(content=[image()])


@box.tool("test_audio_content")
async def audio_content(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Returns one sound."""
    return types.CallToolResult(content=[types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")])


@box.tool("test_embedded_resource")
async def embedded_resource(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Returns one embedded resource."""
    resource = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    return types.CallToolResult(content=[resource])


@box.tool("test_multiple_content_types")
async def multiple_content_types(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Returns a text, an image and a resource."""
    data = json.dumps({"test": "data", "value": 123})
    resource = embedded("test://mixed-content-resource", "application/json", data)
    return types.CallToolResult(content=[text("Multiple content types test:"), image(), resource])


@box.tool("test_error_handling")
async def error_handling(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Fails, always."""
    words = "This tool intentionally returns an error for testing"
    return types.CallToolResult(content=[text(words)], is_error=True)


@box.tool("test_tool_with_logging")
async def tool_with_logging(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Sends three log messages while it runs."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await anyio.sleep(PAUSE)
    return said("Logged three messages.")


@box.tool("test_logging_tool")
async def logging_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Sends one log message, which only a request with a log level gets to see."""
    await ctx.session.send_log_message("info", "A message", related_request_id=ctx.request_id)
    return said("Logged one message.")


@box.tool("test_tool_with_progress")
async def tool_with_progress(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Reports its progress three times."""
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(PAUSE)
    return said("Reported progress three times.")


@box.tool("test_sampling", text_argument("prompt"))
async def sampling(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Asks the client's model."""
    prompt = str((params.arguments or {})["prompt"])
    request = types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(
            messages=[types.SamplingMessage(role="user", content=text(prompt))], max_tokens=100
        )
    )
    answer = await ctx.session.send_request(
        request, types.CreateMessageResult, metadata=ServerMessageMetadata(related_request_id=ctx.request_id)
    )
    words = answer.content.text if isinstance(answer.content, types.TextContent) else "no text"
    return said(f"LLM response: {words}")


async def _elicited(ctx: Context, message: str, properties: dict[str, Any], required: list[str]) -> types.ElicitResult:
    schema = {"type": "object", "properties": properties, "required": required}
    return await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)


@box.tool("test_elicitation", text_argument("message"))
async def elicitation(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Asks the user for a name and an address."""
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    message = str((params.arguments or {})["message"])
    answer = await _elicited(ctx, message, properties, ["username", "email"])
    return said(f"User response: action={answer.action}, content={json.dumps(answer.content)}")


@box.tool("test_elicitation_sep1034_defaults")
async def elicitation_defaults(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Asks the user with a default for each primitive type."""
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    answer = await _elicited(ctx, "Please review the defaults", properties, [])
    return said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


def _titled(word: str) -> list[dict[str, str]]:
    return [{"const": f"value{n}", "title": f"{nth} {word}"} for n, nth in enumerate(("First", "Second", "Third"), 1)]


@box.tool("test_elicitation_sep1330_enums")
async def elicitation_enums(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Asks the user with each kind of choice."""
    options = ["option1", "option2", "option3"]
    legacy = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": _titled("Option")},
        "legacyEnum": {"type": "string", **legacy},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": _titled("Choice")}},
    }
    answer = await _elicited(ctx, "Please choose", properties, [])
    return said(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


@box.tool("test_reconnection")
async def reconnection(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Closes its stream before it answers, where the transport can resume it."""
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
        await anyio.sleep(PAUSE)
    return said("Answered after the stream was closed.")


@box.tool("test_missing_capability")
async def missing_capability(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Refuses a client that did not declare sampling."""
    needed = types.ClientCapabilities(sampling=types.SamplingCapability())
    if not ctx.session.check_client_capability(needed):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs the sampling capability",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return said("The client can sample.")


@box.tool("test_trigger_tool_change")
async def trigger_tool_change(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Announces a change of the list of tools."""
    await bus.publish(ToolsListChanged())
    return said("Announced.")


@box.tool("test_trigger_prompt_change")
async def trigger_prompt_change(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Announces a change of the list of prompts."""
    await bus.publish(PromptsListChanged())
    return said("Announced.")


HEADER_ARGUMENT = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}


@box.tool("test_custom_header", HEADER_ARGUMENT)
async def custom_header(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Takes an argument that the client repeats in a header."""
    return said(f"Region: {(params.arguments or {})['region']}")


RICH_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@box.tool("json_schema_2020_12_tool", RICH_SCHEMA)
async def json_schema_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Tool with JSON Schema 2020-12 features"""
    return said("Received.")
