"""Commands that have entry points of their own, which load less: here they are listed, and run where those gave up."""

import typer

from longtable.cli import hook
from longtable.cli.stdio import serve_stdio


def register(app: typer.Typer) -> None:
    @app.command("stdio")
    def stdio() -> None:
        """Serve MCP over standard input and output, as without a command."""
        serve_stdio([])

    @app.command("hook")
    def run_hook() -> None:
        """Run as a hook of Claude Code, whose plugin calls it: the event comes on standard input."""
        hook.run()
