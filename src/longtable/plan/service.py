"""Decides about the plan: what may be added, begun, changed and claimed, and by whom."""

import difflib
from dataclasses import dataclass, field, replace

from longtable.identity.agent_names import keep_spelling, known_spelling
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters, check_count, check_json
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound, VersionConflict
from longtable.log.ledger import Ledger, Work
from longtable.plan import dependencies, events, leases, store
from longtable.plan.leases import Change
from longtable.plan.model import (
    MAX_BATCH,
    MAX_DESCRIPTION,
    MAX_METADATA_BYTES,
    MAX_NOTE,
    MAX_NOTES,
    SATISFIED,
    ChangedTask,
    NewTask,
    PlanRead,
    PlanSummary,
    Status,
    Task,
    TaskClaimed,
    TaskNote,
    TaskRenewed,
    TasksAdded,
    TaskStamp,
    TaskUpdated,
    TaskView,
    task_id,
)
from longtable.plan.rendering import as_markdown
from longtable.plan.store import PlanFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction

_MAX_DIFF_LINES = 200


@dataclass(frozen=True, slots=True)
class TaskUpdate:
    """An update and the terms on which it is to happen."""

    number: int
    change: Change = field(default_factory=Change)
    note: str | None = None
    expected_version: int | None = None
    lease: str | None = None
    force: bool = False

    @property
    def is_empty(self) -> bool:
        return self.change == Change() and self.note is None


@dataclass(frozen=True, slots=True)
class PlanQuery:
    status: Status | None = None
    assigned_to: str | None = None
    ready: bool | None = None

    @property
    def is_whole_plan(self) -> bool:
        return self == PlanQuery()


