"""The options of the gateway, under the names that Mindscape configurations use."""

import json
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.errors import ConfigError
from longtable.settings.load import load
from longtable.settings.options import Settings


def test_without_a_backend_there_are_the_defaults() -> None:
    settings = Settings()

    assert settings.mindscape_base_url is None
    assert (settings.mindscape_profile_id, settings.mindscape_timeout) == ("default-user", 30_000)
    assert (settings.mindscape_gateway_mode, settings.mindscape_auto_provision) == ("single_workspace", True)
    assert settings.mindscape_default_workspace_title == "MCP Gateway Workspace"
    assert (settings.mindscape_max_tools, settings.mindscape_recommended_packs) == (30, ())
    assert (settings.gateway_prefix, settings.gateway_listing, settings.gateway_name_length) == (
        "mindscape",
        "auto",
        64,
    )


def test_variables_have_the_names_of_the_original() -> None:
    given = {
        "MINDSCAPE_BASE_URL": "http://localhost:8000/",
        "MINDSCAPE_API_KEY": "k",
        "MINDSCAPE_GATEWAY_MODE": "multi_workspace",
        "MINDSCAPE_AUTO_PROVISION": "false",
        "MINDSCAPE_RECOMMENDED_PACKS": '["Shop", "seo"]',
    }

    settings = load({}, given).settings

    assert settings.mindscape_base_url == "http://localhost:8000"
    assert (settings.mindscape_gateway_mode, settings.mindscape_auto_provision) == ("multi_workspace", False)
    assert settings.mindscape_recommended_packs == ("Shop", "seo")


def test_packs_may_be_separated_by_commas() -> None:
    assert load({}, {"MINDSCAPE_RECOMMENDED_PACKS": "Shop, seo"}).settings.mindscape_recommended_packs == (
        "Shop",
        "seo",
    )


def test_an_empty_variable_of_another_program_is_not_set() -> None:
    given = {"MINDSCAPE_BASE_URL": "", "MINDSCAPE_WORKSPACE_ID": "", "MINDSCAPE_TIMEOUT": ""}

    assert load({}, given).settings == Settings()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MINDSCAPE_BASE_URL", "localhost:8000"),
        ("MINDSCAPE_BASE_URL", "http://user:password@host"),
        ("MINDSCAPE_BASE_URL", "file:///etc/passwd"),
        ("MINDSCAPE_GATEWAY_MODE", "many"),
        ("MINDSCAPE_TIMEOUT", "0"),
        ("MINDSCAPE_MAX_TOOLS", "101"),
        ("MINDSCAPE_RECOMMENDED_PACKS", "[1]"),
        ("LONGTABLE_GATEWAY_PREFIX", "My_Prefix"),
        ("LONGTABLE_GATEWAY_NAME_LENGTH", "39"),
        ("LONGTABLE_GATEWAY_LISTING", "some"),
    ],
)
def test_a_wrong_value_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(ConfigError) as problem:
        load({}, {variable: value})

    assert variable in problem.value.message


def test_the_key_is_not_written_into_a_file(tmp_path: Path) -> None:
    path = tmp_path / "longtable.json"

    loaded = load(
        {"config_file": str(path)}, {"MINDSCAPE_API_KEY": "k-secret", "MINDSCAPE_BASE_URL": "https://b.example"}
    )

    written: dict[str, Any] = json.loads(path.read_text())
    assert written["mindscape_api_key"] is None
    assert written["mindscape_base_url"] == "https://b.example"
    assert "mindscape_api_key" in loaded.left_out
    assert "k-secret" not in repr(loaded.settings)
