"""One tool, declared once, above the method that does it: MCP lists it, REST routes to it, the docs print it."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import KW_ONLY, dataclass, fields
from enum import Enum
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, ClassVar, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Annotated  # noqa: UP035 - pydantic reads it on every supported Python

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.content import Text
from longtable.kernel.result import Result
from longtable.toolkit.keys import KEY

A = TypeVar("A", bound="Arguments")
M = TypeVar("M", bound=Callable[..., Awaitable[Result]])

_DECLARATION = "tool_declaration"

Group = Literal["workspace", "messages", "notebooks", "gateway"]
Need = Literal["gateway", "search", "backend"]
"""A gateway, one whose tools are found by search instead of listed, or one with a Mindscape backend."""

_MAX_UNKNOWN = 20
MAX_ITEMS = 1_000
"""Items of a list or object in the arguments of a tool, where nothing says otherwise: checked before the items are."""


class Arguments(BaseModel):
    """The arguments of a tool. An unknown name is an error, never ignored; an optional one that is null counts as left
    out, and so does an optional text that is empty."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    unlisted: ClassVar[frozenset[str]] = frozenset()
    """Arguments so rarely of use that a list of tools does not show them. The reference does."""

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and len(raw) > len(cls.model_fields) + _MAX_UNKNOWN:
            # Before pydantic lists each of them: there may be a hundred thousand.
            raise PydanticCustomError("unknown_names", "has {count} names, most of them unknown", {"count": len(raw)})
        if not isinstance(raw, dict) or ("" not in raw.values() and None not in raw.values()):
            return raw
        blank = {"": _optional_texts(cls), None: _with_default(cls)}
        return {name: value for name, value in raw.items() if not (value in ("", None) and name in blank[value])}


@cache
def _with_default(model: type[BaseModel]) -> frozenset[str]:
    """The names of arguments that mean something when they are left out, and are never null."""
    return frozenset(
        field.alias or name
        for name, field in model.model_fields.items()
        if not field.is_required() and field.default is not None
    )


@cache
def _optional_texts(model: type[BaseModel]) -> frozenset[str]:
    """The names of arguments that may be left out and take a text, a choice of texts among them."""
    return frozenset(
        field.alias or name
        for name, field in model.model_fields.items()
        if not field.is_required() and (_takes_text(field.annotation) or _marked_as_text(field.metadata))
    )


def _marked_as_text(marks: Iterable[Any]) -> bool:
    """Whether a mark reads texts too, as the one of durations does."""
    return any(getattr(mark, "takes_text", False) for mark in marks)


def _takes_text(annotation: Any) -> bool:
    kind, parts = get_origin(annotation), get_args(annotation)
    if kind is Annotated:
        return _takes_text(parts[0]) or _marked_as_text(parts[1:])
    if kind is Literal:
        return any(isinstance(part, str) for part in parts)
    if kind in (Union, UnionType):
        return any(_takes_text(part) for part in parts)
    return annotation is str


class WriteArguments(Arguments):
    idempotency_key: Annotated[Text, StringConstraints(min_length=1, max_length=128)] | None = Field(
        default=None, description="Repeat a call safely: the same key and arguments give the first result again."
    )


class Scope(Enum):
    """Where a tool acts."""

    TENANT = "the tenant"
    SESSION = "the caller's session"
    NAMED_SESSION = "the session named in session_id, else the caller's"
    OTHER_SESSION = "the session that session_id must name"
    SESSION_IF_NAMED = "the session named in session_id, else none"


class Envelope(Enum):
    """Two contracts: ours, and the one of the message tools, whose fields lie flat beside `success`."""

    OK = "ok"
    SUCCESS = "success"


@dataclass(frozen=True, slots=True)
class Route:
    """Where REST offers the tool. Values in the path and the query are arguments like those in the body."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    status: int = 200
    created_in: str | None = None
    """The part of the answer that tells by `created` whether it was new; None for the answer itself."""


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """All that is said about a tool. It stands above the method that does it: `@tool("add_note", title=...)`."""

    name: str
    _: KW_ONLY
    title: str
    description: str
    group: Group
    roles: frozenset[Role]
    audited_as: str
    scope: Scope = Scope.SESSION
    envelope: Envelope = Envelope.OK
    writes: bool = False
    destructive: bool = False
    frees: bool = False
    """Removes or ends something, so that it may be called also where a tenant is full."""

    repeatable: bool = False
    """Calling it twice with the same arguments changes nothing more."""

    reaches_archive: bool = False
    """May also change a session whose time is over."""

    for_unbound_agents: bool = False
    """An agent that nothing has bound to a session may use it too, to find one and to enter it."""

    over_mcp: bool = True
    passes_through: bool = False
    """Returns what another server said, so that no schema of ours can describe it."""

    needs: Need | None = None
    """Offered only where this is configured."""

    routes: tuple[Route, ...] = ()

    def __call__(self, method: M) -> M:
        setattr(method, _DECLARATION, self)
        return method


tool = ToolDeclaration


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ToolDeclaration, Generic[A]):
    """A tool that can be called."""

    arguments: type[A]
    result: type[Result]
    run: Callable[[Call, A], Awaitable[Result]]

    def is_for(self, caller: Caller) -> bool:
        return caller.role in self.roles or self.is_for_unbound(caller)

    def is_for_unbound(self, caller: Caller) -> bool:
        return self.for_unbound_agents and caller.is_unbound_agent

    def input_schema(self) -> dict[str, Any]:
        schema = _without_nulls(without_titles(self.arguments.model_json_schema()))
        if self.writes:
            # Accepted, but rarely of use: what a write answers is short.
            schema["properties"].pop("max_chars", None)
        return schema


_STATED = tuple(field.name for field in fields(ToolDeclaration))
_stated_by = attrgetter(*_STATED)


def tools_of(*services: object) -> list[Tool[Any]]:
    """The tools that the methods of these services are declared as, in the order of their declaration."""
    return [
        _bound(declaration, getattr(service, name))
        for service in services
        for name, method in vars(type(service)).items()
        if (declaration := getattr(method, _DECLARATION, None)) is not None
    ]


def _bound(declaration: ToolDeclaration, method: Callable[[Call, Any], Awaitable[Result]]) -> Tool[Any]:
    """The annotations of the method are the tool's arguments and result."""
    types = method.__annotations__
    stated = dict(zip(_STATED, _stated_by(declaration), strict=True))
    return Tool(arguments=types["arguments"], result=types["return"], run=method, **stated)


def without_titles(schema: Any) -> Any:
    """Drops the titles that pydantic makes of names: they tell the reader of a schema nothing new."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: without_titles(item) for key, item in schema.items() if key != "title" or not isinstance(item, str)}
    if "properties" in kept:
        kept.pop("description", None)
    return kept


def _without_nulls(schema: dict[str, Any]) -> dict[str, Any]:
    """An optional argument is left out rather than sent as null, so its schema need not mention null."""
    properties = {name: without_null(value) for name, value in schema.get("properties", {}).items()}
    # The same in every tool that writes: the instructions explain it once.
    properties.pop(KEY, None)
    return {**schema, "properties": properties}


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    choices = [choice for choice in schema.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == len(schema.get("anyOf", [])):
        return schema
    if len(choices) > 1:
        return {"anyOf": choices, **{key: value for key, value in schema.items() if key not in ("anyOf", "default")}}
    return {**choices[0], **{key: value for key, value in schema.items() if key not in ("anyOf", "default")}}
