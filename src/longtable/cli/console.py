"""`longtable console`: a new one-time link to the console of the server on this store."""

import os
from pathlib import Path
from typing import Any

import typer

from longtable.app import App
from longtable.cli.announce import LINK_RULE, SIGN_IN_BY_TOKEN, login_link
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, refused, require_person
from longtable.cli.output import AsJson, is_terminal, note, say_result
from longtable.cli.server_address import found_address
from longtable.cli.store import STORE_FLAGS, on_existing_store
from longtable.kernel.errors import ConfigError, Forbidden
from longtable.server.running_servers import answers
from longtable.settings.load import load_unbound


def register(app: typer.Typer) -> None:
    @command_with_options(app, "console", shown=(*STORE_FLAGS, "http_host", "http_port"))
    def console(flags: FlagValues, human_secret_file: SecretFile = None, as_json: AsJson = False) -> None:
        """Show how to sign in to the console; while auth is off, make a one-time link for it. That makes an owner, so
        it asks for the human secret, once one is set. The server that runs on this data folder is found by itself."""
        answer = on_existing_store(flags, lambda app: _answer(app, flags, human_secret_file))
        where = answer.get("link", answer["console"])
        say_result({"ok": True, **answer}, where, as_json, f"Sign in: {answer['sign_in']}.")


async def _answer(app: App, flags: FlagValues, human_secret_file: Path | None) -> dict[str, Any]:
    settings = app.settings
    if not settings.enable_console:
        raise ConfigError("enable_console: it is false, so there is no console.", option="enable_console")
    address = found_address(load_unbound(flags, os.environ))
    if app.auth != "off":
        return {"console": address, "sign_in": SIGN_IN_BY_TOKEN}
    if not is_terminal():
        raise Forbidden(
            "The link makes its bearer the owner, so it is shown on a terminal only, never to a pipe or a file.",
            hint="Run 'longtable console' in a terminal yourself.",
        )
    await require_person(app, human_secret_file, refused("create_login_link"))
    if not answers(address):
        note(f"Nothing answers at {address} yet: start 'longtable serve' with this store first.")
    link = login_link(address, await app.logins.new_link_secret())
    return {"console": address, "link": link, "sign_in": LINK_RULE}
