"""`longtable completion`: a script for a shell, which asks `longtable` itself what can follow."""

from typing import Annotated, Literal

import typer
from typer.completion import shell_complete

VARIABLE = "_LONGTABLE_COMPLETE"
"""Set by the script: then the program answers what can follow instead of doing it."""

Shell = Literal["bash", "zsh", "fish", "powershell"]


def register(app: typer.Typer) -> None:
    @app.command("completion")
    def completion(
        context: typer.Context,
        shell: Annotated[Shell, typer.Argument(metavar="bash|zsh|fish|powershell", help="Your shell.")],
    ) -> None:
        """Print a script that completes commands and options in a shell. Add it to what that reads at its start."""
        shell_complete(context.find_root().command, {}, "longtable", VARIABLE, f"source_{shell}")
