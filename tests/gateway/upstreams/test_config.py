"""The gateway file: pasted as other programs write it, checked as a whole, with the place of every mistake."""

import json
from pathlib import Path
from typing import Any

import pytest

from longtable.governance.model import Layer, Rate
from longtable.kernel.clock import MINUTE
from longtable.kernel.errors import ConfigError
from longtable.upstreams.config import GatewayFile, load_gateway_file, refuse_taken_names
from longtable.upstreams.entries import HttpEntry, OpenApiEntry, StdioEntry

PASTED = {
    "mcpServers": {
        "filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/a"]},
        "github": {
            "type": "http",
            "url": "https://api.example.com/mcp/",
            "headers": {"Authorization": "Bearer ${PAT}"},
        },
        "old": {"type": "sse", "url": "https://old.example.com/sse", "disabled": False},
        "python": {"type": "stdio", "command": "python", "env": {"DEBUG": "1", "API_KEY": "${env:KEY}"}},
        "off": {"command": "nothing", "disabled": True},
    }
}


EVERYTHING = """
mcpServers:
  files:
    command: files
    pack: my.files
    layer_overrides: {read_file: tool, "delete_*": deny}
    allow: [read_*, delete_*]
    deny: [read_secret]
    timeout: 2m
    trust: full
    max_concurrency: 3
    max_response_bytes: 2M
    memory: 512M
openapi:
  - openapi: pets.yaml
    base_url: https://pets.example.com/v1
    headers: {X-Api-Key: "${KEY}"}
playbooks: books
rules:
  - {match: "files.*", layer: tool}
rate_limits: {tool: 10/min, tenant: 1000/min}
prefix: acme
listing: search
allowed_hosts: [db.internal, 10.0.0.7]
"""


def load(folder: Path, text: str | dict[str, Any], name: str = "gateway.json", **more: Any) -> GatewayFile:
    path = folder / name
    path.write_text(json.dumps(text, indent=2) if isinstance(text, dict) else text)
    path.chmod(more.pop("mode", 0o644))
    return load_gateway_file(path, environ={"PAT": "pat-value", "KEY": "key-value", "EMPTY": ""}, **more)


def mistake(folder: Path, text: str | dict[str, Any], name: str = "gateway.json", **more: Any) -> ConfigError:
    with pytest.raises(ConfigError) as wrong:
        load(folder, text, name, **more)
    return wrong.value


def test_what_a_client_program_keeps_beside_its_servers_is_left_alone(tmp_path: Path) -> None:
    file = load(
        tmp_path, {"globalShortcut": "Ctrl+Space", "preferences": {"menuBarEnabled": False}, **PASTED}, mode=0o600
    )

    assert [entry.name for entry in file.mcp] == ["filesystem", "github", "old", "python"]


def test_servers_pasted_from_other_programs_are_understood(tmp_path: Path) -> None:
    file = load(tmp_path, PASTED)

    filesystem, github, old, python = file.mcp
    assert isinstance(filesystem, StdioEntry)
    assert (filesystem.command, filesystem.args[0], filesystem.pack) == ("npx", "-y", "filesystem")
    assert isinstance(github, HttpEntry)
    assert (github.url, github.headers, github.kind) == (
        "https://api.example.com/mcp/",
        {"Authorization": "Bearer pat-value"},
        "http",
    )
    assert isinstance(old, HttpEntry)
    assert old.kind == "sse"
    assert isinstance(python, StdioEntry)
    assert python.env == {"DEBUG": "1", "API_KEY": "key-value"}


def test_everything_of_ours_can_be_said_in_yaml(tmp_path: Path) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "pets.yaml").write_text("openapi: 3.1.0")

    file = load(tmp_path, EVERYTHING, "gateway.yaml")

    (entry,) = file.mcp
    assert (entry.pack, entry.trust, entry.limits.timeout, entry.limits.max_concurrency) == (
        "my.files",
        "full",
        120.0,
        3,
    )
    assert (entry.limits.max_response_bytes, entry.limits.memory) == (2_097_152, 536_870_912)
    assert [entry.lets_through(name) for name in ("read_file", "read_secret", "write")] == [True, False, False]
    assert [(rule.match, rule.layer) for rule in file.rules] == [
        ("files.*", Layer.PRIMITIVE),
        ("my.files.read_file", Layer.PRIMITIVE),
        ("my.files.delete_*", Layer.INTERNAL),
    ]
    (pets,) = file.openapi
    assert isinstance(pets, OpenApiEntry)
    assert (pets.name, pets.document, pets.headers) == ("pets", str(tmp_path / "pets.yaml"), {"X-Api-Key": "key-value"})
    assert (file.playbooks, file.prefix, file.listing) == (tmp_path / "books", "acme", "search")
    assert (file.rate_limits.tool, file.rate_limits.caller) == (Rate(10, MINUTE), None)
    assert file.allowed_hosts == {"db.internal", "10.0.0.7"}


