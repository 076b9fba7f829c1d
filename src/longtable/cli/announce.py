"""Prints where a server listens, and how to sign in to its console."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from longtable.identity.human_secret import has_human_secret

# The MCP SDK takes longer to load than every other command takes to run.
if TYPE_CHECKING:
    from longtable.server.http import HttpApp
    from longtable.server.serve import Announce
    from longtable.settings.options import Settings

_USUAL_PORT = 8765
"""Where `longtable connect` looks for a server unless it is told."""

SIGN_IN_BY_TOKEN = "with a token of the role human or owner ('longtable token create' makes one)"
LINK_RULE = "the link works once and for 10 minutes; 'longtable console' makes another"
SIGN_IN_BY_SECRET = "'longtable console' makes a link; it asks for the human secret"


def announcer(as_json: bool) -> "Announce":
    async def announce(http: "HttpApp", address: str) -> None:
        # Only a process with a terminal loads it.
        from longtable.cli.output import say_address

        facts = {**await _facts(http, address), "data_dir": _store(http.app.settings)}
        if not as_json:
            facts |= {"connect": _how_to_connect(address), "stop": "Ctrl+C"}
        say_address(facts, as_json)

    return announce


async def _facts(http: "HttpApp", address: str) -> dict[str, str]:
    app, settings = http.app, http.app.settings
    facts = {"mcp": address + settings.http_path} if settings.enable_http else {}
    if not settings.enable_console:
        return facts
    if app.auth != "off":
        return {**facts, "console": address, "sign_in": SIGN_IN_BY_TOKEN}
    if await has_human_secret(app.database):
        # The link makes its user the owner, and an agent may have started this.
        return {**facts, "console": address, "sign_in": SIGN_IN_BY_SECRET}
    return {**facts, "link": login_link(address, await app.logins.new_link_secret()), "sign_in": LINK_RULE}


def _store(settings: "Settings") -> str:
    where = str(settings.data_dir)
    return where if settings.store == "sqlite" else f"{where}, and the store is in PostgreSQL"


def _how_to_connect(address: str) -> str:
    program, port = program_name(), urlsplit(address).port
    words = "connect CLIENT --http" if port == _USUAL_PORT else f"connect CLIENT --http --http-port {port}"
    return f"'{program} {words}' configures a client; '{program} connect --help' lists them"


def program_name() -> str:
    """What to type: in a checkout the program is not among those that a shell finds by its name."""
    own = Path(sys.executable).with_name("longtable.exe" if sys.platform == "win32" else "longtable")
    found = shutil.which("longtable")
    if not own.exists() or (found and os.path.samefile(found, own)):
        return "longtable"
    return str(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own)


def login_link(address: str, secret: str) -> str:
    return f"{address}/login?link={secret}"
