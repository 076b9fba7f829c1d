"""The page about the command line, from the commands themselves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longtable.cli.command_table import ENTRIES, load_command
from longtable.settings.options import OPTIONS

_INTRODUCTION = """\
# Command line

`longtable` without a command serves MCP over standard input and output, with the options of
[configuration](configuration.md). `longtable --help` lists the commands, `longtable COMMAND --help` shows one of them.

- Every command ends with 0 when it is done, with 1 when it was refused, and with 2 when it was not understood.
- With `--json` a command writes one JSON object, also when it fails: `{"ok": false, "error": {...}}` with a
  [code](errors.md).
- Results go to standard output, everything that is said beside them to standard error.
"""
_SETTINGS = frozenset(option.flag for option in OPTIONS if option.flag)
_KINDS = {int: "INTEGER", float: "NUMBER", Path: "FILE"}
_MANY = 40
"""A command with more of the program's options than this takes all of them."""


def commands() -> Iterator[tuple[str, Any]]:
    """All commands by what a person types, those of a group after the group."""
    for name in (entry.name for entry in ENTRIES):
        command = load_command(name)
        yield name, command
        yield from ((f"{name} {below}", each) for below, each in getattr(command, "commands", {}).items())


def sections() -> Iterator[str]:
    yield _INTRODUCTION
    rows = [[f"[`longtable {name}`](#{_anchor(name)})", _first_sentence(each)] for name, each in commands()]
    yield _table(["Command", "What it does"], rows)
    for name, command in commands():
        yield _section(name, command)


def _anchor(name: str) -> str:
    return f"longtable-{name.replace(' ', '-')}"


def _section(name: str, command: Any) -> str:
    depth = "###" if " " in name else "##"
    parts = [f"{depth} longtable {name}\n", f"{_sentences(command)}\n"]
    if not hasattr(command, "commands"):
        parts += [f"```text\n{_usage(name, command)}\n```\n", *_parameters(command)]
    return "\n".join(parts)


def _usage(name: str, command: Any) -> str:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    words = [_shown(each) if each.required else f"[{_shown(each)}]" for each in arguments]
    options = ["[OPTIONS]"] if len(arguments) < len(command.params) else []
    return " ".join(["longtable", name, *options, *words])


def _parameters(command: Any) -> Iterator[str]:
    own = [each for each in command.params if not _is_setting(each)]
    settings = [each for each in command.params if _is_setting(each)]
    if own:
        yield _table(["Argument or option", "Default", "Meaning"], [_row(each) for each in own])
    if len(settings) > _MANY:
        yield "And all options of [configuration](configuration.md).\n"
    elif settings:
        names = ", ".join(f"`{each.opts[0]}`" for each in settings)
        yield f"And of [configuration](configuration.md): {names}.\n"


def _is_setting(parameter: Any) -> bool:
    return parameter.opts[0] in _SETTINGS and parameter.rich_help_panel is not None


def _row(parameter: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [f"`{_shown(parameter)}`", "required" if parameter.required else "none", _help(parameter)]
    flags = ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))
    value = "" if parameter.is_flag else f" `{_shown(parameter)}`"
    return [f"{flags}{value}", _default(parameter), _help(parameter)]


def _help(parameter: Any) -> str:
    variable = f" Environment: `{parameter.envvar}`." if parameter.envvar else ""
    return f"{parameter.help or ''}{variable}".strip()


def _shown(parameter: Any) -> str:
    if parameter.metavar:
        return str(parameter.metavar)
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    return _KINDS.get(parameter.type_descriptor.annotation, "TEXT")


def _default(parameter: Any) -> str:
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if parameter.required:
        return "required"
    if parameter.is_flag:
        return "on" if parameter.default is True else "off"
    return "none" if parameter.default in (None, ()) else f"`{parameter.default}`"


def _sentences(command: Any) -> str:
    return " ".join((command.help or "").split())


def _first_sentence(command: Any) -> str:
    first, end, _ = _sentences(command).partition(". ")
    return first + ("." if end else "")


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
