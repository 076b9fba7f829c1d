"""Process proxy: a server shares the programs of its stdio upstreams with other processes on the same store, so that
each runs once. The protocol is a line of JSON per request and reply, over a socket that only the same user can open.
Rules, pins, approvals and limits are in the store, and each process enforces them itself."""

import asyncio
import itertools
import json
import os
import secrets
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Final, Protocol

from longtable.governance.model import ToolDefinition, WithheldTool
from longtable.kernel.background import owned_task
from longtable.kernel.canonical import digest
from longtable.kernel.errors import LongtableError, UpstreamError
from longtable.kernel.logs import logger
from longtable.kernel.tracing import continued
from longtable.upstreams.directory import InstanceKey, UpstreamInstance
from longtable.upstreams.entries import ResourceLimits, StdioEntry
from longtable.upstreams.port import Freshness, Progress, Upstream, UpstreamCall
from longtable.upstreams.proxied_client import ProxiedClient
from longtable.upstreams.references import SecretMask
from longtable.upstreams.requests import McpRequests, UpstreamRequest
from longtable.upstreams.resource_subscriptions import ListKind, ReportingUpstream, Updated

LONGEST_LINE: Final = 64 * 1024 * 1024


def program_key(entry: StdioEntry) -> str:
    """The same for two processes that mean the same program. The folder counts where the command names a file in it."""
    folder, words = entry.cwd, (entry.command, *entry.args)
    if folder is None and any(not os.path.isabs(word) and os.path.exists(word) for word in words):
        folder = os.getcwd()
    settings = [
        entry.name,
        entry.pack,
        entry.trust,
        entry.verify,
        entry.sampling,
        entry.allow,
        entry.deny,
        asdict(entry.limits),
    ]
    return digest(json.loads(json.dumps([*settings, entry.command, entry.args, dict(entry.env), folder])))


def encode_entry(entry: StdioEntry) -> dict[str, Any]:
    """With its secrets: for a process of the same user that is to start the program."""
    plain = {each.name: getattr(entry, each.name) for each in fields(entry) if each.name != "mask"}
    folder = entry.cwd if entry.cwd is not None else os.getcwd()
    return {**plain, "env": dict(entry.env), "limits": asdict(entry.limits), "cwd": folder, "mask": entry.mask.values}


def decode_entry(raw: dict[str, Any]) -> StdioEntry:
    lists = {name: tuple(raw[name]) for name in ("args", "allow", "deny")}
    return StdioEntry(**{**raw, **lists, "limits": ResourceLimits(**raw["limits"]), "mask": SecretMask(raw["mask"])})


@dataclass(frozen=True, slots=True)
class ProgramOffer:
    """The entry of a program that was not found, for the process that is to run it. `source` is the key of the entry as
    it stands in the gateway file. With `is_only`, the one who hands it over cannot run it itself."""

    instance: InstanceKey
    entry: StdioEntry
    source: str
    is_only: bool

    def encoded(self) -> dict[str, Any]:
        return {"entry": encode_entry(self.entry), "source": self.source, "is_only": self.is_only}


class ProgramSource(Protocol):
    """The programs that are shared. The key is of the entry, the instance says whose it is."""

    def find(self, key: str, instance: InstanceKey) -> UpstreamInstance | None: ...

    def accept(self, key: str, offer: ProgramOffer) -> bool:
        """Whether it will be found from now on."""

    async def end(self, key: str) -> None:
        """It is not used any more."""


