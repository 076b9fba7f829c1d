"""`longtable human-secret`: proves that a person uses the terminal, which agents share."""

import getpass
import os
import stat
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say_result
from longtable.cli.owner import OwnerCall, owner_of, tool_call
from longtable.cli.store import STORE_FLAGS, check_tenant, on_store
from longtable.identity.human_secret import (
    check_human_secret,
    check_strength,
    has_human_secret,
    set_human_secret,
)
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import ConfigError, InvalidArgument, LongtableError

group = typer.Typer(help="The secret with which a person at a terminal tells that they are one.")

SecretFile = Annotated[
    Path | None, typer.Option(help="Take the human secret from the first line of this file, which only you may read.")
]


@group.callback()
def human_secret() -> None:
    """Keeps the name `set`: Typer drops the name of an only command."""


@command_with_options(group, "set", only=STORE_FLAGS)
def set_secret(
    flags: FlagValues,
    from_file: Annotated[
        Path | None, typer.Option(help="Take it from the first line of this file, which only you may read.")
    ] = None,
    human_secret_file: Annotated[
        Path | None,
        typer.Option(
            "--human-secret-file",
            "--current-from-file",
            help="The same for the present secret, when one is being replaced.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set the secret; asked for twice on the terminal. To replace one, the present one is asked for as well."""

    async def work(app: App) -> bool:
        replaces = await has_human_secret(app.database)
        current = await require_person(app, human_secret_file, refused("set_human_secret")) if replaces else None
        secret = secret_from_file(from_file, "--from-file") if from_file else _prompt_twice()
        await set_human_secret(app.ledger, secret, current)
        return replaces

    replaced = on_store(flags, work)
    say_result(
        {"ok": True, "replaced": replaced},
        "The human secret is replaced." if replaced else "The human secret is set.",
        as_json,
    )


async def require_person(app: App, path: Path | None, refused: Call, object: str | None = None) -> str | None:
    """Agents have shells, too: where a human secret is set, it is required. It is read from the file at `path`, or from
    the terminal. Raises Forbidden or RateLimited, recorded as `refused`. None where no secret is set."""
    if not await has_human_secret(app.database):
        return None
    secret = secret_from_file(path, "--human-secret-file") if path else prompt_secret("Human secret: ")
    try:
        await check_human_secret(app.ledger, secret)
    except LongtableError as error:
        app.ledger.observe(refused, error.code, object)
        raise
    return secret


def as_person(tool: str, tenant: str, arguments: dict[str, Any], secret_file: Path | None, kind: str) -> OwnerCall:
    """The call of a tool about the thing of this kind and name, after the human secret where one is set."""

    async def work(app: App) -> dict[str, Any]:
        thing = f"{kind}:{arguments['name']}"[:200]
        await require_person(app, secret_file, refused(tool, check_tenant(tenant)), thing)
        return await tool_call(tool, tenant, arguments)(app)

    return work


def refused(operation: str, tenant: str = DEFAULT_TENANT) -> Call:
    """The audit record of a command that was tried without the secret."""
    return Call(owner_of(tenant), operation, "human_secret_refused")


def _prompt_twice() -> str:
    secret = prompt_secret("New human secret: ", "--from-file")
    check_strength(secret)
    if prompt_secret("The same again: ", "--from-file") != secret:
        raise InvalidArgument("The two differ, so nothing was changed.")
    return secret


def prompt_secret(question: str, instead: str = "--human-secret-file") -> str:
    # Without a terminal, getpass would read the secret from a pipe and say so in a warning.
    if not sys.stdin.isatty():
        raise ConfigError("The secret is asked for on a terminal, and there is none.", hint=f"Use {instead}.")
    return getpass.getpass(question)


def secret_from_file(path: Path, flag: str) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ConfigError(f"{flag}: others may read {path}.", hint=f"Run 'chmod 600 {path}' first.")
            return file.readline().rstrip("\r\n")
    except OSError as error:
        raise ConfigError(f"{flag}: {path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{flag}: {path} is not text in UTF-8.") from error
