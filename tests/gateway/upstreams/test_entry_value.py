"""An entry that is added at run time: checked like one of the file, shown without its secrets."""

import json
from typing import Any

import pytest

from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.upstreams.entry_value import needs_operator, read_entry, with_kept_secrets, without_secrets

SECRETS = {
    "command": "serve",
    "args": ["--token", "t0psecret", "--api-key=k3ysecret", "--room", "open"],
    "env": {"PASSWORD": "p4ssword", "PLAIN": "pl4in", "FROM": "${env:FROM}", "ELSE": "${X:-d3fault}"},
}
REMOTE = {"url": "https://docs.example/mcp?key=qu3ry", "headers": {"Authorization": "Bearer b3arer", "X": "${X}"}}


@pytest.mark.parametrize("secret", ["t0psecret", "k3ysecret", "p4ssword", "pl4in", "d3fault", "qu3ry", "b3arer"])
def test_no_value_that_may_be_a_secret_is_shown(secret: str) -> None:
    shown = json.dumps([without_secrets(SECRETS), without_secrets(REMOTE)])

    assert secret in json.dumps([SECRETS, REMOTE])
    assert secret not in shown


def test_references_and_harmless_parts_are_shown() -> None:
    shown = without_secrets(SECRETS)

    assert shown["env"]["FROM"] == "${env:FROM}"
    assert shown["args"][3:] == ["--room", "open"]


@pytest.mark.parametrize("entry", [SECRETS, REMOTE])
def test_what_is_sent_back_as_it_was_shown_stays(entry: dict[str, Any]) -> None:
    assert with_kept_secrets({**without_secrets(entry), "timeout": 5}, entry) == {**entry, "timeout": 5}


def test_a_new_value_beside_hidden_ones_counts() -> None:
    changed = {**without_secrets(REMOTE), "headers": {"Authorization": "[hidden]", "X": "new"}}

    assert with_kept_secrets(changed, REMOTE)["headers"] == {"Authorization": "Bearer b3arer", "X": "new"}


WEB = {"openapi": "https://docs.example/api.json", "base_url": "https://api.example", "headers": {"X-Key": "k3ysecret"}}


@pytest.mark.parametrize(
    ("before", "changes", "field"),
    [
        (REMOTE, {"url": "https://evil.example/mcp"}, "entry.headers.Authorization"),
        (REMOTE, {"url": "https://docs.example:8443/mcp"}, "entry.headers.Authorization"),
        (REMOTE, {"url": "https://docs.example.evil.example/mcp"}, "entry.headers.Authorization"),
        (REMOTE, {"url": None, "openapi": "https://docs.example/api.json"}, "entry.headers.Authorization"),
        (WEB, {"base_url": "https://evil.example"}, "entry.headers.X-Key"),
        (WEB, {"base_url": None}, "entry.headers.X-Key"),
        (WEB, {"openapi": "https://evil.example/api.json"}, "entry.headers.X-Key"),
        (SECRETS, {"command": "other"}, "entry.env.PASSWORD"),
        (SECRETS, {"args": ["--report-to", "evil.example"]}, "entry.env.PASSWORD"),
        (SECRETS, {"cwd": "/elsewhere"}, "entry.env.PASSWORD"),
    ],
)
def test_what_was_hidden_does_not_follow_to_another_address_or_program(
    before: dict[str, Any], changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument, match="enter it again") as refused:
        with_kept_secrets({**without_secrets(before), **changes}, before)

    assert refused.value.details["errors"][0]["path"] == field


@pytest.mark.parametrize(
    ("before", "changes", "field"),
    [
        (SECRETS, {"args": ["--token", "[hidden]", "--room", "closed"]}, "entry.args"),
        (REMOTE, {"url": "https://docs.example/v2?[hidden]"}, "entry.url"),
        ({"command": "serve", "args": ["--token", "t0psecret"]}, {"command": "other"}, "entry.args"),
    ],
)
def test_what_is_hidden_in_a_part_of_what_has_changed_is_entered_again(
    before: dict[str, Any], changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArgument, match="enter it again") as refused:
        with_kept_secrets({**without_secrets(before), **changes}, before)

    assert refused.value.details["errors"][0]["path"] == field


