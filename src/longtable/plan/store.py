"""SQL for the plan."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longtable.log.model import Replaced
from longtable.log.page_cache import newest_event
from longtable.plan.model import PRIORITIES, SATISFIED, Lease, Status, Task, TaskNote
from longtable.storage import counters
from longtable.storage.database import Transaction

_STATUS_NOW = "CASE WHEN status = 'in_progress' AND lease_expires_at <= :now THEN 'pending' ELSE status END"
_ASSIGNEE_NOW = (
    "CASE WHEN status = 'in_progress' AND lease_expires_at > :now THEN lease_holder ELSE tasks.assigned_to END"
)
_CHANGES = "plan"
_COLUMNS = """number, description, status, assigned_to, priority, depends_on, metadata, version, claims,
    note_count, updated_at, lease, lease_holder, lease_expires_at"""
_OPEN = "needed.status NOT IN ('completed', 'cancelled')"
_JOINED = {
    "sqlite": "group_concat(edges.depends_on)",
    "postgres": "string_agg(CAST(edges.depends_on AS TEXT), ',')",
}
_NEEDED = """FROM task_dependencies AS edges JOIN tasks AS needed
    ON needed.tenant = edges.tenant AND needed.session_id = edges.session_id AND needed.number = edges.depends_on
    WHERE edges.tenant = tasks.tenant AND edges.session_id = tasks.session_id AND edges.task = tasks.number"""


@dataclass(frozen=True, slots=True)
class PlanFilter:
    """Which tasks, by their state at the moment `now`."""

    now: int
    status: Status | None = None
    assigned_to: str | None = None
    ready: bool | None = None
    number: int | None = None

    @property
    def conditions(self) -> tuple[str, dict[str, Any]]:
        """Conditions to append to a WHERE, and their parameters."""
        conditions = [""]
        by_state = (self.status, self.assigned_to, self.ready)
        parameters: dict[str, Any] = {} if by_state == (None, None, None) else {"now": self.now}
        if self.status is not None:
            conditions.append(f"{_STATUS_NOW} = :status")
            parameters["status"] = self.status
        if self.assigned_to is not None:
            conditions.append(f"{_ASSIGNEE_NOW} = :assigned_to")
            parameters["assigned_to"] = self.assigned_to
        if self.ready is not None:
            negation = "" if self.ready else "NOT "
            conditions.append(f"{negation}({_STATUS_NOW} = 'pending' AND open_dependencies = 0)")
        if self.number is not None:
            conditions.append("number = :number")
            parameters["number"] = self.number
        return " AND ".join(conditions), parameters


async def version(tx: Transaction, session_id: str) -> tuple[int, int]:
    """Another one after every change of the plan, also after those that have no event, and in another session of
    the same name."""
    return await newest_event(tx, session_id), await counters.current(tx, session_id, _CHANGES)


async def _note_change(tx: Transaction, session_id: str) -> None:
    await counters.step(tx, session_id, _CHANGES)


async def take_numbers(tx: Transaction, session_id: str, count: int) -> int:
    """The last of `count` new numbers. It is also how many tasks there are: none is ever removed."""
    return await counters.advance(tx, session_id, "task", count)


async def insert(tx: Transaction, session_id: str, tasks: Sequence[Task], author: str, now: int) -> None:
    await tx.execute_many(
        """INSERT INTO tasks (tenant, session_id, number, description, status, assigned_to, priority, depends_on,
               open_dependencies, metadata, note_count, version, claims, created_by, created_at, updated_at)
           VALUES (:tenant, :session_id, :number, :description, :status, :assigned_to, :priority, :depends_on,
               0, :metadata, 0, 1, 0, :author, :now, :now)""",
        [
            {
                "session_id": session_id,
                "number": task.number,
                "description": task.description,
                "status": task.status,
                "assigned_to": task.assigned_to,
                "priority": PRIORITIES.index(task.priority),
                "depends_on": ",".join(map(str, task.depends_on)),
                "metadata": None if task.metadata is None else json.dumps(task.metadata, ensure_ascii=False),
                "author": author,
                "now": now,
            }
            for task in tasks
        ],
    )
    await _note_change(tx, session_id)
    if await _insert_edges(tx, session_id, tasks):
        await _count_open_dependencies(tx, session_id, tasks[0].number)


async def _insert_edges(tx: Transaction, session_id: str, tasks: Sequence[Task]) -> bool:
    edges = [
        {"session_id": session_id, "task": task.number, "depends_on": number}
        for task in tasks
        for number in task.depends_on
    ]
    if edges:
        await tx.execute_many(
            """INSERT INTO task_dependencies (tenant, session_id, task, depends_on)
               VALUES (:tenant, :session_id, :task, :depends_on)""",
            edges,
        )
    return bool(edges)


async def replace_dependencies(tx: Transaction, session_id: str, task: Task) -> None:
    """By those that the task has now."""
    await tx.execute(
        "DELETE FROM task_dependencies WHERE tenant = :tenant AND session_id = :session_id AND task = :number",
        session_id=session_id,
        number=task.number,
    )
    await _insert_edges(tx, session_id, [task])
    await tx.execute(
        """UPDATE tasks SET open_dependencies = :open
           WHERE tenant = :tenant AND session_id = :session_id AND number = :number""",
        session_id=session_id,
        number=task.number,
        open=len(task.blocked_by),
    )


async def count_anew(tx: Transaction, session_id: str) -> None:
    """For rows that were written by nobody here: what each task waits for, and that the plan has changed."""
    await _count_open_dependencies(tx, session_id, 1)
    await _note_change(tx, session_id)


async def _count_open_dependencies(tx: Transaction, session_id: str, first: int) -> None:
    await tx.execute(
        f"""UPDATE tasks SET open_dependencies = (SELECT COUNT(*) {_NEEDED} AND {_OPEN})
            WHERE tenant = :tenant AND session_id = :session_id AND number >= :first""",
        session_id=session_id,
        first=first,
    )


async def find(tx: Transaction, session_id: str, number: int) -> Task | None:
    rows = await tx.tuples(f"{_select(tx)} AND number = :number", session_id=session_id, number=number)
    return _task(rows[0]) if rows else None


async def whole(tx: Transaction, session_id: str) -> list[Task]:
    """All tasks. What each waits for is among them, so that no statement has to look for it."""
    rows = await tx.tuples(
        f"""SELECT {_COLUMNS}, CASE WHEN open_dependencies > 0 THEN depends_on END
            FROM tasks WHERE tenant = :tenant AND session_id = :session_id ORDER BY number""",
        session_id=session_id,
    )
    tasks = list(map(_task, rows))
    satisfied = {task.number for task in tasks if task.status in SATISFIED}
    if not satisfied:
        return tasks
    return [
        task._replace(blocked_by=tuple(number for number in task.blocked_by if number not in satisfied))
        if task.blocked_by
        else task
        for task in tasks
    ]


async def page(tx: Transaction, session_id: str, where: PlanFilter) -> list[Task]:
    conditions, parameters = where.conditions
    rows = await tx.tuples(f"{_select(tx)}{conditions} ORDER BY number", session_id=session_id, **parameters)
    return list(map(_task, rows))


async def counts(tx: Transaction, session_id: str, now: int) -> dict[Status, int]:
    rows = await tx.all(
        f"""SELECT {_STATUS_NOW} AS status_now, COUNT(*) AS total FROM tasks
            WHERE tenant = :tenant AND session_id = :session_id GROUP BY 1""",
        session_id=session_id,
        now=now,
    )
    return {row["status_now"]: row["total"] for row in rows}


async def best_ready(tx: Transaction, session_id: str, agent: str) -> int | None:
    """The number of the task to begin with: assigned to the agent before unassigned, then by priority and age. Needs
    `write_down_expiries` first, as it looks at the stored status only."""
    sql = """SELECT number FROM tasks
             WHERE tenant = :tenant AND session_id = :session_id
               AND status = 'pending' AND open_dependencies = 0 AND {whose}
             ORDER BY priority, number LIMIT 1"""
    row = await tx.first(sql.format(whose="assigned_to = :agent"), session_id=session_id, agent=agent)
    row = row or await tx.first(sql.format(whose="assigned_to IS NULL"), session_id=session_id)
    return int(row["number"]) if row else None


async def write_down_expiries(tx: Transaction, session_id: str, now: int) -> None:
    """The lease stays in the row: its holder may renew it until another agent takes the task."""
    await tx.execute(
        """UPDATE tasks SET status = 'pending'
           WHERE tenant = :tenant AND session_id = :session_id
             AND status = 'in_progress' AND lease_expires_at IS NOT NULL AND lease_expires_at <= :now""",
        session_id=session_id,
        now=now,
    )


async def save(tx: Transaction, session_id: str, task: Task, now: int) -> None:
    lease = task.lease
    await tx.execute(
        """UPDATE tasks SET description = :description, status = :status, assigned_to = :assigned_to,
               priority = :priority, depends_on = :depends_on,
               note_count = :note_count, version = :version, claims = :claims, lease = :lease,
               lease_holder = :lease_holder, lease_expires_at = :lease_expires_at, updated_at = :now
           WHERE tenant = :tenant AND session_id = :session_id AND number = :number""",
        session_id=session_id,
        number=task.number,
        description=task.description,
        status=task.status,
        assigned_to=task.assigned_to,
        priority=PRIORITIES.index(task.priority),
        depends_on=",".join(map(str, task.depends_on)),
        note_count=task.note_count,
        version=task.version,
        claims=task.claims,
        lease=lease.token if lease else None,
        lease_holder=lease.holder if lease else None,
        lease_expires_at=lease.expires_at if lease else None,
        now=now,
    )
    await _note_change(tx, session_id)


def replaced(before: Task, after: Task) -> Replaced:
    """The columns that are others after the change. A task that is held counts as pending: no fork carries a lease."""
    new = _undoable(after)
    changed = {name: value for name, value in _undoable(before).items() if value != new[name]}
    return Replaced("tasks", before.number, {"updated_at": before.updated_at, **changed})


def _undoable(task: Task) -> dict[str, Any]:
    return {
        "description": task.description,
        "status": "pending" if task.lease is not None and task.status == "in_progress" else task.status,
        "assigned_to": task.assigned_to,
        "priority": PRIORITIES.index(task.priority),
        "depends_on": ",".join(map(str, task.depends_on)),
        "note_count": task.note_count,
        "version": task.version,
        "claims": task.claims,
    }


async def update_dependents(tx: Transaction, session_id: str, number: int, step: int) -> None:
    """One open dependency more or less for every task that waits for this one."""
    await tx.execute(
        """UPDATE tasks SET open_dependencies = open_dependencies + :step
           WHERE tenant = :tenant AND session_id = :session_id AND number IN (
               SELECT task FROM task_dependencies
               WHERE tenant = :tenant AND session_id = :session_id AND depends_on = :number)""",
        session_id=session_id,
        number=number,
        step=step,
    )


async def add_note(tx: Transaction, session_id: str, task: int, number: int, note: TaskNote) -> None:
    await tx.execute(
        """INSERT INTO task_notes (tenant, session_id, task, number, author, text, created_at)
           VALUES (:tenant, :session_id, :task, :number, :author, :text, :created_at)""",
        session_id=session_id,
        task=task,
        number=number,
        author=note.author,
        text=note.text,
        created_at=note.created_at,
    )


async def notes_of(tx: Transaction, session_id: str, tasks: Sequence[Task]) -> dict[int, list[TaskNote]]:
    """The notes of each task that has any, in order."""
    found: dict[int, list[TaskNote]] = {task.number: [] for task in tasks if task.note_count}
    if not found:
        return found
    rows = await tx.tuples(
        """SELECT task, author, text, created_at, origin FROM task_notes
           WHERE tenant = :tenant AND session_id = :session_id AND task BETWEEN :first AND :last
           ORDER BY task, number""",
        session_id=session_id,
        first=min(found),
        last=max(found),
    )
    for task, *note in rows:
        if task in found:
            found[task].append(TaskNote(*note))
    return found


async def purge(tx: Transaction, session_id: str) -> None:
    for table in ("task_notes", "task_dependencies", "tasks"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
        )


def _select(tx: Transaction) -> str:
    # One statement, so that on every store a task and its open dependencies are of the same moment.
    return f"""SELECT {_COLUMNS},
        CASE WHEN open_dependencies > 0 THEN (SELECT {_JOINED[tx.dialect]} {_NEEDED} AND {_OPEN}) END
        FROM tasks WHERE tenant = :tenant AND session_id = :session_id"""


def _task(row: tuple[Any, ...]) -> Task:
    number, description, status, assigned_to, priority, depends_on, metadata, version, claims, *rest = row
    notes, updated_at, *held, open = rest
    return Task(
        number,
        description,
        status,
        assigned_to,
        PRIORITIES[priority],
        _numbers(depends_on) if depends_on else (),
        tuple(sorted(_numbers(open))) if open else (),
        json.loads(metadata) if metadata else None,
        version,
        claims,
        Lease(*held) if held[0] else None,
        notes,
        updated_at,
    )


def _numbers(joined: str) -> tuple[int, ...]:
    return tuple(map(int, joined.split(",")))
