"""Configuration: which source wins, and what a wrong value is answered with."""

import json
from pathlib import Path

import pytest

from longtable.kernel.clock import DAY, HOUR, MINUTE, SECOND
from longtable.kernel.errors import ConfigError
from longtable.settings.load import load, load_unbound
from longtable.settings.options import BY_NAME, OPTIONS, Settings


def _file(tmp_path: Path, content: object) -> str:
    path = tmp_path / "longtable.json"
    path.write_text(json.dumps(content))
    return str(path)


def test_without_any_source_the_defaults_hold() -> None:
    loaded = load({}, {})

    assert loaded.settings == Settings()
    assert set(loaded.sources.values()) == {"default"}


def test_the_defaults_are_those_of_the_specification() -> None:
    settings = Settings()

    assert (settings.http_host, settings.http_port, settings.http_path) == ("127.0.0.1", 8765, "/mcp")
    assert (settings.store, settings.durability, settings.auth_mode) == ("sqlite", "full", "off")
    assert (settings.session_ttl, settings.session_idle, settings.shutdown_timeout) == (24 * HOUR, 30 * DAY, 5 * SECOND)
    assert settings.tool_groups == ("workspace", "messages", "notebooks", "gateway")
    assert settings.data_dir.name == "longtable"


@pytest.mark.parametrize(
    ("flag", "variable", "in_file", "port", "source"),
    [
        ("1", "2", 3, 1, "flag"),
        (None, "2", 3, 2, "environment"),
        (None, None, 3, 3, "file"),
        (None, None, None, 8765, "default"),
    ],
)
def test_flags_win_over_environment_over_file_over_defaults(
    tmp_path: Path, flag: str | None, variable: str | None, in_file: int | None, port: int, source: str
) -> None:
    environment = {"LONGTABLE_CONFIG_FILE": _file(tmp_path, {"http_port": in_file})}
    if variable is not None:
        environment["LONGTABLE_HTTP_PORT"] = variable

    loaded = load({"http_port": flag}, environment)

    assert loaded.settings.http_port == port
    assert loaded.sources["http_port"] == source


def test_the_flag_for_the_file_wins_over_the_variable(tmp_path: Path) -> None:
    path = _file(tmp_path, {"max_notes": 7})

    loaded = load({"config_file": path}, {"LONGTABLE_CONFIG_FILE": str(tmp_path / "other.json")})

    assert loaded.settings.max_notes == 7
    assert not (tmp_path / "other.json").exists()


def test_a_wrong_value_is_refused_even_where_a_higher_source_would_win() -> None:
    with pytest.raises(ConfigError, match="LONGTABLE_HTTP_PORT"):
        load({"http_port": "1"}, {"LONGTABLE_HTTP_PORT": "many"})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("http_port", "0", 0),
        ("http_port", " 65535 ", 65_535),
        ("enable_sse", "Off", False),
        ("enable_metrics", "YES", True),
        ("enable_metrics", "1", True),
        ("session_ttl", "2", 2 * HOUR),
        ("session_ttl", "90m", 90 * MINUTE),
        ("archive_retention", "0", 0),
        ("shutdown_timeout", "7", 7 * SECOND),
        ("shutdown_timeout", "1d", DAY),
        ("durability", "FAST", "fast"),
        ("log_level", "Warning", "warning"),
        ("tool_groups", "messages, workspace", ("workspace", "messages")),
        ("allowed_hosts", "Table.example.org:443,b", ("table.example.org:443", "b")),
        ("allowed_hosts", "", ()),
        ("default_namespaces", "Research, research", ("Research", "research")),
        ("allowed_origins", "https://a.example", ("https://a.example",)),
        ("http_host", "[::1]", "::1"),
        ("http_host", "localhost", "localhost"),
        ("http_path", "/http", "/http"),
        ("http_path", "/a/b.c", "/a/b.c"),
        ("data_dir", "/srv/longtable", Path("/srv/longtable")),
        ("data_dir", "here", Path.cwd() / "here"),
        ("http_socket_path", "~/t.sock", Path.home() / "t.sock"),
        ("store", "postgresql://u:p@h/db", "postgresql://u:p@h/db"),
    ],
)
def test_text_becomes_a_value_of_its_kind(name: str, text: str, value: object) -> None:
    loaded = load({}, {BY_NAME[name].environment: text})

    assert getattr(loaded.settings, name) == value


