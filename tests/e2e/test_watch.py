"""Listening for real: the command that watches, and the Python client, across processes, restarts and cut lines."""

import asyncio
import json
import queue
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from longtable.client import ConnectionLost, Link, Orchestrator, TableEvent, Workspace
from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import Options, Process, Processes, Server, environment, longtable, place_of, until
from tests.stores import Store
from tests.table import open_table

LIMIT = 60.0
QUICK = Link(attempts=60, first_wait=0.05, longest_wait=0.2)


@dataclass
class Watcher(Process):
    """`longtable watch`, whose lines are read as they come."""

    written: "queue.Queue[str]" = field(default_factory=queue.Queue)

    def __post_init__(self) -> None:
        super().__post_init__()
        threading.Thread(target=self._collect, daemon=True).start()

    async def line(self) -> str:
        return await asyncio.to_thread(self.written.get, True, LIMIT)

    async def event(self) -> dict[str, Any]:  # type: ignore[override]  # here it is one that it wrote
        event: dict[str, Any] = json.loads(await self.line())
        return event

    async def is_there(self) -> None:
        await self.says("Watching")

    async def says(self, words: str) -> None:
        await until(lambda: any(words in line for line in self.lines), LIMIT)

    async def interrupted(self) -> int:
        self.signal(signal.SIGINT)
        return await self.ends()

    def _collect(self) -> None:
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            self.written.put(line.decode().rstrip("\n"))


Watch = Callable[..., Watcher]


@pytest.fixture
def watch(processes: Processes) -> Watch:
    def start(options: Options, *words: str) -> Watcher:
        watcher = Watcher(processes.start(["watch", *words], options))
        processes.started.append(watcher)
        return watcher

    return start


def again(processes: Processes, options: Options, stopped: Server) -> Server:
    """A server at the address of one that has ended."""
    return processes.serve({**options, "http_port": str(stopped.port)})


async def test_a_watcher_on_the_store_hears_what_a_server_commits(
    processes: Processes, watch: Watch, store: Store, tmp_path: Path
) -> None:
    options = place_of(store, tmp_path)
    server = await asyncio.to_thread(processes.serve, options)
    async with Orchestrator.open(server.address) as boss:
        await boss.create_session(session_id="sess_one")
        watcher = watch(options, "--json", "--kinds", "scratchpad/*", "--kinds", "message/added")
        await watcher.is_there()
        async with boss.workspace("sess_one", "ada") as ada:
            await ada.add_note("pinned")
            await ada.add_message("whispered", visibility="private")
            events = [await watcher.event(), await watcher.event()]

    # A person at the terminal sees all, also what agents say to themselves.
    assert [event.get("content_preview") for event in events] == ["pinned", "whispered"]
    assert (await watcher.interrupted(), watcher.tracebacks) == (0, [])


async def test_a_watcher_begins_at_a_number_and_ends_with_the_session(
    processes: Processes, watch: Watch, embedded: dict[str, str]
) -> None:
    server = await asyncio.to_thread(processes.serve, embedded)
    async with Orchestrator.open(server.address) as boss:
        await boss.create_session(session_id="sess_one")
        for words in (["--after", "0"], ["--after", "0", "--url", server.address]):
            watcher = watch({} if "--url" in words else embedded, "--session", "sess_one", *words)
            line = await watcher.line()
            assert line.split()[1:3] == ["sess_one", "longtable-client"]
            assert "session/created" in line
            if "--url" not in words:
                assert await watcher.interrupted() == 0
        await boss.close("sess_one")
        assert "session/closed" in await watcher.line()
        assert await watcher.ends() == 0

        ended = await asyncio.to_thread(processes.run, "watch", "--session", "sess_one", options=embedded)
        assert (ended.returncode, ended.stdout) == (0, "")


async def test_a_watcher_over_rest_comes_back_after_a_restart_and_says_so(
    processes: Processes, watch: Watch, embedded: dict[str, str]
) -> None:
    first = await asyncio.to_thread(processes.serve, embedded)
    watcher = watch({}, "--tenant-wide", "--json", "--url", first.address)
    await watcher.is_there()
    async with Orchestrator.open(first.address, link=QUICK) as boss:
        # The watcher has announced itself before it is connected: what it hears first shows where it began.
        begun = 0
        while watcher.written.empty():
            begun += 1
            await boss.create_session(session_id=f"sess_{begun}")
            await asyncio.sleep(0.05)
        start = (await watcher.event())["seq"]
        await asyncio.to_thread(first.stop)
        await watcher.says("Going on where it broke off")
        await asyncio.to_thread(again, processes, embedded, first)
        for n in range(5):
            await boss.create_session(session_id=f"after_{n}")
        heard = [await watcher.event() for _ in range(begun - start + 5)]

    assert [event["seq"] for event in heard] == list(range(start + 1, start + 1 + len(heard)))
    assert heard[-1]["session_id"] == "after_4"
    await watcher.says("nothing was missed")
    assert await watcher.interrupted() == 0


