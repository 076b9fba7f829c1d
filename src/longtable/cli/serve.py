"""`longtable serve` for command lines with --help or with an error; others take the faster `cli.supervise`."""

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson
from longtable.cli.supervise import supervise


def register(app: typer.Typer) -> None:
    @command_with_options(app, "serve")
    def serve(flags: FlagValues, as_json: AsJson = False) -> None:
        """Serve MCP, REST and the console over HTTP until a signal asks to stop."""
        supervise(flags, as_json=as_json)
