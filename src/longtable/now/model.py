"""Who does what now: an agent at a session with its task, its last action and what it waits for; and what took how
long in the last hours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field

from longtable.kernel.clock import HOUR, to_iso
from longtable.kernel.result import Result, Value, omitted_if_none

HOURS: Final = 24
"""For so many hours events are counted; the last is the current one."""
SPANS_SINCE: Final = 6 * HOUR
MAX_SESSIONS: Final = 100
MAX_AGENTS: Final = 200
MAX_SPANS: Final = 500
MAX_COUNTED: Final = 10_000
"""At most so many events of an agent are counted in an hour."""

Place = tuple[str, str]
"""A session and an agent in it."""
WaitsFor = Literal["answers", "messages", "decision"]
SpanKind = Literal["task", "call", "wait"]


class LastAction(Value):
    kind: str
    text: str
    at: str


class CurrentTask(Value):
    task_id: str
    title: str


class AgentNow(Value):
    """`events_per_hour` has the current hour last."""

    agent: str
    session_id: str
    purpose: str
    task: CurrentTask | None = omitted_if_none()
    lease_until: str | None = omitted_if_none()
    last: LastAction
    waits_for: WaitsFor | None = omitted_if_none()
    waits_since: str | None = omitted_if_none()
    events_per_hour: list[int]


class SpanView(Value):
    """What an agent spent its time on: a task, a call of another server's tool, a wait for a person. One without `to`
    goes on; one that began more than six hours ago begins there."""

    agent: str
    session_id: str
    kind: SpanKind
    label: str
    from_: str = Field(alias="from")
    to: str | None = omitted_if_none()


class NowRead(Result):
    """The newest first."""

    agents: list[AgentNow]
    spans: list[SpanView]


class Wait(NamedTuple):
    what: WaitsFor
    since: int


class HeldTask(NamedTuple):
    session_id: str
    number: int
    title: str
    holder: str | None
    lease_until: int | None
    updated_at: int


@dataclass(frozen=True, slots=True)
class Span:
    agent: str
    session_id: str
    kind: SpanKind
    label: str
    begin: int
    end: int | None = None

    def as_json(self) -> dict[str, Any]:
        """A `SpanView` as it is sent."""
        shown = {
            "agent": self.agent,
            "session_id": self.session_id,
            "kind": self.kind,
            "label": self.label,
            "from": to_iso(self.begin),
        }
        return shown if self.end is None else {**shown, "to": to_iso(self.end)}


class TaskStatusChange(NamedTuple):
    """The status of a task changed."""

    session_id: str
    item: str
    actor: str
    old: str
    new: str
    at: int


def task_spans(changes: Iterable[TaskStatusChange], held: Sequence[HeldTask], since: int) -> list[Span]:
    """Made of the changes since then, in their order, and of the tasks that somebody works on now. The labels are ids
    of tasks."""
    begun: dict[tuple[str, str], tuple[str, int]] = {}
    ended: list[Span] = []
    for change in changes:
        task = (change.session_id, change.item)
        if change.old == "in_progress" or task in begun:
            agent, begin = begun.pop(task, (change.actor, since))
            ended.append(Span(agent, change.session_id, "task", change.item, begin, change.at))
        if change.new == "in_progress":
            begun[task] = (change.actor, change.at)
    going_on = [
        Span(task.holder, task.session_id, "task", f"t{task.number}", _began(begun, task, since))
        for task in held
        if task.holder is not None
    ]
    return [*going_on, *ended]


def _began(begun: Mapping[tuple[str, str], tuple[str, int]], task: HeldTask, since: int) -> int:
    return begun.get((task.session_id, f"t{task.number}"), ("", since))[1]


def longest(waits: Iterable[tuple[Place, Wait]]) -> dict[Place, Wait]:
    """For each agent the wait that began first."""
    found: dict[Place, Wait] = {}
    for place, wait in waits:
        if place not in found or wait.since < found[place].since:
            found[place] = wait
    return found