def test_what_agents_wrote_cannot_steer_the_terminal_of_a_watcher(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    hostile = "\x1b[2J\x1b]0;owned\x07 [red]\u202e"

    async def write() -> None:
        async with open_table(Store("sqlite", str(program.store)), tmp_path) as table:
            await table.agent("mallory", await table.session("evil")).adds_note(hostile)

    asyncio.run(write())
    with at_terminal(program, "watch", "--session", "evil", "--after", "0") as terminal:
        shown = terminal.shows("pinned note n1")
        shown = terminal.shows("[red]")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.ends() == 0
    plain = program.run("watch", "--session", "nowhere")

    assert "\x1b[2J" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert "mallory" in shown
    assert "\x1b[" in shown, "colours are for terminals"
    assert (plain.status, "SESSION_NOT_FOUND" in plain.err) == (1, True)


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (["--session", "one", "--tenant-wide"], 2, "INVALID_ARGUMENT"),
        (["--kinds", "nonsense"], 2, "INVALID_ARGUMENT"),
        (["--url", "127.0.0.1:1"], 2, "INVALID_ARGUMENT"),
        (["--url", "http://host:876S"], 2, "INVALID_ARGUMENT"),
        (["--url", "http://127.0.0.1:1", "--data-dir", "x"], 2, "INVALID_ARGUMENT"),
        (["--after", "-1"], 2, "INVALID_ARGUMENT"),
        ([], 2, "INVALID_ARGUMENT"),
        (["--session", "nowhere"], 1, "SESSION_NOT_FOUND"),
        (["--data-dir", "nowhere"], 1, "CONFIG_ERROR"),
    ],
)
def test_mistakes_are_named(
    program_with_two: Program, tmp_path: Path, words: list[str], status: int, code: str
) -> None:
    given = [str(tmp_path / word) if word in ("x", "nowhere") and "--data-dir" in words else word for word in words]

    assert program_with_two.refuses("watch", *given) == (status, code)


def test_an_unknown_session_is_refused_with_a_command_that_shows_the_others(program_with_two: Program) -> None:
    refused = program_with_two.run("watch", "--session", "nowhere")

    assert refused.err == (
        "longtable: SESSION_NOT_FOUND: There is no such session. 'longtable sessions list' shows them.\n"
    )


@pytest.fixture(scope="module")
def program_with_two(tmp_path_factory: pytest.TempPathFactory) -> Program:
    program = Program(tmp_path_factory.mktemp("watched") / "data")
    for session_id in ("one", "two"):
        program.does("sessions", "create", "--session-id", f"sess_{session_id}")
    return program


@dataclass
class HangingProxy:
    """Passes requests on; while it `swallows`, it waits for the answer and hangs up instead of handing it over."""

    target: int
    swallows: int = 0
    swallowed: int = 0
    port: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, away = await asyncio.open_connection("127.0.0.1", self.target)
        passing = asyncio.create_task(self._pass(reader, away))
        try:
            while answer := await there.read(65_536):
                if self.swallows:
                    self.swallows -= 1
                    self.swallowed += 1
                    break
                writer.write(answer)
                await writer.drain()
        finally:
            passing.cancel()
            await asyncio.gather(passing, return_exceptions=True)
            for one in (writer, away):
                one.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while request := await reader.read(65_536):
            writer.write(request)
            await writer.drain()


@asynccontextmanager
async def proxy_to(server: Server) -> AsyncIterator[HangingProxy]:
    proxy = HangingProxy(server.port)
    listener = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = listener.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listener.close()


async def test_a_connection_that_breaks_after_the_commit_does_nothing_twice(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = await asyncio.to_thread(processes.serve, embedded)
    async with proxy_to(server) as proxy, Workspace.open(f"http://127.0.0.1:{proxy.port}", link=QUICK) as ada:
        await ada.add_note("first")
        proxy.swallows = 3
        second = await ada.add_note("second")
        proxy.swallows = 2
        await ada.add_message("once")
        notes, messages = await ada.read_notes(), await ada.get_messages()

    assert (proxy.swallowed, second.note.id) == (5, "n2")
    assert ([note.content for note in notes.notes], messages.count) == (["first", "second"], 1)


@pytest.mark.parametrize("how", ["stopped", "killed"])
async def test_events_and_writes_go_on_over_a_restart_without_gap_or_duplicate(
    processes: Processes, store: Store, tmp_path: Path, how: str
) -> None:
    options = place_of(store, tmp_path)
    server = await asyncio.to_thread(processes.serve, options)
    heard: list[TableEvent] = []
    lost: list[ConnectionLost] = []
    async with Workspace.open(server.address, link=QUICK) as ada, Workspace.open(server.address, link=QUICK) as bob:
        await ada.add_note("0")

        async def listen() -> None:
            async with aclosing(bob.events(after=0, kinds=["scratchpad/*"], on_lost=lost.append)) as events:
                async for event in events:
                    heard.append(event)
                    if len(heard) == 60:
                        return

        async def write() -> None:
            for n in range(1, 60):
                await ada.add_note(str(n))

        work = asyncio.gather(listen(), write())
        await until(lambda: len(heard) >= 15, LIMIT)
        await asyncio.to_thread(server.stop if how == "stopped" else server.kill)
        await asyncio.to_thread(again, processes, options, server)
        await asyncio.wait_for(work, 40)
        notes = await ada.read_notes(limit=500)

    assert [note.content for note in notes.notes] == [str(n) for n in range(60)]
    assert [event.payload["note_id"] for event in heard] == [note.id for note in notes.notes]
    assert [event.seq for event in heard] == sorted({event.seq for event in heard})
    assert lost


def test_a_watcher_is_quiet_when_its_reader_leaves(tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    program.does("sessions", "create", "--session-id", "sess_one")
    program.does("sessions", "close", "sess_one")
    command = " ".join(longtable("watch", "--session", "sess_one", "--after", "0"))

    ended = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | true"],
        env=environment({"data_dir": str(program.data_dir)}),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )

    assert (ended.returncode, "Traceback" in ended.stderr, "Exception" in ended.stderr) == (0, False, False)
