"""Runs `longtable demo`: on a server of its own, or at one that is there. It loads a server and a client."""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from longtable.cli.announce import SIGN_IN_BY_TOKEN, login_link
from longtable.cli.output import is_terminal, say, say_address, say_json, visible
from longtable.demo.hosting import host
from longtable.demo.prepare import prepare
from longtable.demo.team import Team
from longtable.kernel.errors import ConfigError
from longtable.kernel.logs import logger
from longtable.server.http import HttpApp
from longtable.server.serve import Announce
from longtable.settings.load import load_unbound
from longtable.settings.options import Settings

if sys.platform != "win32":
    import uvloop


@dataclass(frozen=True, slots=True)
class DemoRun:
    """`pause` stretches the time between two steps, `patience` is how long agents wait for people; `once` ends with the
    story."""

    pause: float
    patience: float
    once: bool
    as_json: bool

    async def play(self, address: str, token: str | None = None) -> None:
        await Team(address, token, self.pause, self.patience, self._report).play(stay=not self.once)

    def host(self, data_dir: str | None, http_port: str | None) -> None:
        """On a server of its own. Options of the environment are ignored: they belong to a server with real
        data."""
        with _folder(data_dir) as folder:
            options = {
                "data_dir": str(folder),
                "http_port": "0" if http_port is None else http_port,
                "gateway_config": _prepared(folder),
            }
            settings = load_unbound(options, {}).settings
            # The lines of the story are what people want to read here.
            logger.configure("warning")
            _run(host(settings, self._announcer(settings), self.play))

    def _report(self, who: str, what: str) -> None:
        now = datetime.now().astimezone()
        if self.as_json:
            say_json({"at": now.isoformat(timespec="milliseconds"), "who": who, "what": what})
        else:
            say(f"{now:%H:%M:%S}  {visible(who):<11}{visible(what)}")

    def _announcer(self, settings: Settings) -> Announce:
        async def announce(http: HttpApp, address: str) -> None:
            facts = {"mcp": address + settings.http_path, **await _sign_in(http, address)}
            say_address(facts, self.as_json)

        return announce


@contextmanager
def _folder(chosen: str | None) -> Iterator[Path]:
    if chosen is not None:
        yield load_unbound({"data_dir": chosen}, {}).settings.data_dir
        return
    with tempfile.TemporaryDirectory(prefix="longtable-demo-", ignore_cleanup_errors=True) as temporary:
        yield Path(temporary)


def _prepared(folder: Path) -> str:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return str(prepare(folder))
    except OSError as error:
        raise ConfigError(f"data_dir: {folder} cannot be used ({error.strerror}).", option="data_dir") from error


def _run(performance: Awaitable[None]) -> None:
    async def performing() -> None:
        await performance

    if sys.platform == "win32":
        asyncio.run(performing())
    else:
        uvloop.run(performing())


async def _sign_in(http: HttpApp, address: str) -> dict[str, str]:
    """The link goes nowhere but to a terminal: a log or a pipe would keep it, and with it the owner's rights."""
    if http.app.auth != "off":
        return {"console": address, "sign_in": SIGN_IN_BY_TOKEN}
    port = address.rpartition(":")[2]
    command = f"longtable console --data-dir {http.app.settings.data_dir} --http-port {port}"
    if not is_terminal():
        return {"console": address, "sign_in": f"'{command}' in a terminal makes a link"}
    link = login_link(address, await http.app.logins.new_link_secret())
    return {"link": link, "sign_in": f"the link works once and for 10 minutes; '{command}' makes another"}
