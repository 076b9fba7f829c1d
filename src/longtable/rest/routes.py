"""Makes a route of every tool that has one: path, query and body are the tool's arguments, its result the answer."""

import json
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Annotated, Any, get_args, get_origin

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller
from longtable.kernel.errors import InvalidArgument, LongtableError
from longtable.kernel.json_text import decode
from longtable.rest.cut_answers import completed
from longtable.rest.docs_page import SAFE_HEADERS, docs_page
from longtable.rest.openapi import Service, openapi_document
from longtable.rest.ports import Admitted, bind_to_session
from longtable.rest.replies import json_reply
from longtable.toolkit.dispatch import CallOutcome, Dispatcher, Invocation
from longtable.toolkit.tool import Envelope, Route, Scope, Tool

AdmissionOf = Callable[[Request], Admitted]

_FREELY_NAMED = ("namespace", "old_namespace", "schema_id")


RefuseEarly = Callable[[Request, Tool[Any]], Response | None]
"""The answer to a request that is not to run at all; None for others."""


def rest_routes(
    dispatcher: Dispatcher, admission_of: AdmissionOf, refuse_early: RefuseEarly = lambda request, tool: None
) -> list[StarletteRoute]:
    def endpoint(tool: Tool[Any], route: Route) -> Any:
        answer = _endpoint(dispatcher, tool, route, admission_of)

        async def answer_unless_refused(request: Request) -> Response:
            response: Response = refuse_early(request, tool) or await answer(request)
            return response

        return answer_unless_refused

    return [
        StarletteRoute(_pattern(route.path), endpoint(tool, route), methods=[route.method])
        for tool in dispatcher.tools.values()
        for route in tool.routes
    ]


def _pattern(path: str) -> str:
    """Names that people choose may contain a slash."""
    for name in _FREELY_NAMED:
        path = path.replace(f"{{{name}}}", f"{{{name}:path}}")
    return path


class ApiDescription:
    """The OpenAPI document and its page. Made at the first request and kept: the routes do not change after start."""

    def __init__(self, tools: Iterable[Tool[Any]], service: Service) -> None:
        self._tools = tools
        self._service = service

    @cached_property
    def document(self) -> dict[str, Any]:
        return openapi_document(self._tools, self._service)

    @cached_property
    def _bytes(self) -> bytes:
        return json.dumps(self.document, ensure_ascii=False, separators=(",", ":")).encode()

    @cached_property
    def _page(self) -> bytes:
        return docs_page(self.document).encode()

    def routes(self) -> list[StarletteRoute]:
        async def document(request: Request) -> Response:
            return Response(self._bytes, media_type="application/json")

        async def page(request: Request) -> Response:
            return Response(self._page, 200, SAFE_HEADERS, "text/html")

        return [StarletteRoute("/openapi.json", document), StarletteRoute("/docs", page)]


def _endpoint(dispatcher: Dispatcher, tool: Tool[Any], route: Route, admission_of: AdmissionOf) -> Any:
    async def answer(request: Request) -> Response:
        caller, wrong_session = _placed(tool, request, admission_of(request).caller)
        arguments, wrong_arguments = ({}, None) if wrong_session else await _arguments(tool, route, request)
        invocation = Invocation(
            tool.name,
            arguments,
            caller,
            CurrentSession(lasting=False),
            request.headers.get("idempotency-key"),
            wrong_session,
            wrong_arguments=wrong_arguments,
        )
        outcome = await dispatcher.call(invocation, Envelope.OK)
        if arguments.get("max_chars") and outcome.error is None:
            outcome = CallOutcome(completed(tool.result, outcome.body))
        return json_reply(outcome, _status(route, outcome))

    return answer


def _status(route: Route, outcome: CallOutcome) -> int:
    """200 for what existed already."""
    if route.status == 200 or outcome.error is not None:
        return route.status
    shown = outcome.body if route.created_in is None else outcome.body[route.created_in]
    return 200 if shown.get("created") is False else route.status


def _placed(tool: Tool[Any], request: Request, caller: Caller) -> tuple[Caller, LongtableError | None]:
    """The caller in the session of the path, or what is wrong with that session."""
    session_id = request.path_params.get("session_id")
    if session_id is None or tool.scope is not Scope.SESSION:
        return caller, None
    try:
        return bind_to_session(caller, session_id), None
    except LongtableError as wrong_session:
        return caller, wrong_session


async def _arguments(tool: Tool[Any], route: Route, request: Request) -> tuple[dict[str, Any], LongtableError | None]:
    """With those of the path alone, what is wrong with the others."""
    skipped = "session_id" if tool.scope is Scope.SESSION else None
    in_path = {name: value for name, value in request.path_params.items() if name != skipped}
    try:
        arguments = await _sent(tool, route, request)
        for name, value in in_path.items():
            if arguments.setdefault(name, value) != value:
                raise InvalidArgument.at(name, "differs from the path")
    except LongtableError as wrong_arguments:
        return in_path, wrong_arguments
    return arguments, None


async def _sent(tool: Tool[Any], route: Route, request: Request) -> dict[str, Any]:
    """In the query or in the body. Many clients send one with a DELETE too, which left out would delete more."""
    if route.method not in ("GET", "DELETE"):
        return await _body(request)
    arguments = _query(tool, request)
    for name, value in (await _body(request) if route.method == "DELETE" else {}).items():
        if arguments.setdefault(name, value) != value:
            raise InvalidArgument.at(name, "differs from the query")
    return arguments


async def _body(request: Request) -> dict[str, Any]:
    body = await request.body()
    if not body.strip():
        return {}
    try:
        # The guard has checked its bounds.
        arguments = decode(body)
    except ValueError:
        arguments = _with_lone_surrogates(body)
    if not isinstance(arguments, dict):
        raise InvalidArgument.at("body", "must be a JSON object")
    return arguments


def _with_lone_surrogates(body: bytes) -> Any:
    """Lone surrogates are left to the tool, which names the field."""
    try:
        return json.loads(body)
    except ValueError:
        raise InvalidArgument.at("body", "must be a JSON object: it is not JSON") from None


def _query(tool: Tool[Any], request: Request) -> dict[str, Any]:
    """Texts of the query as the types that the arguments declare; the tool itself checks them."""
    texts: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        texts.setdefault(name, []).append(value)
    arguments: dict[str, Any] = {}
    for name, values in texts.items():
        field = tool.arguments.model_fields.get(name)
        if field is not None and _takes_many(field.annotation):
            arguments[name] = values
        elif len(values) > 1:
            raise InvalidArgument.at(name, "must be given once")
        else:
            arguments[name] = values[0] if field is None else _typed(field.annotation, values[0])
    return arguments


def _takes_many(annotation: Any) -> bool:
    choices = getattr(annotation, "__args__", ())
    return get_origin(annotation) is list or any(get_origin(choice) is list for choice in choices)


def _typed(annotation: Any, text: str) -> Any:
    """A number or a boolean where only that fits; else the text, for the tool to accept or refuse."""
    accepted = _plain_types(annotation)
    if bool in accepted:
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    if str in accepted:
        return text
    for kind in (int, float):
        if kind in accepted:
            try:
                return kind(text)
            except ValueError:
                continue
    return text


def _plain_types(annotation: Any) -> set[Any]:
    """The types that an annotation allows, taken out of unions and out of what they are annotated with."""
    parts = get_args(annotation)
    if not parts:
        return {annotation}
    if get_origin(annotation) is Annotated:
        return _plain_types(parts[0])
    return {kind for part in parts for kind in _plain_types(part)}
