"""What acme's people try: every tool, route and resource, connections and streams; and what a server does by itself."""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from longtable.app import App
from longtable.kernel.clock import DAY, HOUR
from longtable.log.anchors import SQLITE_ANCHOR
from longtable.log.usage import _estimate
from longtable.server.addresses import PARTS
from longtable.storage.database import SYSTEM
from longtable.toolkit.tool import Route, Tool
from tests.listening import HandshakeClient, connected
from tests.sse import listens
from tests.walls.scene import GONE, HERE, LATE, OVER, PAD, VICTIM, Room
from tests.walls.tool_call import ToolCall
from tests.walls.tool_calls import TOOL_CALLS


@dataclass(frozen=True)
class Probe:
    """`run` answers all that it was told."""

    name: str
    run: Callable[[Room], Awaitable[Any]]


def probes_of(tool: Tool[Any]) -> Iterator[Probe]:
    """Each call over MCP, or by its route where it has no other way in; and the first of them by each of its routes."""
    calls = TOOL_CALLS[tool.name]
    for number, call in enumerate([*calls, *(replace(call, session=LATE) for call in calls if call.session == HERE)]):
        if tool.over_mcp:
            yield Probe(f"{tool.name} {number}", _over_mcp(tool, call))
        else:
            yield Probe(f"{tool.name} {number}", _over_rest(tool, tool.routes[0], call))
    for route in tool.routes[0 if tool.over_mcp else 1 :]:
        yield Probe(f"{route.method} {route.path}", _over_rest(tool, route, TOOL_CALLS[tool.name][0]))


def _over_mcp(tool: Tool[Any], call: ToolCall) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        agent = room.agent(call.agent, call.session)
        params = {"name": tool.name, "arguments": call.filled(room)}
        return (await agent.posts("tools/call", params)).json().get("result", {}).get("structuredContent")

    return run


def _over_rest(tool: Tool[Any], route: Route, call: ToolCall) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        given = {**call.filled(room), **({"session_id": call.session} if call.session else {})}
        path = route.path
        # What the path names must be there; of the others the first call says what it likes.
        for name in list(given):
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", str(given.pop(name)))
        if call.session and "{session_id}" not in route.path and "session_id" not in call.arguments:
            given.pop("session_id")
        client = room.agent(call.agent, None).client if "orchestrator" in tool.roles else room.owner()
        if route.method in ("GET", "DELETE"):
            return answer_of(await client.request(route.method, path, params=given))
        return answer_of(await client.request(route.method, path, json=given))

    return run


def answer_of(response: httpx2.Response) -> Any:
    is_json = "json" in response.headers.get("content-type", "") and "x-ndjson" not in response.headers["content-type"]
    return [response.status_code, response.json() if is_json else response.text]


def other_probes() -> Iterator[Probe]:
    yield from (Probe(f"GET {path}", fetched(path)) for path in _PATHS)
    yield from (Probe(f"resource {uri}", _resource(uri)) for uri in _URIS)
    yield Probe("resources/list", _resource_list)
    yield Probe("a connection goes on", _goes_on)
    yield Probe("a connection changes", _changes)
    yield Probe("a connection is opened", _opens)
    yield Probe("answers are fetched", _fetches)
    yield Probe("a stream of events", _listens)
    yield Probe("a shelf that is full", _fills_up)
    yield Probe("how much is stored", _counts)
    yield Probe("a lease has run out", _run_out)
    yield Probe("a name in another spelling", _spelled)
    yield Probe("an answer that is held", _held)
    yield Probe("an anchor moves on", _anchored)
    yield Probe("jobs after two hours", _hours)
    yield Probe("jobs after a week", _week)
    yield Probe("jobs after two months", _months)


_PATHS = (
    f"/sessions/{HERE}/export?format=json",
    f"/sessions/{HERE}/export?format=md",
    f"/sessions/{OVER}/export?format=json",
    "/sessions/sess_rival/export?format=json",
    "/audit/export",
    "/me",
)
_URIS = (
    *(f"longtable://session/{HERE}/{part}" for part in PARTS),
    f"longtable://session/{HERE}/draft/intro",
    "longtable://session/sess_rival/notes",
    f"longtable://scratchpad/{PAD}",
    "longtable://scratchpad/rivalpad",
)


def fetched(path: str) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        return answer_of(await room.owner().get(path))

    return run


def _resource(uri: str) -> Callable[[Room], Awaitable[Any]]:
    async def run(room: Room) -> Any:
        agent = room.agent("ada", None)
        return (await agent.posts("resources/read", {"uri": uri}, **{"Mcp-Name": uri})).json()

    return run


async def _resource_list(room: Room) -> Any:
    return (await room.agent("ada").posts("resources/list", {})).json()


async def _goes_on(room: Room) -> Any:
    connection = HandshakeClient(room.table.http, room.facts["connection"])
    return await connection.asks("tools/call", {"name": "read_notes", "arguments": {}})


