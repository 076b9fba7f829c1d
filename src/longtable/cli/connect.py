"""`longtable connect`: configures an MCP client on this machine to use Longtable, and takes that back."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, note, say, say_json
from longtable.cli.server_address import server_address
from longtable.client_setup.change import FileChange, connecting, disconnecting
from longtable.client_setup.clients import CLIENTS, TOKEN, HttpServer, McpClient, OwnCommand, Server, StdioServer
from longtable.kernel.errors import ConfigError, InvalidArgument, LongtableError
from longtable.kernel.names import HUMAN_PREFIX, name_problem, poses_as_person
from longtable.kernel.user_folders import UserFolders
from longtable.settings.load import Loaded, load_unbound, suggestion
from longtable.settings.options import BY_NAME, Settings

_FLAGS = ("data_dir", "store", "project", "agent", "tools", "http_host", "http_port", "http_path")
_PASSED_ON = ("data_dir", "store", "project")
_SECONDS = 60


@dataclass(frozen=True, slots=True)
class _ConnectOptions:
    """The options of the command."""

    server: Server
    prints: bool
    undoes: bool

    @property
    def way(self) -> str:
        return "http" if isinstance(self.server, HttpServer) else "stdio"


def register(app: typer.Typer) -> None:
    @command_with_options(app, "connect", only=_FLAGS)
    def connect(  # noqa: PLR0913 - each one is a flag
        *,
        flags: FlagValues,
        client: Annotated[str | None, typer.Argument(metavar="CLIENT", help=f"One of {', '.join(CLIENTS)}.")] = None,
        every: Annotated[bool, typer.Option("--all", help="All clients that are found here.")] = False,
        http: Annotated[bool, typer.Option("--http", help="Use a running server, by its address.")] = False,
        stdio: Annotated[bool, typer.Option("--stdio", help="Let the client start a process (the default).")] = False,
        with_token: Annotated[
            bool, typer.Option("--with-token", help=f"Let the client take a token from its variable {TOKEN}.")
        ] = False,
        prints: Annotated[bool, typer.Option("--print", help="Show what to paste, and change nothing.")] = False,
        undo: Annotated[bool, typer.Option("--undo", help="Take back what an earlier connect has written.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Add Longtable to the configuration of an MCP client. The change is shown, the file is written in one piece,
        and a copy is kept beside it (.longtable-backup). Other entries, comments and their order stay as they are."""
        if http and stdio:
            raise InvalidArgument("--http and --stdio: one of them.")
        if prints and undo:
            raise InvalidArgument("--print and --undo: one of them.")
        if with_token and not http:
            raise InvalidArgument("--with-token goes with --http.", hint=f"A process finds {TOKEN} in its environment.")
        loaded = load_unbound(flags, os.environ)
        _check_agent(loaded.settings, flags)
        server = _http(loaded.settings, flags, with_token) if http else _stdio(loaded, flags)
        options = _ConnectOptions(server, prints, undo)
        if not every:
            done = _do(_named(client), options)
            _report(done, options, as_json)
            return
        if client is not None:
            raise InvalidArgument("--all: no client is named with it.")
        _all(options, as_json)


def _check_agent(settings: Settings, flags: FlagValues) -> None:
    """A server would refuse it later, out of sight of who connects."""
    if "agent" not in flags:
        return
    name = str(settings.agent)
    problem = f"must not begin with '{HUMAN_PREFIX}', which belongs to people" if poses_as_person(name) else None
    if problem := problem or name_problem(name):
        raise InvalidArgument.at("agent", problem)


def _named(client: str | None) -> McpClient:
    if client is None:
        raise InvalidArgument("A client is missing.", hint=f"One of {', '.join(CLIENTS)}, or --all.")
    if client not in CLIENTS:
        near = suggestion(client, CLIENTS)
        raise InvalidArgument(f"There is no client {client[:50]!r}.{near}", hint=f"One of {', '.join(CLIENTS)}.")
    return CLIENTS[client]


def _all(options: _ConnectOptions, as_json: bool) -> None:
    folders = UserFolders.here()
    results = [_tried(client, options) for client in CLIENTS.values() if client.is_installed(folders)]
    failed = [each for each in results if "error" in each]
    if as_json:
        say_json({"ok": not failed, "clients": results})
    else:
        _report_all(results, options)
    if failed:
        raise typer.Exit(1)


def _report_all(results: Sequence[dict[str, Any]], options: _ConnectOptions) -> None:
    if not results:
        say("No client that we know is here.")
    for each in results:
        if "error" in each:
            note(f"{each['title']}: {each['error']}")
        else:
            _report(each, options, as_json=False)


