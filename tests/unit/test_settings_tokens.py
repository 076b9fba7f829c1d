"""Tokens named at start: which entry counts, and what becomes of the token file."""

import json
import stat
from pathlib import Path

import pytest

from longtable.kernel.errors import ConfigError
from longtable.settings.load import load
from longtable.settings.tokens import merge_tokens, parse_entry


def _registry(tmp_path: Path, flags: list[str], variable: str, in_config: list[str], in_file: object) -> dict[str, str]:
    config = tmp_path / "longtable.json"
    config.write_text(json.dumps({"auth_tokens": in_config or None}))
    token_file = tmp_path / "tokens.json"
    if in_file is not None:
        token_file.write_text(json.dumps(in_file))
    environment = {"LONGTABLE_AUTH_TOKENS": variable} if variable else {}

    settings = load({"config_file": str(config), "auth_tokens": flags or None}, environment).settings

    return merge_tokens(settings.auth_tokens, token_file if in_file is not None else None)


@pytest.mark.parametrize(
    ("flags", "variable", "in_config", "in_file", "expected"),
    [
        (["alice:a"], "", [], None, {"a": "alice"}),
        (["alice:a", "alice:b"], "", [], None, {"b": "alice"}),
        (["alice:a", "bob:a"], "", [], None, {"a": "bob"}),
        (["alice:a:b"], "", [], None, {"a:b": "alice"}),
        ([" alice : a "], "", [], None, {"a": "alice"}),
        ([], "alice:a,bob:b", [], None, {"a": "alice", "b": "bob"}),
        (["alice:1"], "alice:2,bob:2", ["carl:3", "bob:4"], None, {"1": "alice", "2": "bob", "3": "carl"}),
        (["alice:1"], "", [], {"2": "bob"}, {"1": "alice", "2": "bob"}),
        (["alice:1"], "", [], {"2": "alice", "3": "alice"}, {"1": "alice"}),
        (["alice:1"], "", [], {"1": "bob"}, {"1": "alice"}),
        ([], "alice:1", [], {"1": "bob", "2": "alice", "3": "carl"}, {"1": "alice", "3": "carl"}),
        ([], "", [], {"1": "alice", "2": "alice"}, {"1": "alice", "2": "alice"}),
        ([], "", [], {}, {}),
    ],
)
def test_flags_overlay_environment_overlays_configuration_overlays_token_file(
    tmp_path: Path, flags: list[str], variable: str, in_config: list[str], in_file: object, expected: dict[str, str]
) -> None:
    assert _registry(tmp_path, flags, variable, in_config, in_file) == expected


def test_the_first_named_principal_comes_first(tmp_path: Path) -> None:
    registry = _registry(tmp_path, ["zoe:1", "bob:2", "zoe:3"], "carl:4", [], {"5": "alice"})

    assert list(registry.values()) == ["zoe", "bob", "carl", "alice"]


def test_the_sources_that_named_tokens_are_all_told() -> None:
    loaded = load({"auth_tokens": ["alice:1"]}, {"LONGTABLE_AUTH_TOKENS": "bob:2"})

    assert loaded.sources["auth_tokens"] == "flag, environment"


def test_a_missing_token_file_is_created_with_the_merged_registry(tmp_path: Path) -> None:
    path = tmp_path / "new" / "tokens.json"

    registry = merge_tokens([parse_entry("alice:a"), parse_entry("bob:b")], path)

    assert registry == {"a": "alice", "b": "bob"}
    assert json.loads(path.read_text()) == registry
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_existing_token_file_is_not_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    path.write_text('{"b": "bob"}')

    merge_tokens([parse_entry("alice:a")], path)

    assert path.read_text() == '{"b": "bob"}'


def test_no_token_file_is_created_when_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    merge_tokens([parse_entry("alice:a")], None)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"s3cr3t": ""}', "entry 1"),
        ('{"a": "alice", "s3cr3t": 5}', "entry 2"),
        ('{"": "s3cr3t"}', "entry 1"),
        ('{"s3cr3t": {"principal": "alice"}}', "entry 1"),
        ('{"s3cr3t": "alice", "s3cr3t": "bob"}', "entry 2"),
        ('["s3cr3t"]', "one JSON object"),
        ('{"s3cr3t" "alice"}', "line 1, column 11"),
    ],
)
def test_a_wrong_token_file_is_refused_without_its_secrets(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        merge_tokens([], path)

    assert "auth_token_file" in caught.value.message
    assert expected in caught.value.message
    assert "s3cr3t" not in f"{caught.value.message} {caught.value.details}"
