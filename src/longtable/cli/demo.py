"""`longtable demo`: a small team of scripted agents at work, to look at in the console."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtable.cli.announce import SIGN_IN_BY_TOKEN, login_link
from longtable.cli.output import is_terminal, say, say_json, visible
from longtable.demo import PATIENCE
from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.kernel.logs import logger
from longtable.settings.load import load_unbound
from longtable.settings.options import Settings

# What the team and a server need takes longer to load than every other command takes to run.
if TYPE_CHECKING:
    from longtable.demo.hosting import Perform
    from longtable.demo.table import Report
    from longtable.server.http import HttpApp
    from longtable.server.serve import Announce

DataDir = Annotated[
    str | None,
    typer.Option(
        "--data-dir",
        "--keep",
        metavar="DIR",
        help="Keep the table in this folder.",
        show_default="a temporary one that is deleted",
    ),
]
Port = Annotated[str | None, typer.Option(metavar="PORT", help="Port to listen on.", show_default="any free one")]
Server = Annotated[str | None, typer.Option(metavar="URL", help="Send the team to the server at this address instead.")]
Token = Annotated[str | None, typer.Option(envvar="LONGTABLE_TOKEN", help="For that server; others see it in a flag.")]
Speed = Annotated[float | None, typer.Option(min=0.1, max=100, help="How many times as fast.", show_default="1")]
Patience = Annotated[float, typer.Option(min=0, max=3600, help="Seconds that agents wait for you before they go on.")]


def register(app: typer.Typer) -> None:
    @app.command("demo")
    def demo(  # noqa: PLR0913 - each one is a flag
        *,
        data_dir: DataDir = None,
        http_port: Port = None,
        server: Server = None,
        token: Token = None,
        speed: Speed = None,
        fast: Annotated[bool, typer.Option("--fast", help="Without pauses between the steps.")] = False,
        patience: Patience = PATIENCE,
        once: Annotated[bool, typer.Option("--once", help="End with the story instead of staying.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Write what happens as lines of JSON.")] = False,
    ) -> None:
        """Watch four scripted agents plan, write, argue, ask you and wait for your permission. Ctrl+C ends it."""
        if fast and speed is not None:
            raise InvalidArgument.at("fast", "excludes --speed")
        flags = {"data_dir": data_dir, "http_port": http_port}
        if server is not None:
            _check_address(server, flags)
        from longtable.demo.team import Team

        async def perform(address: str) -> None:
            await Team(
                address, token if server else None, 0.0 if fast else 1 / (speed or 1.0), patience, _report(as_json)
            ).play(stay=not once)

        with _until_interrupted():
            if server is not None:
                asyncio.run(perform(server))
            else:
                _host(perform, flags, as_json)


def _check_address(server: str, flags: dict[str, str | None]) -> None:
    if not server.startswith(("http://", "https://")):
        raise InvalidArgument.at("server", "must begin with http:// or https://")
    if any(value is not None for value in flags.values()):
        raise InvalidArgument.at("server", "excludes --data-dir and --http-port")


def _host(perform: "Perform", flags: dict[str, str | None], as_json: bool) -> None:
    """Options of the environment do not count: they belong to a server with data that somebody needs."""
    with _folder(flags["data_dir"]) as folder:
        from longtable.demo.hosting import host

        port = "0" if flags["http_port"] is None else flags["http_port"]
        options = {"data_dir": str(folder), "http_port": port, "gateway_config": _prepared(folder)}
        settings = load_unbound(options, {}).settings
        # The lines of the story are what people want to read here.
        logger.configure("warning")
        _run(host(settings, _announcer(settings, as_json), perform))


@contextmanager
def _folder(chosen: str | None) -> Iterator[Path]:
    if chosen is not None:
        yield load_unbound({"data_dir": chosen}, {}).settings.data_dir
        return
    with tempfile.TemporaryDirectory(prefix="longtable-demo-", ignore_cleanup_errors=True) as temporary:
        yield Path(temporary)


def _prepared(folder: Path) -> str:
    from longtable.demo.prepare import prepare

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(prepare(folder))
    except OSError as error:
        raise ConfigError(f"data_dir: {folder} cannot be used ({error.strerror}).", option="data_dir") from error


def _run(performance: Awaitable[None]) -> None:
    async def performing() -> None:
        await performance

    if sys.platform == "win32":
        asyncio.run(performing())
        return
    import uvloop

    uvloop.run(performing())


def _announcer(settings: Settings, as_json: bool) -> "Announce":
    async def announce(http: "HttpApp", address: str) -> None:
        facts = {"mcp": address + settings.http_path, **await _sign_in(http, address)}
        if as_json:
            say_json({"ok": True, **facts})
            return
        titles = {"mcp": "MCP", "console": "Console", "link": "Console", "sign_in": "Sign in"}
        for name, value in facts.items():
            say(f"{titles[name]:<9}{value}")

    return announce


async def _sign_in(http: "HttpApp", address: str) -> dict[str, str]:
    """The link goes nowhere but to a terminal: a log or a pipe would keep it, and with it the owner's rights."""
    if http.app.auth != "off":
        return {"console": address, "sign_in": SIGN_IN_BY_TOKEN}
    port = address.rpartition(":")[2]
    command = f"longtable console --data-dir {http.app.settings.data_dir} --http-port {port}"
    if not is_terminal():
        return {"console": address, "sign_in": f"'{command}' in a terminal makes a link"}
    link = login_link(address, await http.app.logins.new_link_secret())
    return {"link": link, "sign_in": f"the link works once and for 10 minutes; '{command}' makes another"}


def _report(as_json: bool) -> "Report":
    def report(who: str, what: str) -> None:
        now = datetime.now().astimezone()
        if as_json:
            say_json({"at": now.isoformat(timespec="milliseconds"), "who": who, "what": what})
        else:
            say(f"{now:%H:%M:%S}  {visible(who):<11}{visible(what)}")

    return report


@contextmanager
def _until_interrupted() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        pass
    except BrokenPipeError:
        # Whoever read along has gone; Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
