"""`longtable sessions`: the tools about sessions, called by the owner at the terminal."""

import json
from typing import Annotated, Any, Literal

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say_result, say_rows, visible
from longtable.cli.owner import tool_call
from longtable.cli.store import STORE_FLAGS, on_existing_store, on_store
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import InvalidArgument

group = typer.Typer(help="List, show, create, fork, extend and close sessions.")

Tenant = Annotated[str, typer.Option(help="Whose sessions.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION_ID")]
Status = Literal["active", "closed", "expired"]


@command_with_options(group, "list", only=STORE_FLAGS)
def list_sessions(
    flags: FlagValues,
    tenant: Tenant = DEFAULT_TENANT,
    status: Annotated[Status | None, typer.Option(help="Only those.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most so many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on where an earlier list ended.")] = None,
    as_json: AsJson = False,
) -> None:
    """List sessions, newest first."""
    arguments = {"status": status, "limit": limit, "cursor": cursor}
    answer = on_existing_store(flags, tool_call("list_sessions", tenant, arguments))
    columns = ("session_id", "status", "purpose", "created_by", "expires_at")
    rows = [[session[column] for column in columns] for session in answer["sessions"]]
    more = [] if answer["next_cursor"] is None else [f"There are more: --cursor {answer['next_cursor']}"]
    say_rows(answer, columns, rows, as_json, *more)


@command_with_options(group, "show", only=STORE_FLAGS)
def show(flags: FlagValues, session_id: SessionId, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Show one session."""
    answer = on_existing_store(flags, tool_call("get_session", tenant, {"session_id": session_id}))
    rows = [*answer["session"].items(), ("messages", answer["message_count"])]
    say_rows(answer, ("field", "value"), rows, as_json)


@command_with_options(group, "create", only=STORE_FLAGS)
def create(  # noqa: PLR0913 - each one is a flag
    *,
    flags: FlagValues,
    tenant: Tenant = DEFAULT_TENANT,
    purpose: Annotated[str, typer.Option(help="What it is for.")] = "",
    session_id: Annotated[str | None, typer.Option(help="An id of your choice; else one is made.")] = None,
    ttl: Annotated[str | None, typer.Option(help="Time to live: 90s, 15m, 24h, 30d.")] = None,
    metadata: Annotated[str | None, typer.Option(help="A JSON object of your own.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a session and print its id."""
    arguments = {"purpose": purpose, "session_id": session_id, "ttl": ttl, "metadata": _object(metadata)}
    answer = on_store(flags, tool_call("create_session", tenant, arguments))
    say_result(answer, answer["session_id"], as_json, f"It lives until {answer['expires_at']}.")


@command_with_options(group, "extend", only=STORE_FLAGS)
def extend(
    flags: FlagValues,
    session_id: SessionId,
    ttl: Annotated[str, typer.Option(help="How long from now: 90s, 15m, 24h, 30d.")],
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Let a session live longer."""
    answer = on_existing_store(flags, tool_call("extend_session", tenant, {"session_id": session_id, "ttl": ttl}))
    say_result(answer, f"{visible(session_id)} lives until {answer['expires_at']}.", as_json)


@command_with_options(group, "close", only=STORE_FLAGS)
def close(flags: FlagValues, session_id: SessionId, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Close a session: it can be read, but not changed any more."""
    answer = on_existing_store(flags, tool_call("close_session", tenant, {"session_id": session_id}))
    say_result(answer, f"{visible(session_id)} is closed.", as_json)


@command_with_options(group, "fork", only=STORE_FLAGS)
def fork(  # noqa: PLR0913 - each one is a flag
    *,
    flags: FlagValues,
    session_id: SessionId,
    at: Annotated[int | None, typer.Option(metavar="SEQ", min=1, help="After which event; else as it is now.")] = None,
    tenant: Tenant = DEFAULT_TENANT,
    purpose: Annotated[str | None, typer.Option(help="What the new one is for; else the same.")] = None,
    ttl: Annotated[str | None, typer.Option(help="Time to live of the new one: 90s, 15m, 24h, 30d.")] = None,
    as_json: AsJson = False,
) -> None:
    """Begin a new session with what another one has, or had after an earlier event, and print its id."""
    arguments = {"session_id": session_id, "seq": at, "purpose": purpose, "ttl": ttl}
    try:
        answer = on_existing_store(flags, tool_call("fork_session", tenant, arguments))
    except InvalidArgument as error:
        raise _at(error) from None
    copied = f"It has {answer['records']:,} records of {visible(session_id)} after event {answer['fork_seq']:,}."
    say_result(answer, answer["session_id"], as_json, copied)


def _at(error: InvalidArgument) -> InvalidArgument:
    """The event is named by another word here."""
    found = [each["message"] for each in error.details.get("errors", ()) if each["path"] == "seq"]
    return InvalidArgument.at("at", found[0]) if found else error


def _object(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise typer.BadParameter("must be a JSON object.", param_hint="'--metadata'")
    return value
