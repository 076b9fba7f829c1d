"""`longtable upstreams`: the servers whose tools are offered, added and removed while a server runs or before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from longtable.app import App, gateway_file_of
from longtable.cli import upstream_login
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, as_person
from longtable.cli.output import AsJson, note, say, say_json, say_result, say_rows, visible
from longtable.cli.owner import OwnerCall, tool_call
from longtable.cli.store import STORE_FLAGS, on_existing_store, on_store
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import InvalidArgument

group = typer.Typer(help="List, add, change, remove and connect the servers whose tools are offered.")
upstream_login.register(group)

Tenant = Annotated[str, typer.Option(help="Whose upstreams.")]
Name = Annotated[str, typer.Argument(metavar="NAME")]
Pairs = Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="May be repeated; ${env:X} refers to X.")]
FLAGS = (*STORE_FLAGS, "gateway_config")


@command_with_options(group, "list", only=FLAGS)
def list_upstreams(flags: FlagValues, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """List the upstreams of a tenant. How they are is shown by the server: in its console and by 'longtable status'."""
    answer = on_existing_store(flags, with_gateway_file(tool_call("list_upstreams", tenant, {"refresh": False})))
    rows = [
        (each["name"], each["kind"], each["source"], "on" if each["on"] else "off", (each["added"] or {}).get("entry"))
        for each in answer["upstreams"]
    ]
    say_rows(answer, ("upstream", "kind", "source", "state", "entry"), rows, as_json)


@command_with_options(group, "add", only=FLAGS)
def add(  # noqa: PLR0913 - each one is a flag
    *,
    flags: FlagValues,
    name: Name,
    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND ARGS...")] = None,
    url: Annotated[str | None, typer.Option(help="Address of a server over HTTP, instead of a command.")] = None,
    header: Pairs = None,
    env: Pairs = None,
    scope: Annotated[str | None, typer.Option(help="shared, tenant or session.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Accept the tools that it has now.")] = False,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Add an upstream: a command after '--', or --url. Its tools wait until they are accepted. A running server follows
    within a second. Asks for the human secret, where one is set."""
    entry = _entry(command or [], url, pairs_of("header", header), pairs_of("env", env), scope)
    arguments = {"name": name, "entry": entry, "accept": accept}
    answer = on_store(flags, _as_person("add_upstream", tenant, arguments, human_secret_file))
    if as_json:
        say_json(answer)
        return
    say(f"{visible(name)} is added.")
    say_acceptance(answer, accept)


@command_with_options(group, "remove", only=FLAGS)
def remove(
    flags: FlagValues,
    name: Name,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Remove an upstream that was added. Asks for the human secret, where one is set."""
    answer = on_existing_store(flags, _as_person("remove_upstream", tenant, {"name": name}, human_secret_file))
    say_result(answer, f"{visible(name)} is removed.", as_json)


@command_with_options(group, "enable", only=FLAGS)
def enable(
    flags: FlagValues,
    name: Name,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Offer the tools of an upstream again. Asks for the human secret, where one is set."""
    _set_enabled(flags, name, tenant, human_secret_file, as_json=as_json, enabled=True)


@command_with_options(group, "disable", only=FLAGS)
def disable(
    flags: FlagValues,
    name: Name,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Take the tools of an upstream away. Asks for the human secret, where one is set."""
    _set_enabled(flags, name, tenant, human_secret_file, as_json=as_json, enabled=False)


def _as_person(tool: str, tenant: str, arguments: dict[str, Any], secret_file: Path | None) -> OwnerCall:
    return with_gateway_file(as_person(tool, tenant, arguments, secret_file, "upstream"))


def with_gateway_file(work: OwnerCall) -> OwnerCall:
    """With the upstreams of the gateway file, where the configuration names one."""

    async def run(app: App) -> dict[str, Any]:
        app.gateway_file = gateway_file_of(app.settings)
        return await work(app)

    return run


def say_acceptance(answer: dict[str, Any], accept: bool) -> None:
    accepted, problem = answer.get("accepted"), answer["upstream"]["problem"]
    if accepted:
        say(f"{len(accepted)} of its tools are accepted: {visible(', '.join(accepted))}")
    elif accept:
        note(f"None of its tools could be accepted: {visible(problem or 'it has none')}")
    else:
        note("Its tools wait until they are accepted, in the console or with --accept.")


def _set_enabled(
    flags: FlagValues, name: str, tenant: str, secret_file: Path | None, *, as_json: bool, enabled: bool
) -> None:
    arguments = {"name": name, "enabled": enabled}
    answer = on_existing_store(flags, _as_person("change_upstream", tenant, arguments, secret_file))
    say_result(answer, f"{visible(name)} is {'enabled' if enabled else 'disabled'}.", as_json)


def _entry(
    command: Sequence[str], url: str | None, headers: dict[str, str], env: dict[str, str], scope: str | None
) -> dict[str, Any]:
    if bool(command) == (url is not None):
        raise InvalidArgument.at("url", "must be given, or else a command after --, and not both")
    found = {
        "url": url,
        "headers": headers,
        "command": next(iter(command), None),
        "args": command[1:],
        "env": env,
        "scope": scope,
    }
    return {key: value for key, value in found.items() if value}


def pairs_of(flag: str, given: Sequence[str] | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for each in given or ():
        name, equals, value = each.partition("=")
        if not equals or not name:
            # What was given may be a secret: it is not repeated.
            raise InvalidArgument.at(flag, "must be NAME=VALUE")
        pairs[name] = value
    return pairs
