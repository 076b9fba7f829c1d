"""Flags made from the table of options: for the stdio server, which must start fast, and for Typer commands."""

import functools
import inspect
import re
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from longtable.settings.declare import Option
from longtable.settings.kinds import Boolean
from longtable.settings.load import suggestion
from longtable.settings.options import OPTIONS

# Typer and rich take longer to import than the stdio server to start: only what builds a Typer command pays.
if TYPE_CHECKING:
    import argparse

    import typer

FlagValues = dict[str, str | list[str]]

_TOOLS = "--tools"
_LEFT_OUT = re.compile("-[a-z]")
_WITH_FLAG: dict[str, Option] = {option.flag: option for option in OPTIONS if option.flag is not None}


def parse_stdio_flags(argv: Sequence[str]) -> FlagValues:
    """The flags that were given, by name of the option. Exits with 2 for an unknown one, with 0 after --help."""
    plain = plain_flags(argv)
    if plain is not None:
        return plain
    parser = _stdio_parser()
    received, rest = parser.parse_known_args(complete_boolean_flags(argv))
    if rest:
        _refuse(parser, rest)
    return vars(received)


def plain_flags(argv: Sequence[str]) -> FlagValues | None:
    """The same without a parser, for a command line that holds flags of the table with their values and nothing else;
    None for any other."""
    received: FlagValues = {}
    arguments = iter(complete_boolean_flags(argv))
    for argument in arguments:
        flag, equals, value = argument.partition("=")
        value = value if equals else next(arguments, "-")
        if flag not in _WITH_FLAG or (value.startswith("-") and not equals):
            return None
        name = _WITH_FLAG[flag].name
        if _WITH_FLAG[flag].kind.overlays:
            received[name] = [*received.get(name, []), value]
        else:
            received[name] = value
    return received


def complete_boolean_flags(argv: Sequence[str]) -> list[str]:
    """`--enable-metrics` alone means true, and `--tools` takes a name with a minus. Written out here, as neither
    argparse nor Typer knows flags that take a value or none and still leave the next flag alone."""
    completed: list[str] = []
    for position, argument in enumerate(argv):
        follower = argv[position + 1] if position + 1 < len(argv) else "-"
        if completed and completed[-1] == _TOOLS and _LEFT_OUT.match(argument):
            completed[-1] = f"{_TOOLS}={argument}"
            continue
        alone = _is_boolean_flag(argument) and follower.startswith("-")
        completed.append(f"{argument}=true" if alone else argument)
    return completed


def command_with_options(
    app: "typer.Typer", name: str, only: Sequence[str] | None = None, *, shown: Sequence[str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a Typer command that takes every flag of the table, or of the options in `only`. The
    function gets them as `flags`, ready for `settings.load`, besides the parameters that it declares itself. Its help
    shows those in `shown`, if given: the others are accepted, so that one may give it the flags of a server."""
    from typer.core import TyperCommand

    class CommandWithOptions(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            # Typer would quote extra arguments, which may be secrets.
            ctx.allow_extra_args = True
            rest = super().parse_args(ctx, complete_boolean_flags(args))
            if rest:
                ctx.fail(f"{len(rest)} unexpected argument(s) that belong to no flag")
            return rest

    def register(command: Callable[..., Any]) -> Callable[..., Any]:
        offered = [option for option in _WITH_FLAG.values() if only is None or option.name in only]
        hidden = frozenset() if shown is None else {option.name for option in offered} - set(shown)
        return app.command(name, cls=CommandWithOptions)(_taking_flags(command, offered, hidden))

    return register


def _taking_flags(command: Callable[..., Any], offered: Sequence[Option], hidden: Set[str]) -> Callable[..., Any]:
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "flags"]

    @functools.wraps(command)
    def run(**received: Any) -> Any:
        values = {option.name: received.pop(option.name) for option in offered}
        # Absent is None, or an empty list for a repeatable flag; an empty text is a value, and is refused later.
        return command(flags={name: value for name, value in values.items() if value not in (None, [])}, **received)

    added = [_typer_parameter(option, option.name in hidden) for option in offered]
    own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]  # callables have it
    return run


def _typer_parameter(option: Option, is_hidden: bool) -> inspect.Parameter:
    import typer

    info = typer.Option(
        option.flag,
        help=option.help,
        metavar=_metavar(option),
        show_default=option.default_text,
        rich_help_panel=option.group,
        hidden=is_hidden,
    )
    value: Any = list[str] | None if option.kind.overlays else str | None
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[value, info]
    )


def _stdio_parser() -> "argparse.ArgumentParser":
    import argparse

    parser = argparse.ArgumentParser(
        prog="longtable",
        usage="longtable [stdio] [options]",
        description="Serves MCP over standard input and output.",
        epilog="Examples: 'longtable', 'longtable stdio --agent ada --data-dir ~/team'. "
        "'longtable --help' lists the commands.",
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    groups = {option.group: parser.add_argument_group(option.group) for option in _WITH_FLAG.values()}
    for flag, option in _WITH_FLAG.items():
        groups[option.group].add_argument(
            flag,
            dest=option.name,
            action="append" if option.kind.overlays else "store",
            metavar=_metavar(option),
            help=f"{option.help} Default: {option.default_text}.".replace("%", "%%"),
        )
    return parser


def _refuse(parser: "argparse.ArgumentParser", rest: Sequence[str]) -> NoReturn:
    """Names flags only: their values may be secrets."""
    unknown = [argument.partition("=")[0] for argument in rest if argument.startswith("-")]
    if not unknown:
        parser.error(f"{len(rest)} unexpected argument(s) that belong to no flag")
    parser.error(f"unknown flag {unknown[0]}. {suggestion(unknown[0], _WITH_FLAG)}".rstrip())


def _is_boolean_flag(argument: str) -> bool:
    return argument in _WITH_FLAG and isinstance(_WITH_FLAG[argument].kind, Boolean)


def _metavar(option: Option) -> str:
    return option.kind.metavar or option.name.rpartition("_")[2].upper()