def test_an_empty_file_is_a_gateway_without_upstreams(tmp_path: Path) -> None:
    assert load(tmp_path, "", "gateway.yaml").mcp == ()


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ({"mcpservers": {}}, "mcpservers", "did you mean mcpServers"),
        ({"mcpServers": []}, "mcpServers", "must be an object"),
        ({"mcpServers": {"a": {}}}, "mcpServers.a", "either command"),
        ({"mcpServers": {"a": {"command": "x", "url": "https://a.b"}}}, "mcpServers.a", "either command"),
        ({"mcpServers": {"a": {"command": "x", "arg": []}}}, "mcpServers.a.arg", "did you mean args"),
        ({"mcpServers": {"a": {"command": "x", "args": "-y"}}}, "mcpServers.a.args", "must be a list"),
        ({"mcpServers": {"a": {"command": "x", "args": ["a", {}]}}}, "mcpServers.a.args[1]", "must be a text"),
        ({"mcpServers": {"a": {"command": ""}}}, "mcpServers.a.command", "not empty"),
        ({"mcpServers": {"a": {"command": "x\0"}}}, "mcpServers.a.command", "NUL"),
        ({"mcpServers": {"a": {"command": "x", "env": {"A-B": "1"}}}}, "mcpServers.a.env.A-B", "environment variable"),
        ({"mcpServers": {"a": {"command": "x", "env": {"A": []}}}}, "mcpServers.a.env.A", "must be a text"),
        ({"mcpServers": {"a": {"command": "x", "headers": {}}}}, "mcpServers.a.headers", "does not belong"),
        ({"mcpServers": {"a": {"url": "https://a.b", "args": []}}}, "mcpServers.a.args", "does not belong"),
        ({"mcpServers": {"a": {"command": "x", "type": "http"}}}, "mcpServers.a.type", "does not fit"),
        ({"mcpServers": {"a": {"command": "x", "type": "carrier pigeon"}}}, "mcpServers.a.type", "one of stdio"),
        ({"mcpServers": {"a": {"url": "ftp://a.b"}}}, "mcpServers.a.url", "must be an address"),
        ({"mcpServers": {"a": {"url": "https://u:p@a.b"}}}, "mcpServers.a.url", "password"),
        ({"mcpServers": {"a": {"url": "https://0x7f.1/"}}}, "mcpServers.a.url", "not an address in its usual form"),
        ({"mcpServers": {"a": {"url": "https://a.b", "headers": {"a b": "c"}}}}, "mcpServers.a.headers.a b", "header"),
        ({"mcpServers": {"a": {"url": "https://a.b", "headers": {"X": "a\nb"}}}}, "mcpServers.a.headers.X", "one line"),
        ({"mcpServers": {"a": {"command": "x", "timeout": 0}}}, "mcpServers.a.timeout", "seconds from"),
        ({"mcpServers": {"a": {"command": "x", "timeout": True}}}, "mcpServers.a.timeout", "seconds from"),
        ({"mcpServers": {"a": {"command": "x", "trust": "yes"}}}, "mcpServers.a.trust", "first-use"),
        ({"mcpServers": {"a": {"command": "x", "memory": "1K"}}}, "mcpServers.a.memory", "bytes from"),
        ({"mcpServers": {"a": {"command": "x", "max_concurrency": 0}}}, "mcpServers.a.max_concurrency", "1 to 1024"),
        (
            {"mcpServers": {"a": {"command": "x", "layer_overrides": {"b": "no"}}}},
            "mcpServers.a.layer_overrides.b",
            "one",
        ),
        ({"mcpServers": {"a": {"command": "x", "disabled": 1}}}, "mcpServers.a.disabled", "true or false"),
        ({"mcpServers": {"a": {"command": "$" + "{NOT_SET}"}}}, "mcpServers.a.command", "NOT_SET"),
        ({"mcpServers": {"a": {"command": "$" + "{EMPTY}"}}}, "mcpServers.a.command", "EMPTY"),
        ({"mcpServers": {"a": {"command": "$" + "{input:key}"}}}, "mcpServers.a.command", "reference"),
        ({"openapi": [{}]}, "openapi[0]", "openapi"),
        ({"openapi": {"pets": {"openapi": "missing.yaml"}}}, "openapi.pets.openapi", "is no file"),
        ({"openapi": {"pets": {"openapi": "https://a.b/c", "base_url": "x"}}}, "openapi.pets.base_url", "address"),
        ({"playbooks": "missing"}, "playbooks", "is no folder"),
        ({"rules": [{"match": "a.*", "layer": "tool"}, {"layer": "tool"}]}, "rules[1].match", "must be a tool"),
        ({"rules": {}}, "rules", "list of rules"),
        ({"rate_limits": {"tool": "often"}}, "rate_limits.tool", "60/min"),
        ({"rate_limits": {"agent": "1/min"}}, "rate_limits.agent", "not a key"),
        ({"prefix": "a_b"}, "prefix", "letters"),
        ({"listing": "none"}, "listing", "full, search"),
        ({"allowed_hosts": ["https://a.b"]}, "allowed_hosts[0]", "without scheme"),
        ({"allowed_hosts": "a.b"}, "allowed_hosts", "must be a list"),
    ],
)
def test_every_mistake_names_its_place_and_what_is_allowed(
    tmp_path: Path, text: dict[str, Any], place: str, says: str
) -> None:
    error = mistake(tmp_path, text)

    assert error.details["place"] == place
    assert isinstance(error.details["line"], int)
    assert says in error.message


