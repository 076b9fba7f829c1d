"""A feature without a page does not exist: every tool, option, command, error code and event kind is on its page."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import longtable
from longtable.kernel.errors import LongtableError
from longtable.log.kinds import EVENT_KINDS
from longtable.rest.openapi import Service, openapi_document
from longtable.settings.options import OPTIONS
from longtable.toolkit.tool import Tool
from scripts import cli_page, docs
from tests.architecture.test_sources import modules

SOURCE = Path(longtable.__file__).parent
ERRORS = SOURCE / "kernel" / "errors.py"

STATUS_OF = {
    "INVALID_ARGUMENT": 400,
    "INVALID_ID": 400,
    "INVALID_INDEX": 400,
    "MISSING_SESSION_ID": 400,
    "INVALID_SESSION_ID": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "IDENTITY_MISMATCH": 403,
    "SESSION_MISMATCH": 403,
    "NOT_FOUND": 404,
    "SESSION_NOT_FOUND": 404,
    "SESSION_EXPIRED": 410,
    "SESSION_CLOSED": 409,
    "CONFLICT": 409,
    "VERSION_CONFLICT": 409,
    "IDEMPOTENCY_MISMATCH": 409,
    "ALREADY_ANSWERED": 409,
    "DEPENDENCY_CYCLE": 409,
    "DEPENDENCY_UNMET": 409,
    "LEASE_LOST": 409,
    "RESERVED": 409,
    "CAPACITY_LIMIT_REACHED": 409,
    "PAYLOAD_TOO_LARGE": 413,
    "HEADERS_TOO_LARGE": 431,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "REQUEST_TIMEOUT": 408,
    "VALIDATION_ERROR": 422,
    "VALIDATION_TIMEOUT": 408,
    "CONFIRMATION_REQUIRED": 428,
    "CONFIRMATION_DENIED": 403,
    "CONFIRMATION_INVALID": 403,
    "TOOL_QUARANTINED": 403,
    "RATE_LIMITED": 429,
    "UPSTREAM_ERROR": 502,
    "UPSTREAM_TIMEOUT": 504,
    "SEARCH_UNAVAILABLE": 503,
    "OVERLOADED": 503,
    "SHUTTING_DOWN": 503,
    "STORE_UNAVAILABLE": 503,
    "OUTCOME_UNKNOWN": 503,
    "CONFIG_ERROR": 500,
    "INTERNAL_ERROR": 500,
}
"""The promise to callers. A code may be added; none is renamed, removed or given another status."""

TOOLS = pytest.mark.parametrize("tool", docs.every_tool(), ids=lambda tool: str(tool.name))


def page(name: str) -> str:
    return (docs.REFERENCE / name).read_text("utf-8")


def trees() -> Iterator[tuple[Path, ast.Module]]:
    return ((path, tree) for path, tree in modules() if path.is_relative_to(SOURCE))


def every_error() -> list[type[LongtableError]]:
    """All descendants, wherever they are defined: so every module is imported first."""
    for module in pkgutil.walk_packages(longtable.__path__, "longtable."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, waiting = [], [LongtableError]
    while waiting:
        children = waiting.pop().__subclasses__()
        found += children
        waiting += children
    return found


def test_the_generated_pages_are_up_to_date() -> None:
    assert docs.stale_pages() == []


def test_every_row_of_a_generated_table_is_one_line() -> None:
    rows = [
        line for page in docs.REFERENCE.glob("*.md") for line in page.read_text("utf-8").splitlines() if line[:1] == "|"
    ]

    assert [row for row in rows if not row.endswith("|")] == []


@TOOLS
def test_every_tool_is_documented_with_its_arguments_results_and_roles(tool: Tool[Any]) -> None:
    section = page("tools.md").partition(f"### `{tool.name}`\n")[2].partition("\n### ")[0]

    fields = [*tool.arguments.model_fields.items(), *tool.result.model_fields.items()]
    # The page tells of these once for all of them.
    told_once = {"idempotency_key", *(["max_chars"] if tool.writes else [])}
    words = [field.alias or name for name, field in fields if name not in told_once]
    assert [word for word in words if f"| `{word}` |" not in section] == []
    assert tool.title in section
    assert tool.description in section
    assert f"Roles: {', '.join(sorted(tool.roles))}." in section


def test_every_route_is_documented() -> None:
    routes = [f"`{route.method} {route.path}`" for tool in docs.every_tool() for route in tool.routes]
    paths = openapi_document([], Service("", "", "/metrics"))["paths"]
    fixed = [f"`{method.upper()} {path}`" for path, methods in paths.items() for method in methods]

    assert routes
    assert [route for route in [*routes, *fixed] if route not in page("rest.md")] == []


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: str(option.name))
def test_every_option_is_documented_with_its_ways_in(option: Any) -> None:
    ways = [option.flag, option.environment, option.key]
    row = next((line for line in page("configuration.md").splitlines() if line.startswith(f"| `{option.name}` |")), "")

    assert [way for way in ways if way and f"`{way}`" not in row] == []
    assert row


def test_the_error_codes_are_exactly_those_that_were_promised() -> None:
    found = {error.code: error.status for error in every_error()}

    assert found == STATUS_OF


def test_every_error_has_a_code_of_its_own() -> None:
    counted = Counter(error.code for error in every_error() if "code" in vars(error))

    assert [code for code, times in counted.items() if times > 1] == []
    assert [error.__name__ for error in LongtableError.__subclasses__() if "code" not in vars(error)] == []


def test_every_code_is_defined_in_one_file_and_says_what_happened() -> None:
    """A module may refine an error for its own use, under the same code."""
    coded = [error for error in every_error() if "code" in vars(error)]

    assert {error.__module__ for error in coded} == {"longtable.kernel.errors"}
    assert [error.__name__ for error in coded if not (error.__doc__ or "").strip()] == []


@pytest.mark.parametrize("code", STATUS_OF)
def test_every_error_code_is_documented_with_its_status(code: str) -> None:
    assert f"| `{code}` | {STATUS_OF[code]} |" in page("errors.md")


def test_no_error_code_is_written_anywhere_but_in_its_class() -> None:
    """A code in a text of its own could be one that nobody promised."""
    written = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.value}"
        for path, tree in trees()
        if path != ERRORS
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in STATUS_OF
    ]
    unknown = [
        f"{path.relative_to(SOURCE)}:{value.lineno} {value.value}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "code"
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value != "SUCCESS"
    ]

    assert written == []
    assert unknown == []


@pytest.mark.parametrize("name", [name for name, _ in cli_page.commands()])
def test_every_command_is_documented(name: str) -> None:
    assert re.search(rf"^###? longtable {name}$", page("cli.md"), re.MULTILINE)


@pytest.mark.parametrize("kind", EVENT_KINDS.values(), ids=lambda kind: str(kind.name))
def test_every_event_kind_is_documented_with_its_payload(kind: Any) -> None:
    row = next((line for line in page("events.md").splitlines() if line.startswith(f"| `{kind.name}` |")), "")

    assert kind.meaning in row
    assert [name for name in kind.payload if f"`{name}`: " not in row] == []


def test_every_event_that_the_code_appends_is_declared_with_exactly_its_payload() -> None:
    appended = {kind: fields for path, tree in trees() for kind, fields in appended_events(path, tree)}

    assert appended == {kind.name: set(kind.payload) for kind in EVENT_KINDS.values()}


def appended_events(path: Path, tree: ast.Module) -> Iterator[tuple[str, set[str]]]:
    """Kind and payload fields of each `Event(...)`, as far as a reader of the function can see them."""
    if path.name != "events.py" and "Event(" not in path.read_text("utf-8"):
        return
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Event":
                kind = call.args[0]
                where = f"{path.relative_to(SOURCE)}:{call.lineno}"
                assert path.name == "events.py", f"{where}: events are made in the events.py of a slice"
                assert isinstance(kind, ast.Constant), f"{where}: the kind must be written out"
                # What an event is about is shown by its first characters.
                preview = {"content_preview" for given in call.keywords if given.arg == "about"}
                yield str(kind.value), {*payload_fields(function), *preview}


def payload_fields(function: ast.AST) -> Iterator[str]:
    """The keys of every dictionary that the function writes, and of every item that it sets."""
    for node in ast.walk(function):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            keys = list(node.keys)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys = [node.slice]
        yield from (str(key.value) for key in keys if isinstance(key, ast.Constant))
