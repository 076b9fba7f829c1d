"""What commands write: tables and sentences for people, one JSON object for programs."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from longtable.kernel.errors import LongtableError

_UNBROKEN = 10_000

AsJson = Annotated[bool, typer.Option("--json", help="Write one JSON object instead of text.")]


def is_terminal() -> bool:
    return sys.stdout.isatty()


@contextmanager
def until_interrupted() -> Iterator[None]:
    """Ends quietly with Ctrl+C, and when the program that reads the output has ended."""
    try:
        yield
    except KeyboardInterrupt:
        pass
    except BrokenPipeError:
        # Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_json(body: dict[str, Any]) -> None:
    typer.echo(json.dumps(body))


def say(text: str) -> None:
    typer.echo(text)


def note(text: str) -> None:
    """For people only, beside the output: it goes to stderr, so that a pipe carries nothing but the result."""
    typer.echo(text, err=True)


def say_result(body: dict[str, Any], sentence: str, as_json: bool, *notes: str) -> None:
    """`body` for programs, `sentence` and `notes` for people."""
    if as_json:
        say_json(body)
        return
    say(sentence)
    for each in notes:
        note(each)


def say_rows(
    body: dict[str, Any], header: Sequence[str], rows: Iterable[Sequence[Any]], as_json: bool, *notes: str
) -> None:
    """`body` for programs, a table of `rows` and `notes` for people."""
    if as_json:
        say_json(body)
        return
    say_table(header, rows)
    for each in notes:
        note(each)


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun: 1 session, 2 sessions."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def say_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A frame on a terminal; elsewhere plain columns that no width cuts off."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if is_terminal():
        console, table = Console(), Table()
    else:
        console, table = Console(width=_UNBROKEN), Table(box=None, pad_edge=False)
    for title in header:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    console.print(table)


def visible(value: Any) -> str:
    """Agents write much of what people list here: a control character must not reach the terminal."""
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value)
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


_TITLES = {
    "mcp": "MCP",
    "console": "Console",
    "link": "Console",
    "sign_in": "Sign in",
    "data_dir": "Data",
    "connect": "Connect",
    "stop": "Stop",
}


def say_address(facts: Mapping[str, str], as_json: bool) -> None:
    """Where a server listens, how to sign in to its console, and what else a person at its terminal needs."""
    if as_json:
        say_json({"ok": True, **facts})
        return
    for name, value in facts.items():
        say(f"{_TITLES[name]:<9}{value}")


def say_error(error: LongtableError, as_json: bool) -> None:
    if as_json:
        # A fifth of what a small command takes to start.
        from longtable.toolkit.envelope import wrap_error
        from longtable.toolkit.tool import Envelope

        say_json(wrap_error(Envelope.OK, error, now=0))
    else:
        note(f"longtable: {error.code}: {error.message}")