def test_a_mistake_in_yaml_has_its_line(tmp_path: Path) -> None:
    error = mistake(tmp_path, "mcpServers:\n  a:\n    command: x\n    timeout: never\n", "gateway.yml")

    assert error.details["line"] == 4
    assert "mcpServers.a.timeout (line 4)" in error.message


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ('{\n "mcpServers": {,}\n}', "gateway.json", 2),
        ("mcpServers:\n  a: [1,\n", "gateway.yaml", 3),
        ("a: &x [1]\nb: !!python/object:os.system {}\n", "gateway.yaml", 2),
        ("prefix: a\nlisting: full\nprefix: b\n", "gateway.yaml", 3),
    ],
)
def test_what_cannot_be_read_has_its_line(tmp_path: Path, text: str, name: str, line: int) -> None:
    assert mistake(tmp_path, text, name).details["line"] == line


def test_a_key_that_is_given_twice_is_a_mistake_in_json_too(tmp_path: Path) -> None:
    assert "given twice" in mistake(tmp_path, '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}').message


def test_a_file_that_is_not_there_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_gateway_file(tmp_path / "missing.yaml")


@pytest.mark.parametrize("what", ["name", "pack"])
def test_two_upstreams_do_not_share_a_name_or_a_pack(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.yaml").write_text("openapi: 3.1.0")
    openapi = {"a" if what == "name" else "b": {"openapi": "a.yaml", "pack": "c" if what == "name" else "a"}}

    error = mistake(tmp_path, {"mcpServers": {"a": {"command": "x"}}, "openapi": openapi})

    assert f"two upstreams have the {what} a" in error.message
    assert error.details["place"] == f"openapi.{'a' if what == 'name' else 'b'}"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8700/mcp",
        "http://localhost:8700/mcp",
        "http://LOCALHOST.:8700/",
        "http://[::1]:8700/mcp",
        "http://127.8.9.1:8700/mcp",
        "http://0.0.0.0:8700/mcp",
        "http://[::ffff:127.0.0.1]:8700/mcp",
    ],
)
def test_this_server_cannot_be_an_upstream_of_itself(tmp_path: Path, url: str) -> None:
    error = mistake(tmp_path, {"mcpServers": {"me": {"url": url}}}, own=[("127.0.0.1", 8700)])

    assert "own address" in error.message
    assert load(tmp_path, {"mcpServers": {"me": {"url": url}}}, own=[("127.0.0.1", 8701)]).mcp


def test_an_upstream_may_not_have_the_name_of_another_source(tmp_path: Path) -> None:
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": {"playbooks": {"command": "x"}}}))

    with pytest.raises(ConfigError) as refused:
        refuse_taken_names(load_gateway_file(path), {"playbooks": "the playbooks"})

    assert refused.value.details["place"] == "mcpServers.playbooks"