@pytest.mark.parametrize(
    ("key", "given", "value"),
    [
        ("http_port", 99, 99),
        ("http_port", "99", 99),
        ("enable_sse", False, False),
        ("enable_sse", "off", False),
        ("enable_sse", 0, False),
        ("session_ttl", 3, 3 * HOUR),
        ("session_ttl", "3d", 3 * DAY),
        ("tool_groups", ["notebooks"], ("notebooks",)),
        ("tool_groups", "notebooks,gateway", ("notebooks", "gateway")),
        ("allowed_hosts", [], ()),
        ("project", None, None),
        ("http_port", None, 8765),
    ],
)
def test_the_file_takes_json_values_and_text_alike(tmp_path: Path, key: str, given: object, value: object) -> None:
    loaded = load({"config_file": _file(tmp_path, {key: given})}, {})

    assert getattr(loaded.settings, key) == value


_BAD_TEXTS = [
    ("http_port", "", "an integer from 0 to 65535"),
    ("http_port", "http", "an integer from 0 to 65535"),
    ("http_port", "65536", "an integer from 0 to 65535"),
    ("http_port", "-1", "an integer from 0 to 65535"),
    ("http_port", "1_000", "an integer from 0 to 65535"),
    ("http_port", "8.0", "an integer from 0 to 65535"),
    ("http_port", "9" * 5000, "an integer from 0 to 65535"),
    ("store_readers", "0", "an integer from 1 to 64"),
    ("max_notes", "0", "an integer from 1"),
    ("enable_http", "", "true or false"),
    ("enable_http", "maybe", "true or false"),
    ("session_ttl", "", "without a suffix hours"),
    ("session_ttl", "soon", "without a suffix hours"),
    ("session_ttl", "0", "from 1s"),
    ("session_ttl", "-1h", "without a suffix hours"),
    ("session_ttl", "99999999d", "to 36500d"),
    ("shutdown_timeout", "5 s", "without a suffix seconds"),
    ("durability", "", "full or fast"),
    ("auth", "maybe", "off, tokens or jwt"),
    ("tool_groups", "", "workspace, messages, notebooks, gateway"),
    ("tool_groups", "workspace,chat", "workspace, messages, notebooks, gateway"),
    ("allowed_hosts", "http://a/", "host names"),
    ("allowed_origins", "a.example", "origins"),
    ("allowed_origins", "https://a.example/", "origins"),
    ("http_host", "", "an IP address"),
    ("http_host", "*", "an IP address"),
    ("http_host", "127.0.0.1:80", "an IP address"),
    ("http_path", "", "begins with /"),
    ("http_path", "mcp", "begins with /"),
    ("http_path", "/mcp/", "begins with /"),
    ("http_path", "/a//b", "begins with /"),
    ("http_path", "/a/../b", "begins with /"),
    ("http_path", "/mcp?x", "begins with /"),
    ("data_dir", " ", "a path"),
    ("data_dir", "a\0b", "a path"),
    ("data_dir", "~nobody-of-this-name/x", "a path"),
    ("server_name", "", "a text that is not empty"),
    ("server_name", "a\nb", "a text that is not empty"),
    ("jwt_jwks", "http://a.example/keys", "https://"),
]


