"""`longtable demo`: a small team of scripted agents at work, to look at in the console."""

import asyncio
from typing import Annotated

import typer

from longtable.cli.output import until_interrupted
from longtable.cli.server_address import check_server_url
from longtable.demo import PATIENCE
from longtable.kernel.errors import InvalidArgument

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
        # A server and a client take longer to load than every other command takes to run.
        from longtable.cli.demo_run import DemoRun

        run = DemoRun(0.0 if fast else 1 / (speed or 1.0), patience, once, as_json)
        with until_interrupted():
            if server is not None:
                asyncio.run(run.play(server, token))
            else:
                run.host(data_dir, http_port)


def _check_address(server: str, flags: dict[str, str | None]) -> None:
    check_server_url("server", server)
    if any(value is not None for value in flags.values()):
        raise InvalidArgument.at("server", "excludes --data-dir and --http-port")
