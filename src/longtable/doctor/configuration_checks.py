"""Options that are allowed and still a mistake, and who may call."""

import os
import socket
import stat
from collections.abc import Iterator

from longtable.doctor.findings import HealthFinding, fine
from longtable.identity.tokens import check_principals
from longtable.kernel.errors import ConfigError
from longtable.settings.checks import STORE_FILE
from longtable.settings.load import Loaded
from longtable.settings.options import Settings
from longtable.settings.show import readable_secrets, unknown_variables
from longtable.settings.tokens import merge_tokens
from longtable.storage.inspection import CallerFacts, inspect_callers


def check_options(loaded: Loaded) -> Iterator[HealthFinding]:
    path = loaded.settings.config_file
    for sentence in readable_secrets(loaded):
        assert path is not None
        yield HealthFinding("configuration", "warning", sentence, f"chmod 600 {path}", lambda: path.chmod(0o600))
    for sentence in unknown_variables(loaded):
        yield HealthFinding("configuration", "warning", sentence, "Unset it, or correct its name.")
    yield from _check_socket(loaded.settings)
    yield from _check_host(loaded.settings)


def check_callers(settings: Settings) -> Iterator[HealthFinding]:
    """Where auth is on, somebody must be able to call."""
    path = settings.data_dir / STORE_FILE
    stored = inspect_callers(path) if settings.store == "sqlite" and path.is_file() else CallerFacts(None, 0)
    if settings.auth_mode != "tokens" and stored.auth != "tokens":
        return
    try:
        named = _named_tokens(settings)
    except ConfigError as error:
        remedy = "Repair the file that auth_token_file names, or auth_tokens."
        yield HealthFinding("tokens", "error", error.message, remedy)
        return
    if named or stored.valid_tokens:
        yield fine("tokens", f"{named + stored.valid_tokens} are valid.")
    elif settings.store == "sqlite":
        yield HealthFinding(
            "tokens",
            "warning",
            "Auth is on, and there is no valid token: nobody can call.",
            "longtable token create --tenant NAME --role owner",
        )


def _named_tokens(settings: Settings) -> int:
    file = settings.auth_token_file
    named = merge_tokens(settings.auth_tokens, file if file is not None and file.exists() else None)
    check_principals(named.values())
    return len(named)


def _check_socket(settings: Settings) -> Iterator[HealthFinding]:
    path = settings.http_socket_path
    if path is None:
        return
    if not path.parent.is_dir():
        problem = f"http_socket_path: there is no folder {path.parent}."
        yield HealthFinding("port", "error", problem, f"mkdir -p {path.parent}")
    elif path.exists() and not stat.S_ISSOCK(path.stat().st_mode):
        problem = f"http_socket_path: {path} is something else than a socket."
        yield HealthFinding("port", "error", problem, "Move it away, or name another path.")


def _check_host(settings: Settings) -> Iterator[HealthFinding]:
    host = settings.http_host.strip("[]")
    if settings.auth_mode == "off":
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as trial:
            trial.bind((host, 0))
    except OSError as error:
        problem = f"http_host: this machine cannot listen on {host} ({os.strerror(error.errno or 0)})."
        yield HealthFinding("port", "error", problem, "Name an address of this machine with --http-host.")
