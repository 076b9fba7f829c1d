"""Every command explains itself with its own options and examples, and loads nothing that it does not need."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from longtable.cli.command_table import BY_NAME, ENTRIES, EXAMPLES, load_command
from longtable.settings.options import OPTIONS
from tests.e2e.preloaded import SOURCES

OF_THE_SERVER = ("serve", "config")
"""These take every option of the server, and show them."""
MOST_SHOWN = 15
HEAVY = (
    "asyncpg",
    "mcp",
    "numpy",
    "onnxruntime",
    "prometheus_client",
    "rich",
    "sqlglot",
    "starlette",
    "structlog",
    "tokenizers",
    "tree_sitter",
    "uvicorn",
    "longtable.assembly",
)


def leaves() -> Iterator[tuple[str, Any]]:
    for name in BY_NAME:
        command = load_command(name)
        below = getattr(command, "commands", None)
        yield from [(name, command)] if below is None else [(f"{name} {each}", own) for each, own in below.items()]


LEAVES = dict(leaves())


def shown_options(command: Any) -> list[Any]:
    return [each for each in command.params if each.param_type_name == "option" and not each.hidden]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_list_of_commands_says_what_the_command_itself_says(entry: Any) -> None:
    said = " ".join(load_command(entry.name).help.split())

    assert said.startswith(entry.summary), said


@pytest.mark.parametrize("path", LEAVES)
def test_a_command_shows_its_own_options_and_examples(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = LEAVES[path]
    flags = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)} | {"--help"}
    examples = EXAMPLES.get(path) or BY_NAME[path].examples

    assert examples
    for example in examples:
        words = shlex.split(example.partition(" > ")[0].partition(" >> ")[0].partition(" < ")[0].partition(" -- ")[0])
        assert words[: 1 + len(path.split())] == ["longtable", *path.split()]
        if path != "stdio":
            assert {word.partition("=")[0] for word in words if word.startswith("--")} <= flags
    if path not in OF_THE_SERVER:
        assert len(shown_options(command)) <= MOST_SHOWN

    with typer.Context(command, info_name=path) as context:
        command.get_help(context)
    text = capsys.readouterr().out
    assert "<bool>" not in text
    assert all(example.split()[-1] in text for example in examples)


def test_the_options_of_the_server_stand_where_servers_are_configured() -> None:
    flags = {option.flag for option in OPTIONS if option.flag is not None}

    for name in OF_THE_SERVER:
        assert flags <= {flag for each in shown_options(LEAVES[name]) for flag in each.opts}


def test_commands_load_nothing_heavy_before_they_begin() -> None:
    program = f"""
import sys
from longtable.cli.commands import app
from longtable.cli.command_table import BY_NAME, load_command
for name in BY_NAME:
    load_command(name)
print(sorted(set({HEAVY!r}) & set(sys.modules)))"""
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": SOURCES}, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
