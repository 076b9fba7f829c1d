"""A server, or the database behind it, that is killed while many use every tool that writes. Each call has a key. After
the restart an acknowledged call, sent again with its key, gives its first result and changes nothing; one that was cut
off is done exactly once."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from tests.e2e.own_postgres import OwnPostgres
from tests.e2e.servers import Options, Processes, Server, until
from tests.e2e.wire import Wire, wire_to
from tests.table import Refused

WRITERS: Final = 16
RECOVERY_SECONDS: Final = 10.0
_ROOM: Final = {
    f"max_{name}": "100000000" for name in ("notes", "sections", "tasks", "questions", "messages", "sessions", "memory")
}
"""No limit is met, however long it goes on."""
_STORE_LOST: Final = ("STORE_UNAVAILABLE", "OUTCOME_UNKNOWN")
SESSION: Final = "all_writes"
_Arguments = dict[str, Any]


@dataclass(frozen=True, eq=False)
class KeyedCall:
    tool: str
    arguments: _Arguments
    agent: str


@dataclass
class History:
    """What was acknowledged, and what was under way when a server was killed."""

    results: dict[KeyedCall, _Arguments] = field(default_factory=dict)
    under_way: list[KeyedCall] = field(default_factory=list)


class Script:
    """One writer's calls, round after round: what it adds, changes, moves and takes away again."""

    def __init__(self, agent: str, history: History) -> None:
        self.agent = agent
        self._history = history
        self._chance = random.Random(agent)
        self._numbers = count()

    async def play(self, wire: Wire, round_name: str) -> None:
        pad = f"{self.agent}-{round_name}-{next(self._numbers)}"
        parts = [_workspace, _notebook, _talk]
        self._chance.shuffle(parts)
        for part in parts:
            await part(lambda tool, **arguments: self._call(wire, tool, arguments), pad)

    async def _call(self, wire: Wire, tool: str, arguments: _Arguments) -> _Arguments:
        key = f"{self.agent}-{next(self._numbers)}"
        call = KeyedCall(tool, {**arguments, "idempotency_key": key}, self.agent)
        self._history.under_way.append(call)
        result = _lasting(await wire.calls(tool, **call.arguments))
        self._history.under_way.remove(call)
        self._history.results[call] = result
        return result


_Call = Callable[..., Any]


async def _workspace(call: _Call, name: str) -> None:
    await call("add_note", content=name, tags=["kept"])
    await call("write_draft_section", section_id=name, content="one")
    await call("write_draft_section", section_id=name, content="two", expected_version=1)
    await call("revert_draft_section", section_id=name, to_version=1)
    added = await call("add_tasks", tasks=[{"description": name}])
    task_id = added["tasks"][0]["id"]
    lease = (await call("claim_task", task_id=task_id))["lease"]
    await call("renew_task", task_id=task_id, lease=lease)
    await call("update_task", task_id=task_id, status="completed", lease=lease)
    await call("reserve", paths=[f"{name}/*"], reason=name)
    await call("release", paths=[f"{name}/*"])
    question_added = await call("add_question", question=name)
    await call("withdraw_question", question_id=question_added["question"]["id"])
    await call("report_usage", model="m", input_tokens=1, output_tokens=2)


async def _notebook(call: _Call, name: str) -> None:
    await call("scratch_namespace_create", namespace=name)
    await call("scratch_create", scratch_id=name, metadata={"namespace": name})
    first = await call("scratch_append_cell", scratch_id=name, cell={"language": "txt", "content": "a"})
    await call("scratch_append_cell", scratch_id=name, cell={"language": "txt", "content": "b"})
    cell_id = first["scratchpad"]["cells"][0]["cell_id"]
    cell = {"language": "txt", "content": "c"}
    await call("scratch_replace_cell", scratch_id=name, cell_id=cell_id, cell=cell)
    await call("scratch_move_cell", scratch_id=name, cell_id=cell_id, new_index=1)
    await call("scratch_update", scratch_id=name, metadata={"title": name})
    schema = {"name": "shape", "description": "d", "schema": {"type": "object"}}
    await call("scratch_upsert_schema", scratch_id=name, schema=schema)
    await call("scratch_delete_cell", scratch_id=name, cell_id=cell_id)
    await call("scratch_delete", scratch_id=name)
    await call("scratch_namespace_delete", namespace=name)


