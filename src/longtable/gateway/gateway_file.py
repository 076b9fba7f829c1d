"""The gateway file while servers run: it is read again when it changes. One that is wrong changes nothing."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from longtable.gateway.playbook_file import UPSTREAM as PLAYBOOKS
from longtable.gateway.playbook_file import load_playbooks
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.settings.options import Settings
from longtable.upstreams.config import GatewayFile, load_gateway_file, refuse_taken_names
from longtable.upstreams.mindscape_client import NAME as BACKEND

LOOK_SECONDS = 1.0

_Version = tuple[int, int, int]


def load_file(settings: Settings) -> GatewayFile | None:
    """Checked as a whole, with its playbooks. Raises ConfigError."""
    if settings.gateway_config is None:
        return None
    file = load_gateway_file(settings.gateway_config, own=own_addresses(settings))
    refuse_taken_names(file, built_in_names(settings, file))
    if file.playbooks is not None:
        load_playbooks(file.playbooks)
    return file


def own_addresses(settings: Settings) -> list[tuple[str, int]]:
    return [(settings.http_host, settings.http_port)]


def built_in_names(settings: Settings, file: GatewayFile | None) -> dict[str, str]:
    """Upstreams outside of the file, each with what it is."""
    names = {PLAYBOOKS: "the playbooks"} if file is not None and file.playbooks is not None else {}
    return names | ({BACKEND: "the Mindscape backend"} if settings.mindscape_base_url is not None else {})


@dataclass(slots=True)
class CurrentFile:
    """The file as it was last taken over; `problem` is what is wrong with it now. `built_in` are upstreams outside of
    it, by their names."""

    file: GatewayFile | None
    built_in: Mapping[str, str]
    problem: str | None = None

    def fixed_names(self) -> dict[str, str]:
        """Names and packs that are taken, each with what has taken it."""
        entries = (*self.file.mcp, *self.file.openapi) if self.file is not None else ()
        names = {name: "an upstream of the gateway file" for entry in entries for name in (entry.name, entry.pack)}
        return names | dict(self.built_in)

    def allowed_hosts(self) -> frozenset[str]:
        return self.file.allowed_hosts if self.file is not None else frozenset()


class FileWatch:
    """`load` reads the file, `apply` takes it over. Every process looks for itself: each has the file."""

    def __init__(
        self, current: CurrentFile, load: Callable[[], GatewayFile | None], apply: Callable[[GatewayFile], None]
    ) -> None:
        self._current = current
        self._load = load
        self._apply = apply
        self._seen: _Version | None = None

    @property
    def problem(self) -> str | None:
        """What is wrong with the file as it is now."""
        return self._current.problem

    def apply_current(self) -> None:
        if self._current.file is not None:
            self._apply(self._current.file)

    async def run(self) -> None:
        """Looks at the file itself, not at what happens to it: it may be replaced, or lie in a folder that tells
        nothing."""
        while True:
            if self._has_changed():
                self.reload()
            await asyncio.sleep(LOOK_SECONDS)

    def reload(self) -> None:
        try:
            file = self._load()
        except LongtableError as error:
            if error.message != self._current.problem:
                logger.warning("gateway_file_not_taken", problem=error.message)
            self._current.problem = error.message
            return
        self._current.problem = None
        if file is not None and file != self._current.file:
            self._current.file = file
            self._apply(file)
            logger.info("gateway_file_taken")

    def _has_changed(self) -> bool:
        assert self._current.file is not None
        version = _version(self._current.file.path)
        changed, self._seen = version != self._seen, version
        return changed


def _version(path: Path) -> _Version | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
