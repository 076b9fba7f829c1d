"""`longtable guard`: a git hook that refuses commits to files which another agent has reserved."""

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from longtable.cli import guard_check
from longtable.cli.guard_repository import KEPT, MARK, GuardOptions, Repository
from longtable.cli.output import AsJson, note, say, say_json, say_result, say_table, visible
from longtable.kernel.errors import Conflict, InvalidArgument, UpstreamError

group = typer.Typer(help="Have git refuse commits to files that another agent has reserved.")

_DEFAULT_URL = "http://127.0.0.1:8765"
_SCRIPT = f"""#!/bin/sh
{MARK} It refuses a commit to files that another agent has reserved; 'longtable guard uninstall' removes it.
before="$(dirname "$0")/{KEPT}"
if [ -x "$before" ]; then
    "$before" "$@" || exit $?
fi
python={{python}}
if [ ! -x "$python" ]; then
    echo "longtable guard: reservations were not checked: $python is gone. Run 'longtable guard install' again." >&2
    [ "$(git config --bool longtable.strict)" != true ]
    exit
fi
exec "$python" -P -m longtable guard check
"""


@group.command("install")
def install(
    *,
    url: Annotated[str | None, typer.Option(help="The server's address.", show_default=_DEFAULT_URL)] = None,
    session: Annotated[
        str | None, typer.Option(help="Whose reservations count.", show_default="the one the server gives")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Who commits here; LONGTABLE_AGENT comes first.")] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="File with the token, where LONGTABLE_TOKEN is not set.")
    ] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict/--no-strict", help="Refuse commits also while no server answers.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Install the hook in this repository, before one that is there already, or change its options."""
    repository = Repository.here()
    file = str(token_file.expanduser().resolve()) if token_file else None
    given = GuardOptions(_checked(url) if url else None, session, agent, file)
    options = _completed(given, repository.options({}))
    options = options if strict is None else replace(options, strict=strict)
    _write_hook(repository)
    repository.store(options)
    if as_json:
        say_json({"ok": True, "hook": str(repository.hook), "kept": repository.kept.exists()})
        return
    say(f"Commits in {visible(str(repository.top))} are checked by {visible(str(repository.hook))}.")
    if repository.kept.exists():
        say("The hook that was there runs first.")
    if not repository.hooks.is_relative_to(repository.top):
        note("This folder of hooks may serve other repositories, too; those without a longtable.url are not checked.")


@group.command("uninstall")
def uninstall(as_json: AsJson = False) -> None:
    """Remove the hook and its options, and put the hook back that was there before."""
    repository = Repository.here()
    guarded = repository.is_guarded
    if guarded:
        repository.hook.unlink()
        if repository.kept.exists():
            repository.kept.rename(repository.hook)
    repository.forget()
    say_result({"ok": True, "removed": guarded}, "The guard is removed." if guarded else "There was no guard.", as_json)


@group.command("status")
def status(as_json: AsJson = False) -> None:
    """Show whether commits are checked here, by which server and for whom. Exits with 1 if they are not."""
    repository = Repository.here()
    options = repository.options(os.environ)
    installed = repository.is_guarded and options.url is not None
    held, problem = _held_by_others(options) if options.url else (None, "no server is set")
    facts = {
        "installed": installed,
        "hook": str(repository.hook),
        "url": options.url,
        "session": options.session,
        "agent": options.agent,
        "strict": options.strict,
        "held_by_others": held,
        "problem": problem,
    }
    if as_json:
        say_json({"ok": True, **facts})
    else:
        say_table(("guard", ""), list(facts.items()))
    if not installed or problem:
        raise typer.Exit(1)


@group.command("check")
def check() -> None:
    """Check the commit that is about to be made: what the hook runs."""
    guard_check.run()


def _completed(given: GuardOptions, stored: GuardOptions) -> GuardOptions:
    """With what was set before in place of what is not given now."""
    return GuardOptions(
        url=given.url or stored.url or _DEFAULT_URL,
        session=given.session or stored.session,
        agent=given.agent or stored.agent,
        token_file=given.token_file or stored.token_file,
        strict=stored.strict,
    )


def _held_by_others(options: GuardOptions) -> tuple[int | None, str | None]:
    try:
        held = guard_check.reservations(options, os.environ)
    except UpstreamError as error:
        return None, error.message
    return sum(not each.mine for each in held), None


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidArgument.at("url", "must begin with http:// or https://")
    if parts.username or parts.password or parts.query:
        raise InvalidArgument.at("url", "must hold no secret: it is stored in the configuration of git")
    return url.rstrip("/").removesuffix("/mcp")


def _write_hook(repository: Repository) -> None:
    hook, kept = repository.hook, repository.kept
    repository.hooks.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(hook) and not repository.is_guarded:
        if os.path.lexists(kept):
            raise Conflict(f"Both {hook} and {kept.name} exist.", hint="Remove one of them first.")
        hook.rename(kept)
    fresh = hook.with_name(f"{hook.name}.{os.getpid()}")
    fresh.write_text(_SCRIPT.format(python=shlex.quote(sys.executable)), "utf-8")
    fresh.chmod(0o755)
    fresh.replace(hook)
