"""The command `longtable`: runs what the arguments name, and translates what goes wrong."""

import sys
from typing import Annotated

import typer

from longtable import __version__
from longtable.cli.command_table import USAGE_ERROR, CommandGroup
from longtable.cli.output import say, say_error
from longtable.kernel.errors import InvalidArgument, LongtableError

USAGE = 2

app = typer.Typer(cls=CommandGroup, pretty_exceptions_enable=False, rich_markup_mode="rich")


def run() -> None:
    """Runs the command that the arguments name and exits: 0 done, 1 refused, 2 not understood."""
    as_json = "--json" in sys.argv
    try:
        status = app(prog_name="longtable", standalone_mode=False)
    except InvalidArgument as error:
        say_error(_name_flag(error), as_json)
        status = USAGE
    except LongtableError as error:
        say_error(error, as_json)
        status = 1
    except USAGE_ERROR as mistake:
        say_error(_translate(mistake), as_json)
        status = USAGE
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    raise SystemExit(status)


def _translate(mistake: Exception) -> LongtableError:
    context, message = getattr(mistake, "ctx", None), mistake.format_message()  # type: ignore[attr-defined]  # they have it
    path = context.command_path if context else "longtable"
    # Choices come in a line each.
    sentence = " ".join(message.replace("Value error, ", "").split()).rstrip(" .")
    return InvalidArgument(
        sentence if sentence.endswith("?") else f"{sentence}.", hint=f"'{path} --help' shows what is possible."
    )


def _name_flag(error: InvalidArgument) -> InvalidArgument:
    """Services name an argument by its field; here it was a flag."""
    faults = error.details.get("errors")
    if not faults:
        return error
    return InvalidArgument.at(f"--{faults[0]['path'].replace('_', '-')}", faults[0]["message"])


def _version(requested: bool) -> None:
    if requested:
        say(f"longtable {__version__}")
        raise typer.Exit


@app.callback()
def longtable(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it and exit.")] = (
        False
    ),
) -> None:
    """The shared table of a team of AI agents. Without a command it serves MCP over standard input and output, with the
    options that 'longtable stdio --help' shows; 'longtable COMMAND --help' explains a command."""
