"""Notifiers of both tenants, and what acme's people and the jobs of the server do with them."""

from collections.abc import Iterator
from typing import Any

from longtable.kernel.clock import HOUR
from tests.walls.probes import Probe
from tests.walls.scene import HERE, LATE, VICTIM, Room


def notice_probes() -> Iterator[Probe]:
    yield Probe("tests of a notifier", _tests)
    yield Probe("notices of what was settled", _settled)
    yield Probe("notices of silence", _silent)


async def _tests(room: Room) -> Any:
    """What rival has sent in a minute would leave acme nothing."""
    for _ in range(4):
        await _rival(room).owner().post("/notifiers/hook/test", json={})
    return [(await room.owner().post("/notifiers/hook/test", json={})).status_code for _ in range(2)]


async def _settled(room: Room) -> Any:
    """The question is answered for acme and open for rival; the session of the other is closed for acme alone."""
    asked = await room.agent("ada").calls("add_question", question="now?", blocking=True)
    await room.agent("ada", LATE).calls("add_question", question="late?", blocking=True)
    await _run(room, "collect_notices")
    body = {"answers": {asked["question"]["id"]: "yes"}}
    answered = await room.owner().post(f"/sessions/{HERE}/answers", json=body)
    assert answered.status_code == 200, answered.text
    await room.agent("lead", None).calls("close_session", session_id=LATE)
    await _run(room, "send_notices")
    return None


async def _silent(room: Room) -> Any:
    """Zoe works for both, and asks somebody for rival alone; Yan works for rival alone."""
    rival = _rival(room)
    for of_tenant, name in ((room, "zoe"), (rival, "zoe"), (rival, "yan")):
        added = await of_tenant.agent(name).calls("add_tasks", tasks=[{"description": f"for {name}"}])
        await of_tenant.agent(name).calls("claim_task", task_id=added["tasks"][0]["id"])
    await rival.agent("zoe").calls("add_question", question="rivalword?")
    room.table.clock.ahead = 2 * HOUR
    await _run(room, "collect_notices")
    return None


def _rival(room: Room) -> Room:
    return Room(room.table, VICTIM, room.others[VICTIM])


async def _run(room: Room, name: str) -> None:
    await next(job for job in room.table.app.slices.periodic_jobs if job.name == name).run()