@pytest.mark.parametrize(("name", "text", "allowed"), _BAD_TEXTS)
def test_a_wrong_text_names_option_source_value_and_what_is_allowed(name: str, text: str, allowed: str) -> None:
    option = BY_NAME[name]

    with pytest.raises(ConfigError) as caught:
        load({}, {option.environment: text})

    message = caught.value.message
    assert message.startswith(f"{name}: ")
    assert f"environment variable {option.environment}" in message
    assert json.dumps(text) in message
    assert allowed in message
    assert caught.value.details["option"] == name
    assert caught.value.details["source"] == "environment"


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("http_port", True),
        ("http_port", 1.5),
        ("http_port", [1]),
        ("http_port", {"a": 1}),
        ("enable_sse", 2),
        ("enable_sse", []),
        ("session_ttl", True),
        ("session_ttl", 1.5),
        ("server_name", 5),
        ("tool_groups", [1]),
        ("tool_groups", []),
        ("tool_groups", {"workspace": True}),
        ("durability", False),
        ("data_dir", 5),
    ],
)
def test_a_value_of_another_json_type_is_refused(tmp_path: Path, key: str, given: object) -> None:
    path = _file(tmp_path, {key: given})

    with pytest.raises(ConfigError) as caught:
        load({"config_file": path}, {})

    assert caught.value.message.startswith(f"{key}: ")
    assert f"key {key} of the file {path}" in caught.value.message


def test_a_wrong_flag_is_named_as_the_user_typed_it() -> None:
    with pytest.raises(ConfigError, match='http_port: the value "x" of the flag --http-port is not allowed'):
        load({"http_port": "x"}, {})


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("token", ""),
        ("scrape_token", "  "),
        ("scrape_token", "s3cr3t\nx"),
        ("auth_tokens", "s3cr3t"),
        ("auth_tokens", ":s3cr3t"),
        ("auth_tokens", "s3cr3t:"),
        ("auth_tokens", "alice:s3cr3t,"),
        ("auth_tokens", ""),
        ("store", "mysql://u:s3cr3t@h/db"),
        ("store", ""),
    ],
)
def test_a_wrong_secret_is_refused_and_never_repeated(name: str, secret: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load({}, {BY_NAME[name].environment: secret})

    assert name in caught.value.message
    assert "s3cr3t" not in f"{caught.value.message} {caught.value.details} {caught.value!r} {caught.value.__cause__!r}"


def test_variables_that_are_none_of_ours_are_listed_and_not_refused() -> None:
    loaded = load({}, {"LONGTABLE_HTPP_PORT": "1", "LONGTABLE_AGENT": "ann", "PATH": "/bin", "LONGTABLE": ""})

    assert loaded.unknown_environment == ("LONGTABLE_HTPP_PORT",)
    assert loaded.settings.agent == "ann"


def test_a_stdio_process_may_share_the_configuration_of_a_server_without_opening_its_port() -> None:
    loaded = load_unbound({}, {"LONGTABLE_HTTP_HOST": "0.0.0.0"})

    assert loaded.settings.http_host == "0.0.0.0"


def test_every_option_has_its_own_name_flag_and_variable() -> None:
    for column in ("name", "flag", "environment"):
        values = [getattr(option, column) for option in OPTIONS if getattr(option, column) is not None]
        assert len(values) == len(set(values))
    assert {option.name for option in OPTIONS} == set(Settings.__dataclass_fields__)


def test_every_default_is_a_value_that_its_own_option_allows() -> None:
    settings = Settings()

    for option in OPTIONS:
        value = getattr(settings, option.name)
        if value not in (None, ()):
            assert option.kind.parse(option.dump(value)) == value


def test_settings_cannot_be_changed_and_print_no_secret() -> None:
    settings = load(
        {"auth_tokens": ["alice:s3cr3t"], "scrape_token": "s3cr3t", "store": "postgresql://u:s3cr3t@h/d"},
        {"LONGTABLE_TOKEN": "s3cr3t"},
    ).settings

    with pytest.raises(AttributeError):
        settings.http_port = 1  # type: ignore[misc]  # that is the point
    assert "s3cr3t" not in repr(settings)
    assert "s3cr3t" not in repr(settings.auth_tokens)
