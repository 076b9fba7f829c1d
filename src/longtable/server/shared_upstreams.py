"""While a server runs, the processes beside it on the same embedded store use the programs of its upstreams."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.logs import logger
from longtable.server.unix import open_unix
from longtable.settings.options import Settings
from longtable.settings.provides import provided

# The process that runs the programs needs no application.
if TYPE_CHECKING:
    from longtable.app import App
    from longtable.upstreams.directory import InstanceKey, UpstreamInstance
    from longtable.upstreams.port import UpstreamHost
    from longtable.upstreams.process_proxy_server import ProgramOffer

SOCKET = "upstreams.sock"


def host_beside(settings: Settings) -> "UpstreamHost | None":
    """Who may run the programs for a process on this store."""
    path = shared_socket_of(settings)
    if path is None or settings.gateway_config is None:
        return None
    # Loaded only where there are upstreams.
    from longtable.upstreams.port import UpstreamHost

    return UpstreamHost(path)


def shared_socket_of(settings: Settings) -> Path | None:
    """Where the programs of a server on this store can be asked for; None where that may be elsewhere."""
    shared = settings.store == "sqlite" and sys.platform != "win32"
    return settings.data_dir / SOCKET if shared else None


@asynccontextmanager
async def shares_upstreams(app: "App") -> AsyncIterator[None]:
    """Where another server does so already, or there can be no socket, others start their own."""
    path = shared_socket_of(app.settings)
    if path is None or "gateway" not in provided(app.settings, app.gateway_file):
        yield
        return
    from longtable.upstreams.process_proxy_server import ProcessProxyServer

    try:
        listener = open_unix(path)
    except OSError as error:
        logger.info("upstreams_not_lent", reason=error.strerror or str(error))
        yield
        return
    try:
        async with ProcessProxyServer(_OwnPrograms(app)).serving(listener):
            yield
    finally:
        path.unlink(missing_ok=True)


class _OwnPrograms:
    """Those of this server. It starts none that others bring: with the same configuration, it has the same ones."""

    def __init__(self, app: "App") -> None:
        self._app = app
        self._keys: WeakKeyDictionary[UpstreamInstance, str | None] = WeakKeyDictionary()

    def find(self, key: str, instance: "InstanceKey") -> "UpstreamInstance | None":
        tenant = instance.owner or instance.tenant or DEFAULT_TENANT
        found = self._app.slices.gateway.dependencies.upstreams.find(tenant, instance.name, instance.session)
        return found if found is not None and self._key(found) == key else None

    def _key(self, instance: "UpstreamInstance") -> str | None:
        from longtable.upstreams.entries import StdioEntry
        from longtable.upstreams.process_proxy_server import program_key

        if instance not in self._keys:
            # That of the upstream, and not of the instance: it is filled in for the tenant.
            entry = getattr(instance.upstream, "entry", None)
            self._keys[instance] = program_key(entry) if isinstance(entry, StdioEntry) else None
        return self._keys[instance]

    def accept(self, key: str, offer: "ProgramOffer") -> bool:
        return False

    async def end(self, key: str) -> None:
        """This server ends its programs itself."""