class _ClientSubscriptions:
    """To resources of programs, of one process that uses them."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._open: dict[tuple[str, str], tuple[ReportingUpstream, Updated]] = {}

    async def change(self, message: dict[str, Any], upstream: Upstream) -> None:
        """Raises what the upstream refuses for."""
        assert isinstance(upstream, ReportingUpstream)  # programs are MCP servers
        place = message["mark"], message["uri"]
        if message["ask"] == "unsubscribe":
            await self._remove(place)
        elif place not in self._open or self._open[place][0] is not upstream:
            updated = partial(_write_unless_closed, self._writer, {"updated": place[0], "uri": place[1]})
            await upstream.subscribe(place[1], updated)
            self._open[place] = upstream, updated

    async def close(self) -> None:
        for place in list(self._open):
            await self._remove(place)

    async def _remove(self, place: tuple[str, str]) -> None:
        if place in self._open:
            upstream, updated = self._open.pop(place)
            await upstream.unsubscribe(place[1], updated)


class ProcessProxyServer:
    def __init__(self, programs: ProgramSource) -> None:
        self._programs = programs
        self._watched: dict[str, Upstream] = {}
        self._listings: dict[str, tuple[Sequence[ToolDefinition], Sequence[WithheldTool], str]] = {}
        self._tags = itertools.count()
        self._instance = secrets.token_hex(8)
        self._clients: dict[asyncio.StreamWriter, _ClientSubscriptions] = {}

    @asynccontextmanager
    async def serving(self, listener: socket.socket) -> AsyncIterator[None]:
        server = await asyncio.start_unix_server(self._serve, sock=listener, limit=LONGEST_LINE)
        try:
            yield
        finally:
            server.close()
            for writer in self._clients:
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """An invalid message ends the connection and its calls."""
        self._clients[writer] = _ClientSubscriptions(writer)
        tasks: dict[int, asyncio.Task[None]] = {}
        clients: dict[int, ProxiedClient] = {}
        try:
            while line := await reader.readline():
                message = json.loads(line)
                number = int(message["id"])
                if message["ask"] in ("cancel", "answer"):
                    if number in tasks and message["ask"] == "cancel":
                        tasks[number].cancel()
                    elif number in clients:
                        clients[number].answered(message)
                    continue
                if message.get("client") is not None:
                    clients[number] = _client_behind(writer, message)
                tasks[number] = owned_task(self._answer(message, writer, clients.get(number)))
                tasks[number].add_done_callback(lambda _, number=number: _forget(number, tasks, clients))  # type: ignore[misc]
        except (OSError, ValueError, KeyError, TypeError):
            return
        finally:
            subscriptions = self._clients.pop(writer)
            for task in list(tasks.values()):
                task.cancel()
            writer.close()
            await subscriptions.close()

    async def _answer(
        self, message: dict[str, Any], writer: asyncio.StreamWriter, client: ProxiedClient | None
    ) -> None:
        number = message["id"]
        try:
            line = _line({"id": number, **await self._reply(message, writer, client)})
        except LongtableError as error:
            error_body = {"code": error.code, "message": error.message, "details": error.details}
            line = _line({"id": number, "error": error_body, **self._state(message["mark"])})
        except Exception as error:  # noqa: BLE001 - the client must not wait for ever
            await asyncio.to_thread(logger.failed, "lending_failed", error)
            error_body = {"code": UpstreamError.code, "message": "The server that runs it has failed.", "details": {}}
            line = _line({"id": number, "error": error_body})
        await _send(writer, line)

    async def _reply(
        self, message: dict[str, Any], writer: asyncio.StreamWriter, client: ProxiedClient | None
    ) -> dict[str, Any]:
        key, instance = message["mark"], InstanceKey(*message["instance"])
        if message["ask"] == "end":
            self._watched.pop(key, None)
            self._listings.pop(key, None)
            await self._programs.end(key)
            return {}
        if message["ask"] == "hand_over":
            offer = ProgramOffer(instance, decode_entry(message["entry"]), message["source"], message["is_only"])
            return {} if self._programs.accept(key, offer) else {"none": True}
        found = self._programs.find(key, instance)
        if found is None:
            return {"none": True}
        with found as upstream:
            return await self._use(message, upstream, writer, client)

    async def _use(
        self, message: dict[str, Any], upstream: Upstream, writer: asyncio.StreamWriter, client: ProxiedClient | None
    ) -> dict[str, Any]:
        self._watch(message["mark"], upstream)
        if message["ask"] == "definitions":
            reply = await self._definitions(message, upstream)
        elif message["ask"] == "request":
            assert isinstance(upstream, McpRequests)  # programs are MCP servers
            request = UpstreamRequest(message["method"], message["params"], client)
            reply = {"result": await upstream.request(request)}
        elif message["ask"] in ("subscribe", "unsubscribe"):
            await self._clients[writer].change(message, upstream)
            reply = {}
        else:
            fresh = None if message["fresh"] is None else Freshness(**message["fresh"])
            call = UpstreamCall(
                message["tool"],
                message["inputs"],
                digest=message["digest"],
                fresh=fresh,
                progress=_progress_sender(writer, message["id"]),
                client=client,
            )
            with continued(message.get("trace", {})):
                reply = {"result": asdict(await upstream.call(call))}
        return {**reply, **self._state(message["mark"])}

    async def _definitions(self, message: dict[str, Any], upstream: Upstream) -> dict[str, Any]:
        """A list that the client has already is not sent again."""
        key, definitions = message["mark"], await upstream.definitions(Freshness(**message["fresh"]))
        withheld = upstream.withheld
        known, known_withheld, tag = self._listings.get(key, (None, None, ""))
        if known is not definitions or known_withheld is not withheld:
            tag = f"{self._instance}.{next(self._tags)}"
            self._listings[key] = (definitions, withheld, tag)
        reply: dict[str, Any] = {"reports_changes": upstream.reports_changes}
        if message["known"] == tag:
            return {**reply, "same": tag}
        listed = {"result": [asdict(each) for each in definitions], "withheld": [asdict(each) for each in withheld]}
        return {**reply, **listed, "tag": tag}

    def _state(self, key: str) -> dict[str, Any]:
        upstream = self._watched.get(key)
        return (
            {}
            if upstream is None
            else {"health": upstream.health, "problem": upstream.problem, "status": asdict(upstream.status)}
        )

    def _watch(self, key: str, upstream: Upstream) -> None:
        if self._watched.get(key) is not upstream:
            self._watched[key] = upstream
            upstream.on_change(partial(self._broadcast_change, key))
            if isinstance(upstream, ReportingUpstream):
                upstream.on_list_change(partial(self._broadcast_list_change, key))

    def _broadcast_change(self, key: str) -> None:
        for writer in self._clients:
            _write_unless_closed(writer, {"changed": key, **self._state(key)})

    def _broadcast_list_change(self, key: str, kind: ListKind) -> None:
        for writer in self._clients:
            _write_unless_closed(writer, {"list_changed": key, "kind": kind})


def _write_unless_closed(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    """Without drain: a client that does not read it learns of the change with the next list."""
    if not writer.is_closing() and writer.transport.get_write_buffer_size() < LONGEST_LINE:
        writer.write(_line(message))


def _client_behind(writer: asyncio.StreamWriter, message: dict[str, Any]) -> ProxiedClient:
    async def send(body: dict[str, Any]) -> None:
        await _send(writer, _line({"id": message["id"], **body}))

    return ProxiedClient(message["client"]["log_level"], send)


def _forget(number: int, *kept: dict[int, Any]) -> None:
    for each in kept:
        each.pop(number, None)


def _progress_sender(writer: asyncio.StreamWriter, number: int) -> Progress:
    async def send_progress(progress: float, total: float | None, message: str | None) -> None:
        await _send(writer, _line({"id": number, "progress": [progress, total, message]}))

    return send_progress


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


async def _send(writer: asyncio.StreamWriter, line: bytes) -> None:
    with suppress(OSError, RuntimeError):
        writer.write(line)
        await writer.drain()
