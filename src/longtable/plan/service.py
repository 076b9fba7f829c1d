"""Decides about the plan: what may be added, begun, changed and claimed, and by whom."""

import difflib
from collections import Counter

from longtable.identity.agent_names import known_spelling, store_spelling
from longtable.identity.model import EVERYONE, POSTERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import check_characters, check_count, check_json
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, NotFound, VersionConflict
from longtable.kernel.ids import likely_id, number_of
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.log.page_cache import PageKind
from longtable.plan import dependencies, events, leases, store
from longtable.plan.arguments import AddTasks, ClaimTask, ReadPlan, RenewTask, TaskToAdd, UpdateTask
from longtable.plan.model import (
    HEADLINE,
    MAX_BATCH,
    MAX_DESCRIPTION,
    MAX_METADATA_BYTES,
    MAX_NOTE,
    MAX_NOTES,
    PREFIX,
    SATISFIED,
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
from longtable.plan.note_limit import first_tasks, newest_notes
from longtable.plan.rendering import as_markdown
from longtable.plan.store import PlanFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import short_diff
from longtable.toolkit.tool import Route, tool

_MAX_DIFF_LINES = 200
_PAGES = PageKind("plan", store.version)


class Plan:
    def __init__(self, ledger: Ledger, sessions: Sessions, max_tasks: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._max_tasks = max_tasks

    @tool(
        "add_tasks",
        title="Add tasks to the plan",
        description="Add tasks, and say which must wait for which.",
        group="workspace",
        roles=POSTERS,
        audited_as="tasks_added",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/tasks", 201),),
    )
    async def add(self, call: Call, arguments: AddTasks) -> TasksAdded:
        _check_batch(arguments.tasks)

        async def body(work: Work) -> TasksAdded:
            await self._sessions.open_for_writing(work)
            tasks = await self._append(work, arguments.tasks)
            ids = [task_id(task.number) for task in tasks]
            work.touched(f"task:{ids[0]}", task_ids=ids)
            work.happened(events.added(tasks))
            stamps = [TaskStamp(id=task_id(task.number), description=task.description[:HEADLINE]) for task in tasks]
            return TasksAdded(tasks=stamps)

        return await self._ledger.write(call, TasksAdded, body)

    @tool(
        "update_task",
        title="Update a task",
        description="Change a task, or add a note.",
        group="workspace",
        roles=POSTERS,
        audited_as="task_updated",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/tasks/{task_id}"),),
    )
    async def update(self, call: Call, arguments: UpdateTask) -> TaskUpdated:
        number = _number(arguments.task_id)
        _check_update(arguments)

        async def body(work: Work) -> TaskUpdated:
            await self._sessions.open_for_writing(work)
            before = await _found(work.tx, work.caller.session, number)
            old_status = before.status_at(work.now)
            work.touched(f"task:{task_id(number)}")
            overruled = _overruled(work, before, arguments)
            _check_terms(before, arguments)
            assignee = "" if arguments.unassign else arguments.assigned_to
            assignee = await store_spelling(work.tx, assignee) if assignee else assignee
            after = await _replanned(work, leases.changed(before, arguments, assignee, work.now), arguments)
            notes = [*([] if arguments.note is None else [arguments.note]), *overruled]
            if _begins_too_early(after, old_status):
                if not arguments.force:
                    raise leases.unmet(after)
                work.touched(f"task:{task_id(number)}", forced=True)
                notes.append(_forced(after))
            after = await _save_update(work, before, after, notes)
            if assignee is not None and before.assigned_to != after.assigned_to:
                work.happened(events.assigned(number, before.assigned_to, after.assigned_to))
            work.reports_replaced(events.changed(number, ["lease"]))
            return TaskUpdated(task=after.changed(work.now, old_status))

        return await self._ledger.write(call, TaskUpdated, body)

    @tool(
        "read_plan",
        title="Read the plan",
        description="Read the plan: tasks, what each waits for, who is on it, progress.",
        group="workspace",
        roles=EVERYONE,
        audited_as="plan_read",
        routes=(Route("GET", "/sessions/{session_id}/plan"),),
    )
    async def read(self, call: Call, arguments: ReadPlan) -> PlanRead:
        caller = call.caller
        if arguments == ReadPlan():
            return await self._ledger.pages.read(
                call, _PAGES, lambda: self._ledger.read(caller, lambda tx: self._page(tx, call, arguments))
            )
        assigned_to = await known_spelling(self._ledger.database, caller.tenant, arguments.assigned_to)
        chosen = arguments.model_copy(update={"assigned_to": assigned_to})
        return await self._ledger.read(caller, lambda tx: self._page(tx, call, chosen))

    @tool(
        "claim_task",
        title="Claim a task",
        description="Take a ready task for yourself, until you finish it or its lease runs out.",
        group="workspace",
        roles=WORKERS,
        audited_as="task_claimed",
        writes=True,
    )
    async def claim(self, call: Call, arguments: ClaimTask) -> TaskClaimed:
        number = None if arguments.task_id is None else _number(arguments.task_id)

        async def body(work: Work) -> TaskClaimed:
            await self._sessions.open_for_writing(work)
            task = await _claimable(work, number)
            if task is None:
                return TaskClaimed(task=None)
            after = leases.claimed(task, work.caller.agent, work.now, arguments.lease_seconds)
            work.touched(f"task:{task_id(task.number)}")
            work.replaces(store.replaced(task, after))
            await _save(work, task, after)
            assert after.lease is not None
            work.happened(events.claimed(task.number, after.lease))
            return TaskClaimed(
                task=await _view(work, call.max_chars, after),
                lease=after.lease.token,
                lease_expires_at=to_iso(after.lease.expires_at),
            )

        return await self._ledger.write(call, TaskClaimed, body)

    @tool(
        "renew_task",
        title="Keep a claimed task",
        description="Keep a task you claimed: its lease runs anew.",
        group="workspace",
        roles=WORKERS,
        audited_as="task_renewed",
        writes=True,
    )
    async def renew(self, call: Call, arguments: RenewTask) -> TaskRenewed:
        number, lease = _number(arguments.task_id), arguments.lease

        async def body(work: Work) -> TaskRenewed:
            await self._sessions.open_for_writing(work)
            task = await _found(work.tx, work.caller.session, number)
            after = leases.renewed(task, lease, work.now, arguments.lease_seconds)
            work.touched(f"task:{task_id(number)}")
            work.replaces(store.replaced(task, after))
            await _save(work, task, after)
            assert after.lease is not None
            work.happened(events.claimed(number, after.lease, renewed=True))
            return TaskRenewed(task_id=task_id(number), lease=lease, lease_expires_at=to_iso(after.lease.expires_at))

        return await self._ledger.write(call, TaskRenewed, body)

    async def render(self, tx: Transaction, caller: Caller) -> str:
        """The whole plan of the caller's session as Markdown."""
        plan = await self._read(tx, caller, ReadPlan())
        return as_markdown(PlanRead(**plan.json_fields()))

    async def _page(self, tx: Transaction, call: Call, arguments: ReadPlan) -> PlanRead:
        """The tasks that one answer shows."""
        after = decode_cursor(arguments.cursor, int)[0] if arguments.cursor else 0
        plan = await self._read(tx, call.caller, arguments)
        fields, most = plan.json_fields(), call.max_chars
        tasks = [task for task in fields["tasks"] if after == 0 or _number(task["id"]) > after]
        shown = first_tasks(tasks, most)
        fields["tasks"] = shown
        if len(shown) < len(tasks):
            fields |= {"next_cursor": encode_cursor(_number(shown[-1]["id"])), "truncated": True}
        page = PlanRead.of_json(**fields)
        page.holds_until(plan.valid_until)
        return page

    async def _read(self, tx: Transaction, caller: Caller, arguments: ReadPlan) -> PlanRead:
        now, session_id = self._ledger.clock(), caller.session
        number = None if arguments.task_id is None else _number(arguments.task_id)
        chosen = PlanFilter(now, arguments.status, arguments.assigned_to, arguments.ready, number)
        is_whole_plan = chosen == PlanFilter(now)
        tasks = await store.whole(tx, session_id) if is_whole_plan else await store.page(tx, session_id, chosen)
        notes = await store.notes_of(tx, session_id, tasks)
        shown = [task.as_json(now, notes.get(task.number, ())) for task in tasks]
        counts = (
            Counter([task["status"] for task in shown]) if is_whole_plan else await store.counts(tx, session_id, now)
        )
        summary = PlanSummary.of(counts)
        result = PlanRead.of_json(tasks=shown, summary=summary.model_dump(), progress=summary.progress)
        expiries = [task.lease.expires_at for task in tasks if task.lease and task.lease_at(now)]
        result.holds_until(min(expiries, default=None))
        return result

    async def _append(self, work: Work, batch: list[TaskToAdd]) -> list[Task]:
        session_id = work.caller.session
        last = await store.take_numbers(work.tx, session_id, len(batch))
        first = last - len(batch) + 1
        needed = dependencies.resolved(batch, first)
        if last > self._max_tasks:
            raise CapacityLimitReached(
                f"tasks: with these the session would have {last} tasks; the limit is {self._max_tasks}.",
                limit=self._max_tasks,
            )
        assignees = {new.assigned_to for new in batch if new.assigned_to is not None}
        names = {name: await store_spelling(work.tx, name) for name in sorted(assignees)}
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


def _number(id: str) -> int:
    number = number_of(PREFIX, id)
    if number is None:
        raise InvalidArgument.at("task_id", f"must be the id of a task, such as t3{likely_id(PREFIX, id)}")
    return number


async def _claimable(work: Work, number: int | None) -> Task | None:
    """The task that this caller gets, after expired leases are written down."""
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
    """Stores the task; a new status goes to the log and to the tasks that wait for it."""
    session_id = work.caller.session
    await store.save(work.tx, session_id, after, work.now)
    if after.depends_on != before.depends_on:
        await store.replace_dependencies(work.tx, session_id, after)
    step = (before.status in SATISFIED) - (after.status in SATISFIED)
    if step:
        await store.update_dependents(work.tx, session_id, after.number, step)
    old, new = before.status_at(work.now), after.status_at(work.now)
    if old != new:
        work.happened(events.status_changed(after.number, old, new))


async def _replanned(work: Work, task: Task, update: UpdateTask) -> Task:
    if update.priority is not None:
        task = task._replace(priority=update.priority)
    if update.depends_on is None:
        return task
    plan = {other.number: other for other in await store.whole(work.tx, work.caller.session)}
    return dependencies.rewired(task, update.depends_on, plan)


async def _save_update(work: Work, before: Task, after: Task, notes: list[str]) -> Task:
    if after == before and not notes:
        return after
    after = after._replace(version=before.version + 1, note_count=before.note_count + len(notes))
    work.replaces(store.replaced(before, after))
    for number, text in enumerate(notes, before.note_count + 1):
        note = TaskNote(work.caller.agent, text, work.now)
        await store.add_note(work.tx, work.caller.session, after.number, number, note)
        work.happened(events.noted(after.number, text))
    if changed := events.described_anew(before, after):
        work.happened(events.changed(after.number, changed))
    await _save(work, before, after)
    return after


async def _found(tx: Transaction, session_id: str, number: int) -> Task:
    task = await store.find(tx, session_id, number)
    if task is None:
        problem = f"task_id: there is no task {task_id(number)} in this session."
        raise NotFound(problem, hint="read_plan shows those there are.", task_id=task_id(number))
    return task


async def _view(work: Work, most: int | None, task: Task) -> TaskView:
    notes = await store.notes_of(work.tx, work.caller.session, [task])
    shown = task.as_json(work.now, notes.get(task.number, ()))
    return TaskView(**(shown if most is None else newest_notes(shown, most // 2)))


def _check_batch(batch: list[TaskToAdd]) -> None:
    check_count("tasks", batch, MAX_BATCH)
    for position, new in enumerate(batch):
        check_characters(f"tasks.{position}.description", new.description, MAX_DESCRIPTION)
        if new.metadata is not None:
            check_json(f"tasks.{position}.metadata", new.metadata, MAX_METADATA_BYTES)
    dependencies.check_form(batch)


def _check_update(update: UpdateTask) -> None:
    if update.unassign and update.assigned_to is not None:
        raise InvalidArgument.at("unassign", "does not go with assigned_to")
    words = (update.status, update.assigned_to, update.description, update.note)
    changes = (*words, update.priority, update.depends_on)
    if not update.unassign and all(change is None for change in changes):
        problem = "must be given, or one of assigned_to, unassign, description, priority, depends_on, note"
        raise InvalidArgument.at("status", problem)
    if update.description is not None:
        check_characters("description", update.description, MAX_DESCRIPTION)
    if update.note is not None:
        check_characters("note", update.note, MAX_NOTE)


def _check_terms(task: Task, update: UpdateTask) -> None:
    if update.expected_version is not None and update.expected_version != task.version:
        raise _version_conflict(task, update)
    if update.note is not None and task.note_count >= MAX_NOTES:
        raise CapacityLimitReached(
            f"note: the task {task_id(task.number)} has {MAX_NOTES} notes, which is the limit.", limit=MAX_NOTES
        )


def _version_conflict(task: Task, update: UpdateTask) -> VersionConflict:
    name, details = task_id(task.number), {"current_version": task.version}
    message = f"The task {name} is at version {task.version}, not {update.expected_version}."
    description = update.description
    if description is None or description == task.description:
        return VersionConflict(message, hint="Read the plan again.", **details)
    current, new = task.description.splitlines(), description.splitlines()
    if max(len(current), len(new)) > _MAX_DIFF_LINES:
        # A diff of long texts is slow, and other writers wait for this transaction.
        return VersionConflict(message, hint="Read the plan again.", **details)
    diff, _ = short_diff("\n".join(difflib.unified_diff(current, new, f"version {task.version}", "yours", lineterm="")))
    return VersionConflict(message, hint="See details.diff.", **details, diff=diff)


def _overruled(work: Work, task: Task, update: UpdateTask) -> list[str]:
    """The note that a change by force leaves on a task that another agent holds. Raises Conflict or LeaseLost."""
    holder = leases.overruled_holder(task, work.caller, update.lease, work.now)
    if holder is None:
        return []
    if not update.force and task.lease is not None:
        hint = "An orchestrator that speaks for an agent needs force: true."
        raise leases.taken(task, task.lease, hint)
    work.touched(f"task:{task_id(task.number)}", forced=True, held_by=holder)
    return [f"Changed by force while {holder} held it."]


def _begins_too_early(after: Task, old_status: Status) -> bool:
    return bool(after.blocked_by) and after.status != old_status and after.status in ("in_progress", "completed")


def _forced(task: Task) -> str:
    waited_for = ", ".join(task_id(number) for number in task.blocked_by)
    return f"Forced to {task.status} before {waited_for}."
