"""Secrets of the gateway file: from the environment, or from a file that is its owner's alone; never shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.errors import ConfigError
from longtable.upstreams.config import load_gateway_file
from longtable.upstreams.references import SecretMask, looks_secret

SECRET = "s3cr3t-value-42"


def write(folder: Path, value: dict[str, Any], mode: int) -> Path:
    path = folder / "gateway.json"
    path.write_text(json.dumps(value))
    path.chmod(mode)
    return path


def with_env(**env: str) -> dict[str, Any]:
    return {"mcpServers": {"a": {"command": "x", "env": env}}}


def with_header(name: str, value: str) -> dict[str, Any]:
    return {"mcpServers": {"a": {"url": "https://a.example.com", "headers": {name: value}}}}


@pytest.mark.parametrize(
    "value",
    [
        with_env(API_TOKEN=SECRET),
        with_env(githubToken=SECRET),
        with_env(DB_PASSWORD=SECRET),
        with_env(API_KEY="$" + "{KEY:-" + SECRET + "}"),
        with_header("Authorization", f"Bearer {SECRET}"),
        with_header("X-Api-Key", SECRET),
        with_header("Cookie", SECRET),
    ],
)
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_secret_in_a_file_that_others_can_read_is_refused_with_the_remedy(
    tmp_path: Path, value: dict[str, Any], mode: int
) -> None:
    with pytest.raises(ConfigError) as refused:
        load_gateway_file(write(tmp_path, value, mode), environ={})

    assert "chmod 600" in refused.value.message
    assert "$" + "{" in refused.value.message
    assert SECRET not in refused.value.message


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_secret_in_a_file_of_its_owner_alone_is_accepted(tmp_path: Path, mode: int) -> None:
    path = write(tmp_path, with_env(API_TOKEN=SECRET), mode)

    (entry,) = load_gateway_file(path, environ={}).mcp

    assert getattr(entry, "env", None) == {"API_TOKEN": SECRET}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$" + "{TOKEN}", SECRET),
        ("Bearer $" + "{TOKEN}", f"Bearer {SECRET}"),
        ("$" + "{OTHER:-}$" + "{TOKEN}", SECRET),
        ("$$" + "{TOKEN}$" + "{TOKEN}", "$" + "{TOKEN}" + SECRET),
    ],
)
def test_references_take_their_values_from_the_environment(tmp_path: Path, text: str, value: str) -> None:
    path = write(tmp_path, with_env(API_TOKEN=text), 0o644)

    (entry,) = load_gateway_file(path, environ={"TOKEN": SECRET, "OTHER": ""}).mcp

    assert getattr(entry, "env", None) == {"API_TOKEN": value}


def test_a_default_stands_in_for_what_is_not_set(tmp_path: Path) -> None:
    path = write(tmp_path, {"mcpServers": {"a": {"command": "x", "args": ["$" + "{LEVEL:-info}"]}}}, 0o644)

    (entry,) = load_gateway_file(path, environ={}).mcp

    assert getattr(entry, "args", None) == ("info",)


def test_what_is_loaded_does_not_show_a_secret(tmp_path: Path) -> None:
    value = with_env(API_TOKEN="$" + "{TOKEN}") | {
        "openapi": {
            "p": {"openapi": "https://p.example.com/o.json?key=$" + "{TOKEN}", "headers": {"X-Key": "$" + "{TOKEN}"}}
        }
    }
    value["mcpServers"]["b"] = {
        "url": "https://b.example.com/$" + "{TOKEN}",
        "headers": {"Authorization": "$" + "{TOKEN}"},
    }

    file = load_gateway_file(write(tmp_path, value, 0o644), environ={"TOKEN": SECRET})

    assert SECRET not in repr(file)
    assert SECRET not in str(file)


def test_secrets_are_taken_out_of_a_text() -> None:
    mask = SecretMask([f"Bearer {SECRET}", "", "ab"])

    assert mask(f"cannot go on with {SECRET}, ab") == "cannot go on with [hidden], ab"
    assert SECRET not in repr(mask)


@pytest.mark.parametrize(
    "key", ["TOKEN", "API_KEY", "apiKey", "X-Auth-Token", "Authorization", "dbPassword", "AWS_SECRET"]
)
def test_keys_that_look_like_secrets_are_known(key: str) -> None:
    assert looks_secret(key)


@pytest.mark.parametrize("key", ["KEYBOARD", "DEBUG", "AUTHOR", "MONKEY", "PATH", "Accept", "TOKENIZER_PATH"])
def test_keys_that_only_sound_alike_are_not(key: str) -> None:
    assert not looks_secret(key)