class Plan:
    def __init__(self, ledger: Ledger, sessions: Sessions, max_tasks: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._max_tasks = max_tasks

    async def add(self, call: Call, batch: list[NewTask]) -> TasksAdded:
        _check_batch(batch)

        async def body(work: Work) -> TasksAdded:
            await self._sessions.open_for_writing(work)
            tasks = await self._append(work, batch)
            ids = [task_id(task.number) for task in tasks]
            work.touched(f"task:{ids[0]}", task_ids=ids)
            work.happened(events.added(tasks))
            stamps = [TaskStamp(id=task_id(task.number), description=task.description) for task in tasks]
            return TasksAdded(tasks=stamps)

        return await self._ledger.write(call, TasksAdded, body)

    async def update(self, call: Call, update: TaskUpdate) -> TaskUpdated:
        _check_update(update)

        async def body(work: Work) -> TaskUpdated:
            await self._sessions.open_for_writing(work)
            before = await _found(work.tx, work.caller.session, update.number)
            old_status = before.status_at(work.now)
            work.touched(f"task:{task_id(update.number)}")
            overruled = _overruled(work, before, update)
            _check_terms(before, update)
            after = leases.changed(before, await _spelled(work.tx, update.change), work.now)
            notes = [*([] if update.note is None else [update.note]), *overruled]
            if _begins_too_early(after, old_status):
                if not update.force:
                    raise leases.unmet(after)
                work.touched(f"task:{task_id(update.number)}", forced=True)
                notes.append(_forced(after))
            after = await _save_update(work, before, after, notes)
            view = await _view(work, after)
            return TaskUpdated(task=ChangedTask(**dict(view), old_status=old_status))

        return await self._ledger.write(call, TaskUpdated, body)

    async def claim(self, call: Call, number: int | None, seconds: int) -> TaskClaimed:
        async def body(work: Work) -> TaskClaimed:
            await self._sessions.open_for_writing(work)
            task = await _claimable(work, number)
            if task is None:
                return TaskClaimed(task=None)
            after = leases.claimed(task, work.caller.agent, work.now, seconds)
            work.touched(f"task:{task_id(task.number)}")
            await _save(work, task, after)
            assert after.lease is not None
            return TaskClaimed(
                task=await _view(work, after), lease=after.lease.token, lease_expires_at=to_iso(after.lease.expires_at)
            )

        return await self._ledger.write(call, TaskClaimed, body)

    async def renew(self, call: Call, number: int, lease: str, seconds: int) -> TaskRenewed:
        async def body(work: Work) -> TaskRenewed:
            await self._sessions.open_for_writing(work)
            task = await _found(work.tx, work.caller.session, number)
            after = leases.renewed(task, lease, work.now, seconds)
            work.touched(f"task:{task_id(number)}")
            await _save(work, task, after)
            assert after.lease is not None
            return TaskRenewed(task_id=task_id(number), lease=lease, lease_expires_at=to_iso(after.lease.expires_at))

        return await self._ledger.write(call, TaskRenewed, body)

    async def read(self, call: Call, wanted: PlanQuery) -> PlanRead:
        assigned_to = await known_spelling(self._ledger.database, call.caller.tenant, wanted.assigned_to)
        wanted = replace(wanted, assigned_to=assigned_to)

        async def body(tx: Transaction) -> PlanRead:
            return await self._read(tx, call.caller, wanted)

        return await self._ledger.read(call.caller, body)

    async def render(self, tx: Transaction, caller: Caller) -> str:
        """The whole plan of the caller's session as Markdown."""
        return as_markdown(await self._read(tx, caller, PlanQuery()))

    async def _read(self, tx: Transaction, caller: Caller, wanted: PlanQuery) -> PlanRead:
        now, session_id = self._ledger.clock(), caller.session
        chosen = PlanFilter(now, wanted.status, wanted.assigned_to, wanted.ready)
        tasks = await store.page(tx, session_id, chosen)
        notes = await store.notes_of(tx, session_id, tasks)
        views = [task.view(now, notes[task.number]) for task in tasks]
        if wanted.is_whole_plan:
            counts = _counted(views)
        else:
            counts = await store.counts(tx, session_id, now)
        summary = PlanSummary.of(counts)
        return PlanRead(tasks=views, summary=summary, progress=summary.progress)

    async def _append(self, work: Work, batch: list[NewTask]) -> list[Task]:
        session_id = work.caller.session
        last = await store.take_numbers(work.tx, session_id, len(batch))
        first = last - len(batch) + 1
        needed = dependencies.resolved(batch, first)
        if last > self._max_tasks:
            raise CapacityLimitReached(
                f"tasks: with these the session would have {last} tasks; the limit is {self._max_tasks}.",
                limit=self._max_tasks,
            )
        given = {new.assigned_to for new in batch if new.assigned_to is not None}
        names = {name: await keep_spelling(work.tx, name) for name in sorted(given)}
        tasks = [
            Task(
                number=first + position,
                description=new.description,
                status="pending",
                assigned_to=names.get(new.assigned_to or ""),
                priority=new.priority,
                depends_on=needed[position],
                metadata=new.metadata,
            )
            for position, new in enumerate(batch)
        ]
        await store.insert(work.tx, session_id, tasks, work.caller.agent, work.now)
        return tasks


async def _spelled(tx: Transaction, change: Change) -> Change:
    """With the name under which the assignee is known, or will be."""
    return replace(change, assigned_to=await keep_spelling(tx, change.assigned_to)) if change.assigned_to else change


async def _claimable(work: Work, number: int | None) -> Task | None:
    """The task that this caller is to get, with whatever the clock has ended written down."""
    session_id = work.caller.session
    if number is None:
        await store.write_down_expiries(work.tx, session_id, work.now)
        number = await store.best_ready(work.tx, session_id, work.caller.agent)
        if number is None:
            return None
    task = await _found(work.tx, session_id, number)
    leases.check_claim(task, work.caller.agent, work.now)
    return task.settled(work.now)


async def _save(work: Work, before: Task, after: Task) -> None:
    """Stores the task, and tells the log and the tasks that wait for it what became of its status."""
    session_id = work.caller.session
    await store.save(work.tx, session_id, after, work.now)
    step = (before.status in SATISFIED) - (after.status in SATISFIED)
    if step:
        await store.tell_dependents(work.tx, session_id, after.number, step)
    old, new = before.status_at(work.now), after.status_at(work.now)
    if old != new:
        work.happened(events.status_changed(after.number, old, new))


async def _save_update(work: Work, before: Task, after: Task, notes: list[str]) -> Task:
    if after == before and not notes:
        return after
    for text in notes:
        after = replace(after, note_count=after.note_count + 1)
        note = TaskNote(work.caller.agent, text, work.now)
        await store.add_note(work.tx, work.caller.session, after, note)
    after = replace(after, version=before.version + 1)
    await _save(work, before, after)
    return after


async def _found(tx: Transaction, session_id: str, number: int) -> Task:
    task = await store.find(tx, session_id, number)
    if task is None:
        raise NotFound(f"task_id: there is no task {task_id(number)} in this session.", task_id=task_id(number))
    return task


async def _view(work: Work, task: Task) -> TaskView:
    notes = await store.notes_of(work.tx, work.caller.session, [task])
    return task.view(work.now, notes[task.number])


def _check_batch(batch: list[NewTask]) -> None:
    check_count("tasks", batch, MAX_BATCH)
    for position, new in enumerate(batch):
        check_characters(f"tasks.{position}.description", new.description, MAX_DESCRIPTION)
        if new.metadata is not None:
            check_json(f"tasks.{position}.metadata", new.metadata, MAX_METADATA_BYTES)
    dependencies.check_form(batch)


def _check_update(update: TaskUpdate) -> None:
    if update.is_empty:
        raise InvalidArgument.at("status", "or assigned_to, unassign, description or note must be given")
    if update.change.description is not None:
        check_characters("description", update.change.description, MAX_DESCRIPTION)
    if update.note is not None:
        check_characters("note", update.note, MAX_NOTE)


def _check_terms(task: Task, update: TaskUpdate) -> None:
    if update.expected_version is not None and update.expected_version != task.version:
        raise _version_conflict(task, update)
    if update.note is not None and task.note_count >= MAX_NOTES:
        raise CapacityLimitReached(
            f"note: the task {task_id(task.number)} has {MAX_NOTES} notes, which is the limit.", limit=MAX_NOTES
        )


def _version_conflict(task: Task, update: TaskUpdate) -> VersionConflict:
    name, details = task_id(task.number), {"current_version": task.version}
    message = f"The task {name} is at version {task.version}, not {update.expected_version}."
    given = update.change.description
    if given is None or given == task.description:
        return VersionConflict(message, hint="Read the plan again.", **details)
    current, wanted = task.description.splitlines(), given.splitlines()
    if max(len(current), len(wanted)) > _MAX_DIFF_LINES:
        # To compare long texts line by line takes its time, and others wait behind this write.
        return VersionConflict(message, hint="Read the plan again.", **details)
    diff = "\n".join(difflib.unified_diff(current, wanted, f"version {task.version}", "yours", lineterm=""))
    return VersionConflict(message, hint="See details.diff.", **details, diff=diff)


def _overruled(work: Work, task: Task, update: TaskUpdate) -> list[str]:
    """What is to be noted of a change by force to a task that another holds. Raises Conflict or LeaseLost."""
    holder = leases.overruled_holder(task, work.caller, update.lease, work.now)
    if holder is None:
        return []
    if not update.force and task.lease is not None:
        hint = "An orchestrator that speaks for an agent needs force: true."
        raise leases.taken(task, task.lease, hint)
    work.touched(f"task:{task_id(update.number)}", forced=True, held_by=holder)
    return [f"Changed by force while {holder} held it."]


def _begins_too_early(after: Task, old_status: Status) -> bool:
    return bool(after.blocked_by) and after.status != old_status and after.status in ("in_progress", "completed")


def _forced(task: Task) -> str:
    waited_for = ", ".join(task_id(number) for number in task.blocked_by)
    return f"Forced to {task.status} before {waited_for}."


def _counted(views: list[TaskView]) -> dict[Status, int]:
    counts: dict[Status, int] = {}
    for view in views:
        counts[view.status] = counts.get(view.status, 0) + 1
    return counts