async def _changes(room: Room) -> Any:
    connection = HandshakeClient(room.table.http, room.facts["connection"])
    joined = await connection.asks("tools/call", {"name": "join_session", "arguments": {"session_id": LATE}})
    watched = await connection.asks("resources/subscribe", {"uri": f"longtable://session/{LATE}/plan"})
    ended = await connection.posts(None, "DELETE")
    return [joined, watched, ended]


async def _opens(room: Room) -> Any:
    headers = {"Authorization": f"Bearer {room.tenant}-secret", "X-Caller-Agent": "ada"}
    connection = await connected(room.table.http, **headers)
    listed = await connection.asks("tools/call", {"name": "list_sessions", "arguments": {}})
    known = HandshakeClient(room.table.http, room.facts["connection"])
    await known.asks("tools/call", {"name": "read_notes", "arguments": {}})
    await room.table.app.connections.save_usage()
    return listed["result"]


async def _fetches(room: Room) -> Any:
    ada = room.agent("ada", LATE)
    return [
        await ada.tries("wait_for_answers", question_ids=["q2"], timeout_seconds=0),
        await ada.tries("list_sections"),
    ]


async def _listens(room: Room) -> Any:
    heard = []
    for path in ("/events", f"/sessions/{HERE}/events"):
        async with listens(room.table.http, path, authorization=f"Bearer {room.tenant}-secret") as stream:
            await stream.begins()
            await room.agent().tries("add_note", content="heard")
            heard.append(await stream.takes(1))
    return heard


async def _fills_up(room: Room) -> Any:
    ada = room.agent("ada", None)
    return [await ada.tries("scratch_create", scratch_id=f"more-{number}") for number in range(5)]


async def _counts(room: Room) -> Any:
    await room.agent().tries("add_note", content="counted")
    usage = room.table.app.limit_sharing.usage
    await usage.check()
    await usage._count(room.tenant)
    return await room.table.app.database.read(SYSTEM, lambda tx: _estimate(tx, room.tenant))


async def _run_out(room: Room) -> Any:
    room.table.clock.ahead = 2 * HOUR
    ada, bob = room.agent("ada"), room.agent("bob")
    return [
        await bob.tries("claim_task"),
        await ada.tries("renew_task", task_id="t1", lease=room.facts["lease"]),
        await ada.tries("read_plan"),
        await bob.tries("reserve", paths=["short"]),
        await ada.tries("get_pending_questions"),
        await room.agent("ada", None).tries("get_memory", key="brief"),
    ]


async def _spelled(room: Room) -> Any:
    return [await room.agent(name).tries("add_note", content="x") for name in ("EVE", "ADA")]


async def _held(room: Room) -> Any:
    wish = {"answers": {"q1": "red"}, "hold_seconds": 300}
    return (await room.owner().post(f"/sessions/{HERE}/answers", json=wish)).status_code


async def _anchored(room: Room) -> Any:
    """Whether the anchor of the audit log follows a write. How many records were there before may differ each time."""
    app: App = room.table.app
    advance = next(job for job in app.slices.periodic_jobs if job.name == "audit_anchor")
    path = app.settings.data_dir / SQLITE_ANCHOR
    seen = []
    for number in range(2):
        await room.agent().tries("add_note", content=f"anchored {number}")
        await advance.run()
        seen.append(json.loads(path.read_text())["tenants"][room.tenant]["seq"])
    return seen[0] < seen[1]


async def _hours(room: Room) -> Any:
    rival = Room(room.table, VICTIM, room.others[VICTIM])
    await rival.agent("lead", None).calls("close_session", session_id=LATE)
    room.table.clock.ahead = 2 * HOUR
    return await _jobs(room)


async def _week(room: Room) -> Any:
    """What a server does by itself, when the time of acme's things is over and that of rival's is not."""
    rival = await _lasting(room)
    room.table.clock.ahead = 6 * DAY
    await rival.agent("ada", None).calls("scratch_delete", scratch_id=GONE)
    await rival.agent("ada", None).calls("set_memory", key="brief", value="rivalword", expires_in="30d")
    room.table.clock.ahead = 8 * DAY
    return await _jobs(room)


async def _months(room: Room) -> Any:
    for days in (20, 40, 60):
        rival = await _lasting(room)
        room.table.clock.ahead = days * DAY
        await rival.agent().calls("add_note", content="rivalword late", idempotency_key=f"late-{days}")
        await _jobs(room)
    return None


async def _lasting(room: Room) -> Room:
    """Rival's people, who have more time than acme's."""
    rival = Room(room.table, VICTIM, room.others[VICTIM])
    for session in (HERE, LATE):
        extended = await rival.owner().post(f"/sessions/{session}/extend", json={"ttl": "30d"})
        assert extended.status_code == 200, extended.text
    return rival


async def _jobs(room: Room) -> Any:
    app: App = room.table.app
    for job in [*app.jobs.periodic_jobs(), *app.slices.periodic_jobs]:
        await job.run()
    await app.connections.save_usage()
    return None