def _tried(client: McpClient, options: _ConnectOptions) -> dict[str, Any]:
    try:
        return _do(client, options)
    except LongtableError as error:
        return {"client": client.name, "title": client.title, "error": error.message}


def _do(client: McpClient, options: _ConnectOptions) -> dict[str, Any]:
    entry = client.entry(options.server)
    if entry is None and not options.undoes:
        raise ConfigError(f"{client.title} only starts processes.", hint="Leave --http out.")
    path = client.path(UserFolders.here())
    done: dict[str, Any] = {"client": client.name, "title": client.title, "way": options.way, "path": str(path)}
    if options.prints:
        return {**done, "changed": False, "snippet": client.text.render(client.keys, entry), "entry": entry}
    by_command = _by_its_own_command(client, options)
    if by_command is not None:
        return {**done, **by_command}
    change = disconnecting(client, path) if options.undoes else connecting(client, path, entry or {})
    if not change.is_none:
        change.write()
    return {**done, "path": str(change.path), "changed": not change.is_none, **_seen(change)}


def _seen(change: FileChange) -> dict[str, Any]:
    if change.is_none:
        return {}
    kept = change.makes_backup and change.before is not None
    return {"diff": change.diff(), **({"backup": str(change.backup_path)} if kept else {})}


def _by_its_own_command(client: McpClient, options: _ConnectOptions) -> dict[str, Any] | None:
    """None where the client has none for this, or its program is not here."""
    own, program = client.own_command, client.finds_command()
    if own is None or program is None:
        return None
    words = own.removing if options.undoes else own.adding(options.server)
    if words is None:
        return None
    command = shlex.join([own.program, *words])
    if options.undoes:
        return {"changed": _run([program, *words]).returncode == 0, "command": command}
    _add(program, words, own, command)
    return {"changed": True, "command": command}


def _add(program: str, words: Sequence[str], own: OwnCommand, command: str) -> None:
    ended = _run([program, *words])
    if ended.returncode != 0 and own.removing is not None:
        # Some refuse to add what is there already.
        _run([program, *own.removing])
        ended = _run([program, *words])
    if ended.returncode != 0:
        lines = (ended.stderr or ended.stdout).strip().splitlines() or ["no reason"]
        # The file is left alone: the client may have refused by a rule of its owner.
        raise ConfigError(f"{command} has failed: {lines[-1][:300]}", hint="--print shows what to paste instead.")


def _run(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(
            words, capture_output=True, text=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{words[0]} cannot be used: {type(error).__name__}.") from None


def _http(settings: Settings, flags: FlagValues, with_token: bool) -> HttpServer:
    agent = settings.agent if "agent" in flags else None
    return HttpServer(server_address(settings).rstrip("/") + settings.http_path, agent, with_token)


def _stdio(loaded: Loaded, flags: FlagValues) -> StdioServer:
    """With what holds here, by flag, environment or file, so that it opens the same store: the client has another
    environment."""
    settings = loaded.settings
    values = {name: str(getattr(settings, name)) for name in _PASSED_ON if loaded.sources[name] != "default"}
    if "store" not in flags and BY_NAME["store"].hides(settings.store):
        del values["store"]
        note("The address of the store holds a password and is not written: the client must find LONGTABLE_STORE.")
    values.setdefault("project", "default")
    if "data_dir" in values:
        values["data_dir"] = str(Path(values["data_dir"]).absolute())
    tools = flags.get("tools", "agent")
    words = [word for name, value in values.items() for word in (f"--{name.replace('_', '-')}", value)]
    named = ["--agent", str(settings.agent)] if "agent" in flags else []
    return StdioServer(_program(), (*words, "--tools", str(tools), *named))


def _program() -> str:
    """Its whole path: a desktop program has another PATH than a shell."""
    installed = Path(sys.executable).with_name("longtable")
    found = shutil.which(sys.argv[0]) or shutil.which(installed) or shutil.which("longtable")
    return str(Path(found).absolute()) if found else "longtable"


def _report(done: dict[str, Any], options: _ConnectOptions, as_json: bool) -> None:
    if as_json:
        say_json({"ok": True, **done})
    elif "snippet" in done:
        note(f"For {done['path']}:")
        say(done["snippet"].rstrip("\n"))
    elif "command" in done:
        say(f"{done['title']}: {done['command']}" if done["changed"] else f"{done['title']}: there was nothing to do.")
    elif not done["changed"]:
        state = "is not connected" if options.undoes else "is connected already"
        say(f"{done['title']} {state}: {done['path']} stays as it is.")
    else:
        say(done["diff"])
        say(f"{done['title']} is {'as it was' if options.undoes else 'connected'}. Start it again to use the change.")
        if "backup" in done:
            say(f"The file as it was: {done['backup']}")
