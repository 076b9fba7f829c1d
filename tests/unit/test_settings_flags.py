"""Flags: the same for the stdio server and for the commands of the CLI."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from longtable.cli.flags import command_with_options, parse_stdio_flags, plain_flags
from longtable.settings.options import OPTIONS

GIVEN: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--http-port", "99"], {"http_port": "99"}),
    (["--http-port=99"], {"http_port": "99"}),
    (["--http-port", "1", "--http-port", "2"], {"http_port": "2"}),
    (["--http-port", ""], {"http_port": ""}),
    (["--enable-metrics"], {"enable_metrics": "true"}),
    (["--enable-metrics", "--enable-sse"], {"enable_metrics": "true", "enable_sse": "true"}),
    (["--enable-sse", "false"], {"enable_sse": "false"}),
    (["--enable-sse=false"], {"enable_sse": "false"}),
    (["--enable-sse", "off", "--agent", "ann"], {"enable_sse": "off", "agent": "ann"}),
    (["--tools", "-get_audit_log,-brief", "--agent", "ann"], {"tools": "-get_audit_log,-brief", "agent": "ann"}),
    (["--auth-token", "a:1"], {"auth_tokens": ["a:1"]}),
    (["--auth-token", "a:1", "--auth-token", "b:2,c"], {"auth_tokens": ["a:1", "b:2,c"]}),
]


@pytest.fixture
def run() -> Callable[[list[str]], Any]:
    app = typer.Typer()
    seen: list[dict[str, Any]] = []

    @command_with_options(app, "serve")
    def serve(flags: dict[str, Any], as_json: Annotated[bool, typer.Option("--json")] = False) -> None:
        """Serve."""
        seen.append({"flags": flags, "json": as_json})

    @app.callback()
    def main() -> None:
        """Longtable."""

    def invoke(argv: list[str]) -> Any:
        result = CliRunner().invoke(app, ["serve", *argv], env={"COLUMNS": "200"})
        return seen[-1] if seen else result

    return invoke


@pytest.mark.parametrize(("argv", "expected"), GIVEN)
def test_the_stdio_server_takes_flags(argv: list[str], expected: dict[str, Any]) -> None:
    assert parse_stdio_flags(argv) == expected


@pytest.mark.parametrize(("argv", "expected"), GIVEN)
def test_commands_take_the_same_flags(
    run: Callable[[list[str]], Any], argv: list[str], expected: dict[str, Any]
) -> None:
    assert run(argv) == {"flags": expected, "json": False}


@pytest.mark.parametrize(("argv", "expected"), GIVEN)
def test_a_server_that_starts_without_a_parser_takes_the_same_flags(argv: list[str], expected: dict[str, Any]) -> None:
    assert plain_flags(argv) == expected


@pytest.mark.parametrize("argv", [["--help"], ["--http-prot", "1"], ["--http-port"], ["--http-port", "-1"], ["more"]])
def test_what_needs_an_explanation_is_left_to_the_parser(argv: list[str]) -> None:
    assert plain_flags(argv) is None


def test_a_command_keeps_its_own_options(run: Callable[[list[str]], Any]) -> None:
    assert run(["--enable-metrics", "--json"]) == {"flags": {"enable_metrics": "true"}, "json": True}


def test_the_help_of_a_command_lists_every_flag(run: Callable[[list[str]], Any]) -> None:
    text = run(["--help"]).output

    for option in OPTIONS:
        if option.flag is not None:
            assert option.flag in text
    assert "--token " not in text


def test_the_help_of_the_stdio_server_lists_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_stdio_flags(["--help"])

    assert caught.value.code == 0
    text = capsys.readouterr().out
    for option in OPTIONS:
        if option.flag is not None:
            assert f"{option.flag} {'true|false' if option.name.startswith('enable') else ''}" in text


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--http-prot", "1"], "unknown flag --http-prot. Did you mean --http-port?"),
        (["--auth-tokn", "alice:s3cr3t"], "unknown flag --auth-tokn. Did you mean --auth-token?"),
        (["--zzz=s3cr3t"], "unknown flag --zzz"),
        (["--http"], "unknown flag --http"),
        (["--token", "s3cr3t"], "unknown flag --token"),
        (["--auth-token", "a:1", "b:s3cr3t"], "1 unexpected argument(s)"),
        (["--http-port"], "--http-port: expected one argument"),
    ],
)
def test_an_unknown_flag_exits_with_2_and_repeats_no_value(
    capsys: pytest.CaptureFixture[str], argv: list[str], expected: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_stdio_flags(argv)

    message = capsys.readouterr().err
    assert caught.value.code == 2
    assert expected in message
    assert "s3cr3t" not in message


def test_an_unknown_flag_of_a_command_exits_with_2(run: Callable[[list[str]], Any]) -> None:
    assert run(["--http-prot", "1"]).exit_code == 2
