"""Rules between options: paths, authentication, and who may reach the port."""

import pytest

from longtable.kernel.errors import ConfigError
from longtable.settings.checks import FIXED_PATHS, check_bind, is_loopback
from longtable.settings.load import load
from longtable.settings.options import Settings

JWT = {
    "auth": "jwt",
    "jwt_issuer": "https://id.example",
    "jwt_audience": "table",
    "jwt_jwks": "https://id.example/keys",
}


@pytest.mark.parametrize(
    ("flags", "option"),
    [
        ({"http_path": "/sse"}, "sse_path"),
        ({"sse_path": "/metrics"}, "metrics_path"),
        ({"metrics_path": "/mcp"}, "metrics_path"),
        ({"sse_path": "/a", "metrics_path": "/a"}, "metrics_path"),
        ({"sse_path": "/http"}, "sse_path"),
        ({"metrics_path": "/http"}, "metrics_path"),
        ({"http_path": "/sessions/mcp"}, "http_path"),
        *(({"http_path": path}, "http_path") for path in FIXED_PATHS if path != "/http"),
        *(({"metrics_path": path}, "metrics_path") for path in FIXED_PATHS),
    ],
)
def test_two_things_cannot_answer_under_one_path(flags: dict[str, str], option: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(flags, {})

    assert caught.value.message.startswith(f"{option}: ")
    assert flags.get(option, getattr(Settings(), option)) in caught.value.message


@pytest.mark.parametrize("path", ["/http", "/docs-mcp", "/v1/sessions", "/MCP"])
def test_a_path_of_its_own_is_allowed(path: str) -> None:
    assert load({"http_path": path}, {}).settings.http_path == path


@pytest.mark.parametrize(
    ("flags", "variable", "mode"),
    [
        ({}, {}, "off"),
        ({"auth": "tokens"}, {}, "tokens"),
        ({"auth_tokens": ["alice:a"]}, {}, "tokens"),
        ({}, {"LONGTABLE_AUTH_TOKENS": "alice:a"}, "tokens"),
        ({}, {"LONGTABLE_AUTH_TOKEN_FILE": "/t.json"}, "tokens"),
        ({}, {"LONGTABLE_TOKEN": "a"}, "off"),
        ({"scrape_token": "a"}, {}, "off"),
        (JWT, {}, "jwt"),
        (JWT, {"LONGTABLE_AUTH_TOKENS": "alice:a"}, "jwt"),
    ],
)
def test_naming_a_source_of_tokens_switches_auth_on(
    flags: dict[str, str | list[str] | None], variable: dict[str, str], mode: str
) -> None:
    assert load(flags, variable).settings.auth_mode == mode


@pytest.mark.parametrize(
    ("flags", "mode"),
    [
        ({}, "auto"),
        ({"auth": "tokens"}, "strict"),
        ({"auth_token_file": "/t.json"}, "strict"),
        ({"session_mode": "strict"}, "strict"),
        ({"auth": "tokens", "session_mode": "auto"}, "auto"),
    ],
)
def test_sessions_are_strict_with_auth_and_automatic_without(flags: dict[str, str], mode: str) -> None:
    assert load(flags, {}).settings.effective_session_mode == mode


@pytest.mark.parametrize(
    "credential",
    [
        {"auth_tokens": "alice:a"},
        {"auth_token_file": "/t.json"},
        {"jwt_issuer": "x"},
        {"oidc_issuer": "https://x.example"},
    ],
)
def test_credentials_are_not_silently_ignored_when_auth_is_off(credential: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load({"auth": "off", **credential}, {})

    assert caught.value.message.startswith("auth: it is off")
    assert next(iter(credential)) in caught.value.message


def test_keys_for_jwt_without_jwt_switched_on_are_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        load({"jwt_jwks": "/keys.json"}, {})

    assert "Set auth to jwt" in caught.value.message


@pytest.mark.parametrize("missing", ["jwt_issuer", "jwt_audience"])
def test_jwt_needs_issuer_and_audience(missing: str) -> None:
    with pytest.raises(ConfigError, match=f"jwt needs {missing}"):
        load({name: value for name, value in JWT.items() if name != missing}, {})


def test_keys_are_found_from_an_issuer_that_is_an_address() -> None:
    known = {"auth": "jwt", "jwt_audience": "table"}

    assert load({**known, "jwt_issuer": "https://id.example"}, {}).settings.jwt_jwks is None
    for issuer in ("accounts", "http://id.example", "http://localhost.example", "http://127.0.0.1.example"):
        with pytest.raises(ConfigError, match="jwt needs jwt_jwks"):
            load({**known, "jwt_issuer": issuer}, {})


def test_the_audience_is_the_address_of_the_endpoint_unless_it_is_named() -> None:
    known = {"auth": "jwt", "jwt_issuer": "https://id.example", "public_url": "https://table.example/"}

    assert load(known, {}).settings.effective_jwt_audience == "https://table.example/mcp"
    assert load({**known, "jwt_audience": "table"}, {}).settings.effective_jwt_audience == "table"


OIDC = {
    "auth": "tokens",
    "oidc_issuer": "https://id.example",
    "oidc_client_id": "console",
    "oidc_groups": "admins=owner,staff=human@acme",
}


def test_groups_say_what_people_are() -> None:
    assert load(OIDC, {}).settings.oidc_groups == (
        ("admins", "owner", None),
        ("staff", "human", "acme"),
    )
    named = load({**OIDC, "oidc_groups": '["CN=Staff,OU=People=human", "*=human@acme"]'}, {}).settings
    assert named.oidc_groups == (("CN=Staff,OU=People", "human", None), ("*", "human", "acme"))


@pytest.mark.parametrize("groups", ["staff", "staff=", "=human", "staff=agent", "staff=human@", "[1]", "[", ","])
def test_groups_that_say_nothing_of_use_are_refused(groups: str) -> None:
    with pytest.raises(ConfigError, match="oidc_groups"):
        load({**OIDC, "oidc_groups": groups}, {})


@pytest.mark.parametrize("missing", ["oidc_client_id", "oidc_groups"])
def test_signing_in_needs_a_client_and_groups(missing: str) -> None:
    with pytest.raises(ConfigError, match=f"needs {missing}"):
        load({name: value for name, value in OIDC.items() if name != missing}, {})


def test_the_console_is_not_the_audience_of_access_tokens() -> None:
    with pytest.raises(ConfigError, match="oidc_client_id"):
        load({**OIDC, **JWT, "oidc_client_id": "table"}, {})


LOOPBACK = ["localhost", "LocalHost", "localhost.", "127.0.0.1", "127.8.9.1", "::1", "0:0:0:0:0:0:0:1"]
REACHABLE = ["0.0.0.0", "::", "10.0.0.1", "fe80::1", "example.org", "localhost.example.org", "127.1", "0"]


@pytest.mark.parametrize("host", [*LOOPBACK, "[::1]", "::ffff:127.0.0.1"])
def test_only_this_machine_can_reach_a_loopback_address(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", [*REACHABLE, "::ffff:10.0.0.1", ""])
def test_anything_else_counts_as_reachable(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("host", LOOPBACK)
def test_without_auth_a_loopback_address_is_allowed(host: str) -> None:
    assert load({"http_host": host}, {}).settings.auth_mode == "off"


@pytest.mark.parametrize("host", REACHABLE)
def test_without_auth_any_other_address_is_refused_with_the_remedy(host: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load({"http_host": host}, {})

    assert host in caught.value.message
    assert "Set auth to tokens or jwt" in caught.value.message


def test_a_unix_socket_beside_it_does_not_make_an_open_address_safe() -> None:
    with pytest.raises(ConfigError, match="http_host"):
        load({"http_host": "0.0.0.0", "http_socket_path": "/run/t.sock"}, {})


@pytest.mark.parametrize("more", [{"auth": "tokens"}, JWT])
def test_auth_allows_every_address(more: dict[str, str]) -> None:
    assert load({"http_host": "0.0.0.0", **more}, {}).settings.http_host == "0.0.0.0"


def test_a_listener_can_ask_again_before_it_opens() -> None:
    check_bind(Settings())

    with pytest.raises(ConfigError, match="http_host"):
        check_bind(Settings(http_host="0.0.0.0"))
