"""`longtable token`: credentials of agents, orchestrators and people."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, refused, require_person
from longtable.cli.output import AsJson, say_result, say_rows
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store, on_store
from longtable.identity.model import Credential, TokenView
from longtable.identity.tokens import LONGEST_LIFETIME, TokenIssued, check_credential, token_name
from longtable.kernel.caller import Role
from longtable.kernel.durations import parse_duration

TokenRole = Literal["agent", "orchestrator", "human", "owner", "reader"]

group = typer.Typer(help="Create, list and revoke tokens.")


@dataclass(frozen=True)
class _Created:
    issued: TokenIssued
    view: TokenView
    auth_is_off: bool


def _lifetime(text: str | None) -> str | None:
    if text is not None:
        _parse_lifetime(text)
    return text


def _parse_lifetime(text: str) -> int:
    try:
        lifetime = parse_duration(text, "h")
    except ValueError as error:
        raise typer.BadParameter(f"must be {error}; without a unit hours.") from error
    if not 0 < lifetime <= LONGEST_LIFETIME:
        raise typer.BadParameter("must be more than nothing and at most 36500d.")
    return lifetime


@command_with_options(group, "create", only=STORE_FLAGS)
def create(  # noqa: PLR0913 - each one is a flag
    *,
    flags: FlagValues,
    tenant: Annotated[str, typer.Option(help="Whose data it opens.")],
    role: Annotated[TokenRole, typer.Option(help="What its bearer may do; agent needs --agent and --session.")],
    agent: Annotated[str | None, typer.Option(help="The one agent that its bearer is.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="The type of that agent.")] = None,
    session: Annotated[str | None, typer.Option(help="The one session that it opens.")] = None,
    expires: Annotated[
        str | None, typer.Option(callback=_lifetime, help="Lifetime: 90s, 15m, 24h, 30d.", show_default="never")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What it is called in lists and, without --agent, in the log.")
    ] = None,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Make a token. Its secret is shown this once: the store keeps only a hash. One for a person or an owner asks for
    the human secret, once one is set."""
    requested = Credential(tenant, Role(role), token_name(Role(role), agent, name), agent, agent_type, session)
    # Before the store is opened, which may create one.
    check_credential(requested)
    lifetime = _parse_lifetime(expires) if expires is not None else None

    async def work(app: App) -> _Created:
        if requested.role in (Role.HUMAN, Role.OWNER):
            await require_person(app, human_secret_file, refused("create_token", requested.tenant))
        issued = await app.tokens.create(requested, lifetime)
        tokens = await app.tokens.list(tenant)
        view = next(token.view(app.clock()) for token in tokens if token.token_id == issued.token_id)
        return _Created(issued, view, app.auth == "off")

    _show_created(on_store(flags, work), as_json)


def _show_created(created: _Created, as_json: bool) -> None:
    view, secret = created.view, created.issued.secret
    notes = [
        f"This is the secret of {view.token_id} ({view.name}, {view.role} of {view.tenant}). It is shown only now."
    ]
    if created.auth_is_off:
        notes.append("Auth is off, so nobody is asked for a token yet: 'longtable serve --auth tokens' switches it on.")
    say_result({"ok": True, **view.model_dump(), "secret": secret}, secret, as_json, *notes)


@command_with_options(group, "list", only=STORE_FLAGS)
def list_tokens(
    flags: FlagValues,
    tenant: Annotated[str | None, typer.Option(help="Only the tokens of this tenant.")] = None,
    as_json: AsJson = False,
) -> None:
    """List tokens, without their secrets."""
    if tenant is not None:
        check_tenant(tenant)

    async def work(app: App) -> list[TokenView]:
        return [token.view(app.clock()) for token in await app.tokens.list(tenant)]

    views = on_existing_store(flags, work)
    body = {"ok": True, "tokens": [view.model_dump() for view in views]}
    columns = ("token_id", "name", "tenant", "role", "agent", "session_id", "expires_at", "status")
    say_rows(body, columns, [[getattr(view, column) for column in columns] for view in views], as_json)


@command_with_options(group, "revoke", only=STORE_FLAGS)
def revoke(
    flags: FlagValues,
    token_id: Annotated[str, typer.Argument(help="As 'longtable token list' shows it.")],
    as_json: AsJson = False,
) -> None:
    """Revoke a token. Every server refuses it within a second."""
    on_existing_store(flags, lambda app: app.tokens.revoke(token_id))
    say_result({"ok": True, "token_id": token_id, "status": "revoked"}, f"{token_id} is revoked.", as_json)


assert set(get_args(TokenRole)) == set(Role) - {Role.LOCAL}
