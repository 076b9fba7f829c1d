"""Rules between options: what each allows alone may still be wrong together."""

import ipaddress
from pathlib import Path

from longtable.kernel.errors import ConfigError
from longtable.settings.options import AuthMode, Settings
from longtable.settings.sign_in_kinds import is_private

FIXED_PATHS = (
    "/http",
    "/messages",
    "/sessions",
    "/health",
    "/ready",
    "/openapi.json",
    "/docs",
    "/events",
    "/audit",
    "/search",
    "/scratchpads",
    "/decisions",
    "/login",
    "/register",
    "/.well-known",
    "/",
)

STORE_FILE = "longtable.db"
"""The embedded store, in the data folder."""

_LOOPBACK_NAMES = {"localhost", "ip6-localhost", "ip6-loopback"}


def check_paths(settings: Settings) -> None:
    """Raises ConfigError when two routes would have the same path."""
    taken: dict[str, str] = {}
    for name in ("http_path", "sse_path", "metrics_path"):
        path: str = getattr(settings, name)
        fixed = _fixed_path_over(path)
        if fixed is not None and not (name == "http_path" and path == "/http"):
            allowed = "a path outside " + ", ".join(FIXED_PATHS)
            raise _refused(name, path, f"the server itself answers under {fixed}", allowed)
        if path in taken:
            raise _refused(name, path, f"{taken[path]} has the same path", "paths that differ")
        taken[path] = name


def check_auth(settings: Settings) -> None:
    """Raises ConfigError when the named way to authenticate lacks something, or credentials would be ignored."""
    if settings.auth_mode == "jwt":
        _check_access_tokens(settings)
    if settings.auth_mode == "off":
        _refuse_ignored_credentials(settings)
    elif settings.oidc_issuer is not None:
        _check_sign_in(settings)


def _check_access_tokens(settings: Settings) -> None:
    if settings.jwt_issuer is None:
        raise _lacks("auth: jwt", "jwt_issuer")
    if settings.effective_jwt_audience is None:
        raise _lacks("auth: jwt", "jwt_audience", "jwt_audience, or public_url, which it is made of")
    if settings.jwt_jwks is None and not is_private(settings.jwt_issuer):
        raise _lacks("auth: jwt", "jwt_jwks", "jwt_jwks: an issuer that is no https:// URL has no metadata")


def _check_sign_in(settings: Settings) -> None:
    for name in ("oidc_client_id", "oidc_groups"):
        if not getattr(settings, name):
            raise _lacks("oidc_issuer:", name)
    if settings.auth_mode == "jwt" and settings.oidc_client_id == settings.effective_jwt_audience:
        raise ConfigError(
            "oidc_client_id: it is the audience of access tokens too, so that who has signed in could not be told from "
            "their software.",
            hint="Give the console a client of its own, or set jwt_audience to something else.",
            option="oidc_client_id",
        )


def _lacks(what: str, name: str, remedy: str | None = None) -> ConfigError:
    return ConfigError(f"{what} needs {name}, which is not set.", hint=f"Set {remedy or name}.", option=name)


def check_bind(settings: Settings, auth: AuthMode | None = None) -> None:
    """Raises ConfigError when other machines could call without a credential. Called before a port is opened, with the
    `auth` that is stored."""
    if (auth or settings.auth_mode) != "off" or is_loopback(settings.http_host):
        return
    raise ConfigError(
        f"http_host: '{settings.http_host}' can be reached from other machines, and auth is off.",
        hint="Set auth to tokens or jwt, or http_host to 127.0.0.1. "
        "Without auth only stdio, a unix socket or a loopback address is allowed.",
        option="http_host",
        value=settings.http_host,
    )


def check_new_store(settings: Settings) -> None:
    """The same for a new store, which has no stored `auth`: refuse before it is created."""
    if settings.store == "sqlite" and not has_store_file(settings.data_dir):
        check_bind(settings)


def has_store_file(data_dir: Path) -> bool:
    """True also where that cannot be found out: who opens the store then names the cause."""
    try:
        return (data_dir / STORE_FILE).exists()
    except OSError:
        return True


def is_loopback(host: str) -> bool:
    """Only names that always mean this machine: what other names resolve to may change."""
    if host.lower().rstrip(".") in _LOOPBACK_NAMES:
        return True
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _refuse_ignored_credentials(settings: Settings) -> None:
    for name in ("auth_tokens", "auth_token_file", "jwt_issuer", "jwt_audience", "jwt_jwks", "oidc_issuer"):
        if getattr(settings, name):
            mode = "jwt" if name.startswith("jwt") else "tokens"
            raise ConfigError(
                f"auth: it is off, but {name} is set and would be ignored.",
                hint=f"Set auth to {mode}, or remove {name}.",
                option="auth",
                value="off",
            )


def _fixed_path_over(path: str) -> str | None:
    return next(
        (fixed for fixed in FIXED_PATHS if path == fixed or (fixed != "/" and path.startswith(fixed + "/"))), None
    )


def _refused(name: str, value: str, problem: str, allowed: str) -> ConfigError:
    return ConfigError(
        f"{name}: '{value}' is not possible: {problem}.",
        hint=f"Allowed: {allowed}.",
        option=name,
        value=value,
        allowed=allowed,
    )
