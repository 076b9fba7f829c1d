"""`longtable serve`: listens, and tells a person at a terminal where."""

import os
from typing import TYPE_CHECKING

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, is_terminal, note, say, say_json
from longtable.kernel.logs import logger
from longtable.settings.load import load_unbound
from longtable.settings.show import notices

# The MCP SDK takes longer to load than every other command takes to run.
if TYPE_CHECKING:
    from longtable.server.http import HttpApp
    from longtable.server.serve import Announce

SIGN_IN_BY_TOKEN = "with a token of the role human or owner ('longtable token create' makes one)"
LINK_RULE = "the link works once and for 10 minutes; 'longtable console' makes another"


def register(app: typer.Typer) -> None:
    @command_with_options(app, "serve")
    def serve(flags: FlagValues, as_json: AsJson = False) -> None:
        """Serve MCP, REST and the console over HTTP until a signal asks to stop."""
        loaded = load_unbound(flags, os.environ)
        from longtable.server.serve import run

        logger.configure(loaded.settings.log_level)
        for sentence in notices(loaded):
            if is_terminal():
                note(sentence)
            else:
                logger.warning("configuration", notice=sentence)
        # Nowhere but on a terminal: a log or a pipe would keep the link, and with it the owner's rights.
        run(loaded.settings, _announce(as_json) if is_terminal() else None)


def _announce(as_json: bool) -> "Announce":
    async def announce(http: "HttpApp", address: str) -> None:
        facts = await _facts(http, address)
        if as_json:
            say_json({"ok": True, **facts})
            return
        titles = {"mcp": "MCP", "console": "Console", "link": "Console", "sign_in": "Sign in"}
        for name, value in facts.items():
            say(f"{titles[name]:<9}{value}")

    return announce


async def _facts(http: "HttpApp", address: str) -> dict[str, str]:
    app, settings = http.app, http.app.settings
    facts = {"mcp": address + settings.http_path} if settings.enable_http else {}
    if not settings.enable_console:
        return facts
    if app.auth != "off":
        return {**facts, "console": address, "sign_in": SIGN_IN_BY_TOKEN}
    return {**facts, "link": login_link(address, await app.logins.new_link_secret()), "sign_in": LINK_RULE}


def login_link(address: str, secret: str) -> str:
    return f"{address}/login?link={secret}"
