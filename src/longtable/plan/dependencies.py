"""Which task waits for which: references to tasks, and cycles among them."""

import re
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from longtable.kernel.content import check_count
from longtable.kernel.errors import DependencyCycle, InvalidArgument, NotFound
from longtable.kernel.ids import number_of
from longtable.plan.arguments import TaskToAdd
from longtable.plan.model import MAX_DEPENDENCIES, PREFIX, SATISFIED, Task, task_id

_IN_BATCH = re.compile(r"#(0|[1-9][0-9]{0,8})")


def resolved(batch: Sequence[TaskToAdd], first: int) -> list[tuple[int, ...]]:
    """What each task of a batch depends on, by number, when its own tasks are numbered from `first` on.
    Raises InvalidArgument, NotFound or DependencyCycle."""
    found = [_numbers(position, task, first, len(batch)) for position, task in enumerate(batch)]
    _refuse_cycles(found, first)
    return found


def rewired(task: Task, task_ids: Sequence[str], plan: Mapping[int, Task]) -> Task:
    """The task as it waits for others than before, which are all in the plan.
    Raises CapacityLimitReached, InvalidArgument, NotFound or DependencyCycle."""
    check_count("depends_on", task_ids, MAX_DEPENDENCIES)
    numbers = tuple(dict.fromkeys(_existing(place, id, plan) for place, id in enumerate(task_ids)))
    _refuse_cycle_through(task.number, {**{one.number: one.depends_on for one in plan.values()}, task.number: numbers})
    unmet = tuple(sorted(number for number in numbers if plan[number].status not in SATISFIED))
    return task._replace(depends_on=numbers, blocked_by=unmet)


def _existing(place: int, id: str, plan: Mapping[int, Task]) -> int:
    number = number_of(PREFIX, id)
    if number is None:
        raise InvalidArgument.at(f"depends_on.{place}", "must be the id of a task, such as t3")
    if number not in plan:
        raise NotFound(f"depends_on.{place}: there is no task {id}.", path=f"depends_on.{place}", task_id=id)
    return number


def _refuse_cycle_through(number: int, needs: Mapping[int, tuple[int, ...]]) -> None:
    """Before the change there was none, so every cycle goes through the task that was changed."""
    before: dict[int, int] = {}
    reached = [number]
    while reached:
        here = reached.pop()
        for other in needs.get(here, ()):
            if other == number:
                raise _cycle([number, *_way_back(here, number, before), number])
            if other not in before:
                before[other] = here
                reached.append(other)


def _way_back(last: int, first: int, before: Mapping[int, int]) -> list[int]:
    way = []
    while last != first:
        way.append(last)
        last = before[last]
    return way[::-1]


def _cycle(numbers: Sequence[int]) -> DependencyCycle:
    cycle = [task_id(number) for number in numbers]
    return DependencyCycle(f"depends_on: the dependencies run in a circle: {' needs '.join(cycle)}.", cycle=cycle)


def check_form(batch: Sequence[TaskToAdd]) -> None:
    """Checks references as far as that needs no look at the plan. Raises InvalidArgument or CapacityLimitReached."""
    for position, task in enumerate(batch):
        check_count(f"tasks.{position}.depends_on", task.depends_on, MAX_DEPENDENCIES)
        for place, reference in enumerate(task.depends_on):
            if _IN_BATCH.fullmatch(reference) is None and number_of(PREFIX, reference) is None:
                raise InvalidArgument.at(
                    f"tasks.{position}.depends_on.{place}",
                    "must be the id of a task, such as t3, or #0 for the first of this batch",
                )


def _numbers(position: int, task: TaskToAdd, first: int, size: int) -> tuple[int, ...]:
    numbers: dict[int, None] = {}
    for place, reference in enumerate(task.depends_on):
        number = _number(reference, first, size)
        if number is None:
            where = f"tasks.{position}.depends_on.{place}"
            raise NotFound(f"{where}: there is no task {reference}.", path=where, task_id=reference)
        numbers[number] = None
    return tuple(numbers)


def _number(reference: str, first: int, size: int) -> int | None:
    """Tasks are never removed, so every number below the first of the batch exists."""
    in_batch = _IN_BATCH.fullmatch(reference)
    if in_batch is not None:
        return first + int(in_batch[1]) if int(in_batch[1]) < size else None
    number = number_of(PREFIX, reference)
    return number if number is not None and number < first else None


def _refuse_cycles(found: Sequence[tuple[int, ...]], first: int) -> None:
    """Existing tasks cannot depend on new ones, so a cycle lies within the batch."""
    inside = {
        position: [number - first for number in numbers if number >= first] for position, numbers in enumerate(found)
    }
    try:
        TopologicalSorter(inside).prepare()
    except CycleError as error:
        cycle = [f"#{position}" for position in reversed(error.args[1])]
        raise DependencyCycle(
            f"tasks: the dependencies run in a circle: {' needs '.join(cycle)}.", cycle=cycle
        ) from None
