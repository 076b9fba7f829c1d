"""Runs the programs of stdio upstreams in a process of their own: the workers of a supervisor come and go, and ask for
them over a socket. On an embedded store, so do the stdio processes beside them."""

import asyncio
import contextlib
import socket
from collections.abc import Callable

from longtable.kernel.background import BackgroundTasks
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.child_process import SupervisorChannel, inherited_socket
from longtable.server.host_process import FORGET, RELOAD, STOP
from longtable.server.shared_upstreams import shared_socket_of
from longtable.server.unix import open_unix
from longtable.settings.options import Settings
from longtable.upstreams.config import load_gateway_file
from longtable.upstreams.directory import DRAIN_SECONDS, InstanceKey, UpstreamInstance
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.instance_limits import InstanceLimits
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.process_proxy_server import ProcessProxyServer, ProgramOffer, program_key

Load = Callable[[], Settings]


class RunningPrograms:
    """The programs by their entries: equal entries are one program. A program starts when it is first requested."""

    def __init__(self) -> None:
        self._running: dict[str, UpstreamInstance] = {}
        self._background = BackgroundTasks()
        self._limits = InstanceLimits(self._background)
        self._sources: dict[str, str] = {}
        self._in_file: set[str] = set()
        """The keys of the entries of the gateway file as it was last read."""

    def find(self, key: str, instance: InstanceKey) -> UpstreamInstance | None:
        return self._running.get(key)

    def accept(self, key: str, offer: ProgramOffer) -> bool:
        is_ours = offer.is_only or offer.instance.owner is not None or offer.source in self._in_file
        if is_ours and key not in self._running:
            program = McpUpstream(offer.entry)
            program.background = self._background
            self._limits.add(program, offer.instance)
            self._running[key] = UpstreamInstance(program, offer.instance, offer.entry)
            self._sources[key] = offer.source
        return is_ours

    async def end(self, key: str) -> None:
        if key in self._running:
            await self._running.pop(key).close(DRAIN_SECONDS)

    def read(self, settings: Settings) -> bool:
        """Whether there are any in the gateway file. Raises ConfigError."""
        self._in_file = set()
        if settings.gateway_config is not None:
            file = load_gateway_file(settings.gateway_config, own=[(settings.http_host, settings.http_port)])
            self._in_file = {program_key(entry) for entry in file.mcp if isinstance(entry, StdioEntry)}
        return bool(self._in_file)

    async def forget(self) -> None:
        """Ends those whose entry was in the gateway file and is not any more."""
        of_file = [key for key, program in self._running.items() if program.key.owner is None]
        await asyncio.gather(*(self.end(key) for key in of_file if self._sources[key] not in self._in_file))

    async def close(self) -> None:
        await self._limits.close()
        await asyncio.gather(*(program.close() for program in self._running.values()))


def run_upstream_host(load: Load, descriptor: int, channel: SupervisorChannel, *, is_needed: bool) -> None:
    """Returns when it is asked to stop, or at once where there is no program to run and no worker needs it."""
    import uvloop

    uvloop.run(_host(load, descriptor, channel, is_needed))


async def _host(load: Load, descriptor: int, channel: SupervisorChannel, is_needed: bool) -> None:
    programs, settings = RunningPrograms(), load()
    if not programs.read(settings) and not is_needed:
        return
    proxy_server = ProcessProxyServer(programs)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(programs.close)
        await stack.enter_async_context(proxy_server.serving(inherited_socket(descriptor)))
        shared = _open_shared(settings)
        if shared is not None:
            path = shared_socket_of(settings)
            assert path is not None
            stack.callback(path.unlink, missing_ok=True)
            await stack.enter_async_context(proxy_server.serving(shared))
        messages = _SupervisorMessages(channel)
        channel.report_ready()
        while (command := await messages.next()) is not None:
            await _execute(command, programs, load)


async def _execute(command: str, programs: RunningPrograms, load: Load) -> None:
    if command == FORGET:
        await programs.forget()
    if command != RELOAD:
        return
    try:
        programs.read(load())
    except LongtableError as error:
        # Workers that read the same file say so, too, and are not replaced.
        logger.warning("gateway_file_not_read", code=error.code)


def _open_shared(settings: Settings) -> socket.socket | None:
    """Where another server has it already, or there can be no socket, stdio processes start their own programs."""
    path = shared_socket_of(settings)
    if path is None:
        return None
    try:
        return open_unix(path)
    except OSError as error:
        logger.info("upstreams_not_lent", reason=error.strerror or str(error))
        return None


class _SupervisorMessages:
    """Commands of the supervisor. The one to stop, or the end of the channel, is the last."""

    def __init__(self, channel: SupervisorChannel) -> None:
        self._channel = channel
        self._commands: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(channel.socket, self._listen)

    async def next(self) -> str | None:
        return await self._commands.get()

    def _listen(self) -> None:
        try:
            for message in self._channel.listen():
                self._commands.put_nowait(None if message["do"] == STOP else str(message["do"]))
        except EOFError:
            self._loop.remove_reader(self._channel.socket)
            self._commands.put_nowait(None)
