"""The fixtures of the 2026-07-28 revision that ask for input: the client answers by calling again."""

from typing import TypeVar

import mcp_types as types

from tests.conformance.content import Context, said, text
from tests.conformance.toolbox import Result, Toolbox

box = Toolbox()
ResponseT = TypeVar("ResponseT", bound=types.InputResponse)


def ask_user(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    """A form with one field."""
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def ask_model(prompt: str, max_tokens: int) -> types.CreateMessageRequest:
    messages = [types.SamplingMessage(role="user", content=text(prompt))]
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=messages, max_tokens=max_tokens))


def ask_roots() -> types.ListRootsRequest:
    return types.ListRootsRequest(params=types.RequestParams())


def needs(requests: types.InputRequests, state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def answer(params: types.InputResponseRequestParams, key: str, kind: type[ResponseT]) -> ResponseT | None:
    """The response under this key, if it is there and of this kind."""
    response = (params.input_responses or {}).get(key)
    return response if isinstance(response, kind) else None


def field_of(params: types.InputResponseRequestParams, key: str, name: str) -> object | None:
    """One field of a form that the user accepted."""
    form = answer(params, key, types.ElicitResult)
    if form is None or form.action != "accept" or form.content is None:
        return None
    return form.content.get(name)


def words_of(response: types.CreateMessageResult) -> str:
    return response.content.text if isinstance(response.content, types.TextContent) else "no text"


@box.tool("test_input_required_result_elicitation")
async def elicitation(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks the user for a name, then greets."""
    name = field_of(params, "user_name", "name")
    if name is None:
        return needs({"user_name": ask_user("What is your name?", "name")})
    return said(f"Hello, {name}!")


@box.tool("test_streaming_elicitation")
async def streaming_elicitation(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Reports progress on its stream, then asks the user for a name."""
    await ctx.session.report_progress(1, 2)
    return await elicitation(ctx, params)


@box.tool("test_input_required_result_sampling")
async def sampling(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks the client's model for a capital."""
    response = answer(params, "capital_question", types.CreateMessageResult)
    if response is None:
        return needs({"capital_question": ask_model("What is the capital of France?", 100)})
    return said(words_of(response))


@box.tool("test_input_required_result_list_roots")
async def list_roots(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks the client for its roots."""
    response = answer(params, "client_roots", types.ListRootsResult)
    if response is None:
        return needs({"client_roots": ask_roots()})
    return said("Roots: " + ", ".join(str(root.uri) for root in response.roots))


@box.tool("test_input_required_result_request_state")
async def request_state(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks for a confirmation and wants its own state back."""
    if field_of(params, "confirm", "ok") is None or params.request_state != "confirming":
        return needs({"confirm": ask_user("Please confirm", "ok", "boolean")}, "confirming")
    return said("state-ok")


@box.tool("test_input_required_result_tampered_state")
async def tampered_state(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks for a confirmation; a state that was changed on the way is refused before it gets here."""
    return await request_state(ctx, params)


@box.tool("test_input_required_result_multiple_inputs")
async def multiple_inputs(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks for three things at once."""
    name = field_of(params, "user_name", "name")
    greeting = answer(params, "greeting", types.CreateMessageResult)
    roots = answer(params, "client_roots", types.ListRootsResult)
    if name is None or greeting is None or roots is None:
        requests: types.InputRequests = {
            "user_name": ask_user("What is your name?", "name"),
            "greeting": ask_model("Generate a greeting", 50),
            "client_roots": ask_roots(),
        }
        return needs(requests, "asked for all")
    return said(f"{words_of(greeting)} {name}, you have {len(roots.roots)} roots.")


@box.tool("test_input_required_result_multi_round")
async def multi_round(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks for a name, then for a colour."""
    if params.request_state == "asked for the colour":
        colour = field_of(params, "step2", "color")
        if colour is not None:
            return said(f"You like {colour}.")
    name = field_of(params, "step1", "name")
    if name is None and params.request_state != "asked for the colour":
        return needs({"step1": ask_user("Step 1: What is your name?", "name")}, "asked for the name")
    return needs({"step2": ask_user("Step 2: What is your favorite color?", "color")}, "asked for the colour")


@box.tool("test_input_required_result_capabilities")
async def capabilities(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Asks only for what the client said it can do."""
    declared = ctx.session.client_capabilities or types.ClientCapabilities()
    requests: types.InputRequests = {}
    if declared.sampling is not None:
        requests["question"] = ask_model("What is the capital of France?", 100)
    if declared.elicitation is not None:
        requests["user_name"] = ask_user("What is your name?", "name")
    return needs(requests) if requests and not params.input_responses else said("Nothing to ask.")


async def prompt_with_context(
    params: types.GetPromptRequestParams,
) -> types.GetPromptResult | types.InputRequiredResult:
    """The prompt that asks the user before it can be written."""
    context = field_of(params, "user_context", "context")
    if context is None:
        return needs({"user_context": ask_user("What context should the prompt use?", "context")})
    message = types.PromptMessage(role="user", content=text(f"Use this context: {context}"))
    return types.GetPromptResult(messages=[message])
