"""Puts together who does what over all open sessions of a tenant, from a few rows of each table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from longtable.gateway import decision_store
from longtable.gateway.call_list import newest_calls
from longtable.identity.model import OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.clock import HOUR, SECOND, to_iso
from longtable.kernel.ids import number_of, numbered
from longtable.log.ledger import Ledger
from longtable.log.model import viewer
from longtable.log.reader import LoggedEvent, head
from longtable.log.sentences import Titles, action, one_line
from longtable.log.waits import Waits
from longtable.now import store
from longtable.now.arguments import GetNow
from longtable.now.model import (
    HOURS,
    MAX_AGENTS,
    MAX_SESSIONS,
    MAX_SPANS,
    SPANS_SINCE,
    HeldTask,
    NowRead,
    Place,
    Span,
    TaskStatusChange,
    Wait,
    longest,
    task_spans,
)
from longtable.plan.model import PREFIX as TASK
from longtable.plan.model import task_id
from longtable.questions.model import PREFIX as QUESTION
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, Scope, tool

FRESH_FOR: Final = 5 * SECOND
"""How long facts are cached while nothing is logged: leases and hours run out by the clock."""
_MAX_READ: Final = 1_000
_MAX_TENANTS: Final = 100

ViewerKey = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _NowFacts:
    """What the store says, as of an event and a moment."""

    head: int
    made_at: int
    agents: Sequence[dict[str, Any]]
    spans: Sequence[dict[str, Any]]


class _HourCounts:
    """Events of each agent by hour. Hours that are over do not change, so only the newest is counted again."""

    def __init__(self) -> None:
        self._counts: dict[Place, dict[int, int]] = {}
        self._counted_to = 0

    async def update(self, tx: Transaction, places: Sequence[Place], hour: int) -> dict[Place, list[int]]:
        hours = range(hour - HOURS + 1, hour + 1)
        known = [place for place in places if place in self._counts]
        await self._count(tx, known, range(max(hours[0], self._counted_to), hour + 1))
        await self._count(tx, [place for place in places if place not in self._counts], hours)
        self._counts = {place: self._counts[place] for place in places}
        self._counted_to = hour
        return {place: [self._counts[place].get(each, 0) for each in hours] for place in places}

    async def _count(self, tx: Transaction, places: Sequence[Place], hours: Iterable[int]) -> None:
        if places:
            for session_id, agent, hour, count in await store.count_by_hour(tx, places, hours):
                self._counts.setdefault((session_id, agent), {})[hour] = count


class Now:
    """What the store says is kept until something is logged, as many people may look at once."""

    def __init__(self, ledger: Ledger, waits: Waits) -> None:
        self._ledger = ledger
        self._waits = waits
        self._facts: dict[ViewerKey, _NowFacts] = {}
        self._hours: dict[str, _HourCounts] = {}

    @tool(
        "get_now",
        title="See who does what",
        description="Show every agent of the open sessions with its task, its last action and what it waits for.",
        group="workspace",
        roles=OVERSEERS - {Role.ORCHESTRATOR},
        audited_as="now_read",
        scope=Scope.TENANT,
        over_mcp=False,
        routes=(Route("GET", "/now"),),
    )
    async def read(self, call: Call, arguments: GetNow) -> NowRead:
        caller, now = call.caller, self._ledger.clock()
        key = (caller.tenant, *viewer(caller).values())
        newest = await self._ledger.read(caller, head)
        facts = self._facts.get(key)
        if facts is None or facts.head != newest or not 0 <= now - facts.made_at < FRESH_FOR:
            facts = await self._ledger.read(caller, lambda tx: self._read(tx, caller, newest, now))
            if len(self._facts) >= _MAX_TENANTS:
                self._facts.clear()
            self._facts[key] = facts
        return NowRead.of_json(agents=self._with_waits(caller.tenant, facts.agents), spans=list(facts.spans))

    def _with_waits(self, tenant: str, agents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Adds waits for messages, which only the processes know. A wait for people is shown rather than one of
        these."""
        waiting = self._waits.current(tenant)
        return [_with_wait(agent, waiting.get((agent["session_id"], agent["agent"]))) for agent in agents]

    async def _read(self, tx: Transaction, caller: Caller, newest: int, now: int) -> _NowFacts:
        since = now - SPANS_SINCE
        purposes = await store.busiest(tx, caller, now, MAX_SESSIONS)
        events = await store.last_events(tx, caller, purposes, MAX_AGENTS)
        held = await store.held_tasks(tx, purposes, now, _MAX_READ)
        open_waits, wait_spans = await _waits(tx, since, now)
        changes = await store.task_status_changes(tx, since, _MAX_READ)
        worked = [span for span in task_spans(changes, held, since) if span.session_id in purposes]
        spans = _newest([*worked, *wait_spans, *await _calls(tx, since)], purposes)
        titles = await _titles(tx, events, spans)
        hours = self._hours.setdefault(caller.tenant, _HourCounts())
        counts = await hours.update(tx, [_place(event) for event in events], now // HOUR)
        tasks = _current(held, changes)
        agents = [_agent(event, purposes, titles, tasks, open_waits, counts[_place(event)]) for event in events]
        return _NowFacts(newest, now, agents, [_labelled(span, titles).as_json() for span in spans])


async def _waits(tx: Transaction, since: int, now: int) -> tuple[dict[Place, Wait], list[Span]]:
    """Which agents wait for people, and the waits of the last hours as spans: also those for answers that agents go on
    without."""
    questions = await store.open_questions(tx, now, _MAX_READ)
    calls = await decision_store.newest_waits(tx, now, MAX_SPANS)
    question_waits = [(place, Wait("answers", at)) for place, at, _, blocking in questions if blocking]
    open_calls = [((each.session_id, each.agent), Wait("decision", each.since)) for each in calls if not each.until]
    spans = [
        *(Span(agent, session_id, "wait", text, max(at, since)) for (session_id, agent), at, text, _ in questions),
        *(Span(each.agent, each.session_id, "wait", each.tool, max(each.since, since), each.until) for each in calls),
        *await store.answered_questions(tx, since, MAX_SPANS),
    ]
    return longest([*question_waits, *open_calls]), [span for span in spans if span.end is None or span.end > since]


async def _calls(tx: Transaction, since: int) -> list[Span]:
    calls = await newest_calls(tx, MAX_SPANS)
    return [
        Span(each.agent, each.session_id, "call", each.tool, max(each.began_at, since), each.ended_at)
        for each in calls
        if each.ended_at > since
    ]


def _newest(spans: Sequence[Span], sessions: Mapping[str, str]) -> list[Span]:
    shown = [span for span in spans if span.session_id in sessions]
    return sorted(shown, key=lambda span: span.begin, reverse=True)[:MAX_SPANS]


async def _titles(tx: Transaction, events: Sequence[LoggedEvent], spans: Sequence[Span]) -> dict[str, Titles]:
    """By session, the titles of the tasks and questions that events and spans name."""
    flat = [event.flat() for event in events]
    tasks = {(event["session_id"], event.get("item_id")) for event in flat}
    tasks |= {(span.session_id, span.label) for span in spans if span.kind == "task"}
    questions = {(event["session_id"], event.get("question_id")) for event in flat}
    named_tasks = _by_session(TASK, await store.task_titles(tx, _numbers(TASK, tasks)))
    named_questions = _by_session(QUESTION, await store.question_titles(tx, _numbers(QUESTION, questions)))
    return {
        session_id: Titles(named_tasks.get(session_id, {}), named_questions.get(session_id, {}))
        for session_id in {*named_tasks, *named_questions}
    }


def _by_session(prefix: str, titles: Mapping[tuple[str, int], str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for (session_id, number), title in titles.items():
        found.setdefault(session_id, {})[numbered(prefix, number)] = title
    return found


def _numbers(prefix: str, named: Iterable[tuple[str, str | None]]) -> list[tuple[str, int]]:
    numbers = ((place, number_of(prefix, id)) for place, id in named if id is not None)
    return [(place, number) for place, number in numbers if number is not None]


def _place(event: LoggedEvent) -> Place:
    return (event.session_id or "", event.actor)


def _current(held: Sequence[HeldTask], changes: Sequence[TaskStatusChange]) -> dict[Place, HeldTask]:
    """For each agent the task that it changed last. A task that nobody holds is that of the agent that began it."""
    begun_by = {(change.session_id, change.item): change.actor for change in changes if change.new == "in_progress"}
    found: dict[Place, HeldTask] = {}
    for task in held:
        agent = task.holder or begun_by.get((task.session_id, task_id(task.number)), "")
        found.setdefault((task.session_id, agent), task)
    return found


def _agent(
    event: LoggedEvent,
    purposes: Mapping[str, str],
    titles: Mapping[str, Titles],
    tasks: Mapping[Place, HeldTask],
    waits: Mapping[Place, Wait],
    counts: list[int],
) -> dict[str, Any]:
    """An `AgentNow` as it is sent."""
    session_id, agent = place = _place(event)
    task, wait = tasks.get(place), waits.get(place)
    text = action(event.flat(), titles.get(session_id, Titles()))
    shown: dict[str, Any] = {
        "agent": agent,
        "session_id": session_id,
        "purpose": purposes[session_id],
        "last": {"kind": event.kind, "text": text, "at": to_iso(event.created_at)},
        "events_per_hour": counts,
    }
    if task is not None:
        shown["task"] = {"task_id": task_id(task.number), "title": one_line(task.title)}
        if task.lease_until is not None:
            shown["lease_until"] = to_iso(task.lease_until)
    if wait is not None:
        shown |= {"waits_for": wait.what, "waits_since": to_iso(wait.since)}
    return _ordered(shown)


_ORDER = (
    "agent",
    "session_id",
    "purpose",
    "task",
    "lease_until",
    "last",
    "waits_for",
    "waits_since",
    "events_per_hour",
)


def _with_wait(agent: dict[str, Any], since: int | None) -> dict[str, Any]:
    if since is None or "waits_for" in agent:
        return agent
    return _ordered({**agent, "waits_for": "messages", "waits_since": to_iso(since)})


def _ordered(agent: dict[str, Any]) -> dict[str, Any]:
    return {name: agent[name] for name in _ORDER if name in agent}


def _labelled(span: Span, titles: Mapping[str, Titles]) -> Span:
    label = span.label
    if span.kind == "task":
        label = titles.get(span.session_id, Titles()).tasks.get(label, label)
    return Span(span.agent, span.session_id, span.kind, one_line(label), span.begin, span.end)
