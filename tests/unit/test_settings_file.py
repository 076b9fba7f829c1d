"""The configuration file: created when missing, read strictly."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from longtable.kernel.errors import ConfigError
from longtable.settings.load import load
from longtable.settings.options import OPTIONS
from longtable.settings.show import notices


def test_a_missing_file_is_created_with_its_folders_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "longtable.json"

    loaded = load({"config_file": str(path), "http_port": "99"}, {})

    assert loaded.created_file == path
    assert loaded.settings.http_port == 99
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert set(json.loads(path.read_text())) == {option.key for option in OPTIONS if option.key}


def test_a_created_file_gives_the_same_configuration_when_it_is_read_again(tmp_path: Path) -> None:
    path = str(tmp_path / "longtable.json")
    given = {
        "config_file": path,
        "data_dir": str(tmp_path / "dätä"),
        "store": "postgresql://user@host/db",
        "session_ttl": "90m",
        "tool_groups": "messages",
        "allowed_hosts": "a,b",
        "enable_sse": "false",
        "session_mode": "strict",
        "project": "red",
    }

    created = load(given, {})
    read = load({"config_file": path}, {})

    assert read.settings == created.settings
    assert read.created_file is None
    assert read.sources["session_ttl"] == "file"
    assert read.sources["auth"] == "default"


def test_secrets_of_flags_and_environment_are_not_written_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"
    flags: dict[str, str | list[str] | None] = {
        "config_file": str(path),
        "auth_tokens": ["alice:s3cr3t"],
        "store": "postgresql://user:s3cr3t@host/db",
    }

    loaded = load(flags, {"LONGTABLE_SCRAPE_TOKEN": "s3cr3t", "LONGTABLE_TOKEN": "s3cr3t"})

    assert "s3cr3t" not in path.read_text()
    assert loaded.settings.scrape_token == "s3cr3t"
    assert loaded.left_out == ("store", "auth_tokens", "scrape_token")
    assert "store, auth_tokens, scrape_token" in notices(loaded)[0]


def test_without_secrets_only_the_new_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"

    loaded = load({"config_file": str(path)}, {})

    assert notices(loaded) == [f"Wrote the effective configuration to {path}."]


def test_an_existing_file_is_never_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"
    path.write_text('{"max_notes": 5}')

    load({"config_file": str(path), "http_port": "99"}, {})

    assert path.read_text() == '{"max_notes": 5}'


def test_nothing_is_created_when_the_configuration_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"

    with pytest.raises(ConfigError):
        load({"config_file": str(path), "http_host": "0.0.0.0"}, {})

    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"http_prot": 1}', "http_prot: unknown key in the file"),
        ('{"http_prot": 1}', "Did you mean http_port?"),
        ('{"zzzzzz": 1}', "`longtable config` lists the options."),
        ('{"token": "x"}', "Use LONGTABLE_TOKEN."),
        ('{"config_file": "x"}', "Use --config-file or LONGTABLE_CONFIG_FILE."),
        ('{"http_port": 1,\n "http_port": 1}', "http_port: stands twice"),
        ('{"http_port": 1,\n oops}', "is not valid JSON at line 2, column 2"),
        ("", "is not valid JSON at line 1, column 1"),
        ("[]", "must hold one JSON object"),
        ("5", "must hold one JSON object"),
        ("[" * 100_000, "is not JSON in UTF-8"),
    ],
)
def test_a_wrong_file_names_what_is_wrong_and_where(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "longtable.json"
    path.write_text(text)

    with pytest.raises(ConfigError) as caught:
        load({"config_file": str(path)}, {})

    assert expected in caught.value.message
    assert str(path) in caught.value.message


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"
    path.write_bytes(b'{"project": "\xff"}')

    with pytest.raises(ConfigError, match="is not JSON in UTF-8"):
        load({"config_file": str(path)}, {})


def test_a_byte_order_mark_is_forgiven(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"
    path.write_bytes(b'\xef\xbb\xbf{"max_notes": 5}')

    assert load({"config_file": str(path)}, {}).settings.max_notes == 5


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config_file: the file .* cannot be read"):
        load({"config_file": str(tmp_path)}, {})


@pytest.mark.parametrize("name", ["plain/longtable.json", "n" * 300])
def test_a_file_that_cannot_be_created_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "plain").write_text("")

    with pytest.raises(ConfigError, match=r"config_file: the file .* cannot be created"):
        load({"config_file": str(tmp_path / name)}, {})


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, True), (0o604, True)])
def test_secrets_in_a_file_that_others_may_read_are_warned_of(tmp_path: Path, mode: int, warned: bool) -> None:
    path = tmp_path / "longtable.json"
    path.write_text('{"auth_tokens": ["alice:x"]}')
    path.chmod(mode)

    loaded = load({"config_file": str(path)}, {})

    assert any("chmod 600" in notice for notice in notices(loaded)) is warned


def test_a_changed_copy_of_settings_still_follows_its_rules(tmp_path: Path) -> None:
    settings = load({}, {}).settings

    assert settings.effective_session_mode == "auto"
    assert replace(settings, auth_token_file=tmp_path / "tokens.json").effective_session_mode == "strict"