async def _talk(call: _Call, name: str) -> None:
    await call("add_message", content=name)
    await call("set_memory", key=name, value=1)
    await call("delete_memory", key=name)
    await call("create_session", session_id=name.replace("-", "_"), purpose=name)


async def check_kills(processes: Processes, options: Options, kills: int) -> History:
    chance = random.Random(7)
    history = History()
    options = {**_ROOM, **options}
    server = processes.serve(options)
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id=SESSION)
    scripts = [Script(f"writer-{number}", history) for number in range(WRITERS)]
    for number in range(kills):
        writing = await _writing(server, scripts, history, f"r{number}", after=chance.randint(200, 900))
        server.kill_all()
        await asyncio.gather(*writing)
        await server.ends()
        server = await asyncio.to_thread(processes.serve, options)
        await _check_repeats(server, history, chance)
        await _verify(processes, options)
    return history


async def check_kills_of_the_database(
    processes: Processes, database: OwnPostgres, options: Options, kills: int
) -> History:
    """Of the database and of the server, in turn. A server outlives its database, and goes on when that is back."""
    chance = random.Random(8)
    history = History()
    options = {**_ROOM, **options}
    server = processes.serve(options)
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id=SESSION)
    scripts = [Script(f"writer-{number}", history) for number in range(WRITERS)]
    for number in range(kills):
        writing = await _writing(server, scripts, history, f"d{number}", after=chance.randint(200, 900))
        if number % 2:
            server.kill_all()
            await asyncio.gather(*writing)
            await server.ends()
            server = await asyncio.to_thread(processes.serve, options)
        else:
            await asyncio.to_thread(database.kill)
            await asyncio.gather(*writing)
            await asyncio.to_thread(database.start)
            await _is_ready(server)
        await _check_repeats(server, history, chance)
        await _verify(processes, options)
    return history


async def _is_ready(server: Server) -> None:
    async with asyncio.timeout(RECOVERY_SECONDS), wire_to(server.address) as wire:
        while (await wire.sends("GET", "/ready")).status != 200:  # noqa: ASYNC110 - another process decides it
            await asyncio.sleep(0.05)


async def _verify(processes: Processes, options: Options) -> None:
    verified = await asyncio.to_thread(processes.run, "audit", "verify", options=options)
    assert verified.returncode == 0, verified.stdout + verified.stderr


async def _writing(
    server: Server, scripts: list[Script], history: History, name: str, after: int
) -> list["asyncio.Task[None]"]:
    """Returns when so many more calls were acknowledged, and others are under way."""
    enough = len(history.results) + after
    writing = [asyncio.create_task(_play(server.address, script, name)) for script in scripts]
    await until(lambda: len(history.results) >= enough or any(each.done() for each in writing))
    return writing


async def _play(address: str, script: Script, name: str) -> None:
    """Until the connection breaks, or the server says that its store is gone."""
    try:
        async with wire_to(address, *_headers(script.agent)) as wire:
            while True:
                await script.play(wire, name)
    except (ConnectionError, asyncio.IncompleteReadError):
        return
    except Refused as error:
        if error.code not in _STORE_LOST:
            raise


async def _check_repeats(server: Server, history: History, chance: random.Random) -> None:
    """Acknowledged calls give their first result. Those that were cut off are done now, if they had not been; sent once
    more, they are answered the same."""
    acknowledged = chance.sample(list(history.results), min(40, len(history.results)))
    for call in acknowledged:
        assert await _again(server, call) == history.results[call], call
    cut_off, history.under_way = history.under_way, []
    for call in cut_off:
        first = await _outcome(server, call)
        assert await _outcome(server, call) == first, call


async def _outcome(server: Server, call: KeyedCall) -> Any:
    try:
        return await _again(server, call)
    except Refused as error:
        return error.code


async def _again(server: Server, call: KeyedCall) -> _Arguments:
    async with wire_to(server.address, *_headers(call.agent)) as wire:
        return _lasting(await wire.calls(call.tool, **call.arguments))


def _lasting(result: _Arguments) -> _Arguments:
    """Without what waits for the caller at that moment."""
    return {name: value for name, value in result.items() if name != "inbox"}


def _headers(agent: str) -> tuple[tuple[str, str], ...]:
    return (("X-Session-ID", SESSION), ("X-Caller-Agent", agent))