def test_what_was_hidden_stays_where_only_the_path_changes() -> None:
    changed = with_kept_secrets({**without_secrets(REMOTE), "url": "https://docs.example/v2"}, REMOTE)

    assert changed["headers"] == REMOTE["headers"]


def test_another_address_is_taken_with_secrets_that_are_entered_again() -> None:
    entry = {"url": "https://other.example/mcp", "headers": {"Authorization": "Bearer n3w", "X": "${X}"}}

    assert with_kept_secrets(entry, REMOTE) == entry


@pytest.mark.parametrize(
    "argument",
    [
        "Authorization: Bearer t0psecret",
        "Authorization: Basic dDBwc2VjcmV0dDBwc2VjcmV0==",
        "X-Api-Key:t0psecret",
        "--header=Cookie: session=t0psecret",
        "postgresql://user:t0psecret@host/db",
        "--dsn=postgresql://user:t0psecret@host/db",
        "redis://:t0psecret@host/0",
        "https://t0psecret@host/mcp",
        "https://host/mcp?access_token=t0psecret&room=1",
        "https://host/mcp?room=1&key=t0psecret",
        "ghp_0123456789abcdefghij",
    ],
)
def test_an_argument_that_holds_a_secret_is_hidden_whatever_stands_before_it(argument: str) -> None:
    entry = {"command": "npx", "args": ["server", "--header", argument, "--verbose"]}

    assert without_secrets(entry)["args"] == ["server", "--header", "[hidden]", "--verbose"]
    assert with_kept_secrets({**without_secrets(entry), "timeout": 5}, entry) == {**entry, "timeout": 5}


@pytest.mark.parametrize(
    "argument",
    [
        "mcp-remote@1.2.3",
        "@modelcontextprotocol/server-postgres",
        "https://docs.example/mcp?room=1",
        "Authorization: Bearer ${DOCS_TOKEN}",
        "/var/lib/keys:/data",
        "C:\\data",
        "--from=git+ssh://git@code.example/tools",
    ],
)
def test_an_argument_without_a_secret_is_shown(argument: str) -> None:
    assert without_secrets({"command": "npx", "args": [argument]})["args"] == [argument]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"command": "serve"}, "runs a program"),
        ({"url": "https://docs.example", "headers": {"X": "${HOME}"}}, "environment"),
        ({"openapi": "/etc/api.json"}, "file"),
        ({"url": "http://localhost:1/mcp"}, "own machine"),
        ({"url": "http://127.0.0.1:1/mcp"}, "own machine"),
        ({"openapi": "https://docs.example/api.json", "base_url": "http://[::1]/"}, "own machine"),
        ({"url": "https://docs.example/mcp"}, None),
    ],
)
def test_what_uses_the_machine_of_the_server_is_known(entry: dict[str, Any], reason: str | None) -> None:
    found = needs_operator(entry)

    assert found is None if reason is None else found is not None and reason in found


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({}, "entry"),
        ({"command": "x", "url": "https://docs.example"}, "entry"),
        ({"command": "x", "argz": []}, "entry.argz"),
        ({"url": "ftp://docs.example"}, "entry.url"),
        ({"url": "http://127.0.0.1:8080/mcp"}, "entry.url"),
        ({"command": "x", "env": {"A": "${MISSING}"}}, "entry.env.A"),
        ({"command": "x", "disabled": True}, "entry.disabled"),
        ({"command": "x", "layer_overrides": {}}, "entry.layer_overrides"),
    ],
)
def test_a_mistake_is_named_with_its_place(entry: dict[str, Any], place: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_entry("docs", entry, [("127.0.0.1", 8080)], {})

    assert refused.value.details["place"] == place


def test_its_tools_wait_unless_it_names_another_trust() -> None:
    assert read_entry("docs", {"command": "x"}, (), {}).trust == "none"
    assert read_entry("docs", {"command": "x", "trust": None}, (), {}).trust == "none"
    assert read_entry("docs", {"command": "x", "trust": "full"}, (), {}).trust == "full"
