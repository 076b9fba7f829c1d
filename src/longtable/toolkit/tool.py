"""One tool, described once: MCP lists it, REST routes to it, the docs print it."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import Annotated  # noqa: UP035 - pydantic reads it on every supported Python

from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.content import Text
from longtable.kernel.result import Result
from longtable.toolkit.keys import KEY

A = TypeVar("A", bound="Arguments")
Group = Literal["workspace", "messages", "notebooks", "gateway"]


Need = Literal["gateway", "search", "backend"]
"""A gateway, one that shows its tools only to who looks for them, or one with a Mindscape backend."""


_MAX_UNKNOWN = 20
MAX_ITEMS = 1_000
"""Items of a list or object in the arguments of a tool, where nothing says otherwise: checked before the items are."""


class Arguments(BaseModel):
    """The arguments of a tool. An unknown name is an error, never ignored; an optional text that is empty was not
    given."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, given: Any) -> Any:
        if isinstance(given, dict) and len(given) > len(cls.model_fields) + _MAX_UNKNOWN:
            # Before a fault is made of each, as there may be a hundred thousand.
            raise PydanticCustomError("unknown_names", "has {count} names, most of them unknown", {"count": len(given)})
        if not isinstance(given, dict) or "" not in given.values():
            return given
        optional = _optional_texts(cls)
        return {name: value for name, value in given.items() if value != "" or name not in optional}


@cache
def _optional_texts(model: type[BaseModel]) -> frozenset[str]:
    """The names of arguments that may be left out and take a text, a choice of texts among them."""
    return frozenset(
        field.alias or name
        for name, field in model.model_fields.items()
        if not field.is_required() and (_takes_text(field.annotation) or _marked_as_text(field.metadata))
    )


def _marked_as_text(marks: Iterable[Any]) -> bool:
    """Whether a mark reads texts too, such as that of a length of time."""
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
    """Two contracts: ours, and that of the message tools, whose fields lie flat beside `success`."""

    OK = "ok"
    SUCCESS = "success"


@dataclass(frozen=True, slots=True)
class Route:
    """Where REST offers the tool. Values in the path and the query are arguments like those in the body."""

    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    status: int = 200


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    name: str
    title: str
    description: str
    arguments: type[A]
    result: type[Result]
    run: Callable[[Call, A], Awaitable[Result]]
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
    """A change that may be made to a session whose time is over."""

    over_mcp: bool = True
    passes_through: bool = False
    """Answers with what another server said, so that no schema of ours can describe it."""

    needs: Need | None = None
    """What must be there before it is of any use; until then it is not offered."""

    routes: tuple[Route, ...] = ()

    def input_schema(self) -> dict[str, Any]:
        return _without_nulls(without_titles(self.arguments.model_json_schema()))


def without_titles(schema: Any) -> Any:
    """Drops the titles that pydantic makes of names: a model that reads the schema learns nothing from them."""
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
    # In every tool that writes, and the same in each: the instructions tell of it once.
    properties.pop(KEY, None)
    return {**schema, "properties": properties}


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    choices = [choice for choice in schema.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) == len(schema.get("anyOf", [])):
        return schema
    if len(choices) > 1:
        return {"anyOf": choices, **{key: value for key, value in schema.items() if key not in ("anyOf", "default")}}
    return {**choices[0], **{key: value for key, value in schema.items() if key not in ("anyOf", "default")}}
