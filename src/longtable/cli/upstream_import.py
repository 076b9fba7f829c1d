"""`longtable upstreams import`: takes over the servers that an MCP client on this machine is configured with."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, prompt_secret, refused, require_person
from longtable.cli.output import AsJson, note, say, say_json, say_table, visible
from longtable.cli.owner import tool_call
from longtable.cli.store import check_tenant, on_store
from longtable.cli.upstreams import FLAGS, Tenant, pairs_of, with_gateway_file
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import ConfigError, LongtableError
from longtable.kernel.user_folders import UserFolders
from longtable.upstreams.client_config import (
    Client,
    ClientConfiguration,
    ClientInput,
    ClientServer,
    entry_of,
    is_longtable,
    paths_of,
    read_client_configuration,
)
from longtable.upstreams.entry_value import without_secrets


@dataclass
class _Import:
    """What is to be added, and by name why the rest is not."""

    path: Path
    entries: dict[str, tuple[dict[str, Any], bool]] = field(default_factory=dict, repr=False)
    skipped: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)


def register(group: typer.Typer) -> None:
    @command_with_options(group, "import", only=FLAGS)
    def import_upstreams(  # noqa: PLR0913 - each one is a flag
        *,
        flags: FlagValues,
        source: Annotated[str, typer.Argument(metavar="claude-desktop|cursor|vscode|FILE")],
        input: Annotated[
            list[str] | None, typer.Option(metavar="ID=VALUE", help="The value of ${input:ID}; else it is asked for.")
        ] = None,
        yes: Annotated[bool, typer.Option("--yes", help="Do not ask, as where there is no terminal.")] = False,
        accept: Annotated[bool, typer.Option("--accept", help="Accept the tools that they have now.")] = False,
        tenant: Tenant = DEFAULT_TENANT,
        human_secret_file: SecretFile = None,
        as_json: AsJson = False,
    ) -> None:
        """Add the servers of another client, whose configuration stays as it is. Asks for the human secret, where one
        is set. Exits with 1 if one of them could not be taken."""
        found = read_client_configuration(_path(source))
        answers = pairs_of("input", input)

        async def work(app: App) -> _Import:
            plan = _Import(found.path)
            _choose(found, await _existing(app, tenant), answers, plan)
            _confirm(plan, asks=not yes, as_json=as_json)
            await require_person(app, human_secret_file, refused("add_upstream", check_tenant(tenant)))
            for name, (entry, enabled) in plan.entries.items():
                await _add(app, tenant, plan, {"name": name, "entry": entry, "enabled": enabled, "accept": accept})
            return plan

        plan = on_store(flags, work)
        _report(plan, as_json)
        if plan.refused:
            raise typer.Exit(1)


def _path(source: str) -> Path:
    if source not in get_args(Client):
        return Path(source)
    candidates = paths_of(source, UserFolders.here())  # type: ignore[arg-type]  # it is one of them
    for path in candidates:
        if path.is_file():
            return path
    raise ConfigError(f"{source} has no configuration here.", hint=f"Looked for: {', '.join(map(str, candidates))}")


async def _existing(app: App, tenant: str) -> set[str]:
    answer = await with_gateway_file(tool_call("list_upstreams", tenant, {"refresh": False}))(app)
    return {each["name"] for each in answer["upstreams"]}


def _choose(found: ClientConfiguration, existing: set[str], answers: dict[str, str], plan: _Import) -> None:
    for server in found.servers:
        if is_longtable(server.raw):
            plan.skipped[server.name] = "it is Longtable itself"
        elif server.name in existing:
            plan.skipped[server.name] = "there is an upstream of this name already"
        else:
            _take(server, found, answers, plan)


def _take(server: ClientServer, found: ClientConfiguration, answers: dict[str, str], plan: _Import) -> None:
    try:
        _ask(server.inputs, answers)
        plan.entries[server.name] = (entry_of(server, found.folder, Path.home(), answers), server.enabled)
    except LongtableError as error:
        plan.refused[server.name] = error.message


def _ask(inputs: Iterable[ClientInput], answers: dict[str, str]) -> None:
    """Each once, on the terminal; without one, the entry is refused with the flag that helps."""
    for each in inputs:
        if each.id in answers or not sys.stdin.isatty():
            continue
        question = f"{visible(each.description)}: "
        answers[each.id] = prompt_secret(question) if each.is_secret else input_line(question)


def input_line(question: str) -> str:
    return str(typer.prompt(question, prompt_suffix="", err=True))


def _confirm(plan: _Import, *, asks: bool, as_json: bool) -> None:
    if not plan.entries:
        return
    if not as_json:
        say(f"From {plan.path}:")
        say_table(("upstream", "entry"), [(name, without_secrets(entry)) for name, (entry, _) in plan.entries.items()])
    if asks and sys.stdin.isatty():
        typer.confirm("Add them?", abort=True, err=True)


async def _add(app: App, tenant: str, plan: _Import, arguments: Mapping[str, Any]) -> None:
    try:
        await tool_call("add_upstream", tenant, dict(arguments))(app)
    except LongtableError as error:
        plan.refused[arguments["name"]] = error.message
    else:
        plan.added.append(arguments["name"])


def _report(plan: _Import, as_json: bool) -> None:
    if as_json:
        lists = {"added": plan.added, "skipped": plan.skipped, "refused": plan.refused}
        say_json({"ok": True, "file": str(plan.path), **lists})
        return
    for name in plan.added:
        say(f"{visible(name)} is added.")
    for outcome, names in (("skipped", plan.skipped), ("not taken", plan.refused)):
        for name, reason in names.items():
            note(f"{visible(name)} is {outcome}: {visible(reason)}")
