"""Claims on tasks: who holds one, for how long, and what is left of it when the task changes hands."""

import secrets

from longtable.kernel.caller import Caller, Role
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.errors import Conflict, DependencyUnmet, LeaseLost
from longtable.plan.arguments import UpdateTask
from longtable.plan.model import SATISFIED, Lease, Status, Task, task_id

MAY_OVERRULE = frozenset({Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER})
"""Roles that may change a task that another agent holds: in their own name, or by force in the name of an agent."""


def claimed(task: Task, agent: str, now: int, seconds: int) -> Task:
    """The task held by `agent`. Tokens sort by age, so that a resource can refuse the older of two holders; their
    random part cannot be guessed."""
    claims = task.claims + 1
    lease = Lease(f"{claims:08d}-{secrets.token_hex(16)}", agent, now + seconds * SECOND)
    return task._replace(status="in_progress", lease=lease, claims=claims, version=task.version + 1)


def renewed(task: Task, token: str, now: int, seconds: int) -> Task:
    """Raises LeaseLost. A lease that ran out can be renewed until another agent has claimed or changed the task."""
    if task.lease is None or task.lease.token != token:
        raise lost(task)
    lease = task.lease._replace(expires_at=now + seconds * SECOND)
    version = task.version if task.lease_at(now) else task.version + 1
    return task._replace(status="in_progress", lease=lease, version=version)


def check_claim(task: Task, agent: str, now: int) -> None:
    """Raises Conflict or DependencyUnmet for a task that `agent` cannot claim."""
    status, name = task.status_at(now), task_id(task.number)
    if task.status in SATISFIED:
        raise Conflict(f"The task {name} is {status} already.", status=status)
    lease = task.lease_at(now)
    if lease is not None:
        raise taken(task, lease)
    if status != "pending":
        raise Conflict(f"The task {name} is {status}.", hint="Only a pending task can be claimed.", status=status)
    if task.assigned_to not in (None, agent):
        raise Conflict(f"The task {name} is assigned to {task.assigned_to}.", assigned_to=task.assigned_to)
    if task.blocked_by:
        raise unmet(task)


def overruled_holder(task: Task, caller: Caller, token: str | None, now: int) -> str | None:
    """The holder of a task that the caller may change only by force. Raises LeaseLost for a lease that has ended,
    Conflict where another agent holds the task and force does not help."""
    lease = task.lease_at(now)
    if token is not None:
        if lease is None or lease.token != token:
            raise lost(task)
        return None
    if lease is None or lease.holder == caller.agent:
        return None
    if caller.role not in MAY_OVERRULE:
        raise taken(task, lease)
    return lease.holder if caller.speaks_for_another else None


def changed(task: Task, change: UpdateTask, assignee: str | None, now: int) -> Task:
    """The task after an update; `assignee` is None to keep the present one, empty for none. A holder who leaves the
    task, or from whom it is taken, loses the lease. A task given back is assigned as before the claim, a finished one
    to its last holder."""
    if change.description is not None:
        task = task._replace(description=change.description)
    if change.status is None and assignee is None:
        return task
    task = task.settled(now)
    held = task.lease
    keeps = held is not None and assignee in (None, held.holder)
    status = change.status or (task.status if keeps or held is None else "pending")
    assigned_to = _assigned(task, status, assignee)
    lease = held if keeps and status == "in_progress" else None
    return task._replace(status=status, assigned_to=assigned_to, lease=lease)


def _assigned(task: Task, status: Status, assignee: str | None) -> str | None:
    if assignee is not None:
        return assignee or None
    if task.lease is not None and status not in ("in_progress", "pending"):
        return task.lease.holder
    return task.assigned_to


def unmet(task: Task) -> DependencyUnmet:
    blocked_by = [task_id(number) for number in task.blocked_by]
    return DependencyUnmet(
        f"The task {task_id(task.number)} waits for {', '.join(blocked_by)}.",
        hint="They must be completed or cancelled first.",
        blocked_by=blocked_by,
    )


def lost(task: Task) -> LeaseLost:
    return LeaseLost(
        f"This lease of the task {task_id(task.number)} does not count any more.",
        hint="Stop working on it, and claim a task anew.",
    )


def taken(task: Task, lease: Lease, hint: str | None = None) -> Conflict:
    until = to_iso(lease.expires_at)
    return Conflict(
        f"The task {task_id(task.number)} is held by {lease.holder} until {until}.",
        hint=hint,
        held_by=lease.holder,
        lease_expires_at=until,
    )
