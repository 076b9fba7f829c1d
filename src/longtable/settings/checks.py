"""Rules between options: what each allows alone may still be wrong together."""

import ipaddress

from longtable.kernel.errors import ConfigError
from longtable.settings.options import AuthMode, Settings

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
        for name in ("jwt_issuer", "jwt_audience", "jwt_jwks"):
            if getattr(settings, name) is None:
                raise ConfigError(f"auth: jwt needs {name}, which is not set.", hint=f"Set {name}.", option=name)
    if settings.auth_mode == "off":
        _refuse_ignored_credentials(settings)


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
    if settings.store == "sqlite" and not (settings.data_dir / STORE_FILE).exists():
        check_bind(settings)


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
    for name in ("auth_tokens", "auth_token_file", "jwt_issuer", "jwt_audience", "jwt_jwks"):
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
