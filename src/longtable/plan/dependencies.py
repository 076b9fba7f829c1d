"""Which task waits for which: references to tasks, and cycles among them."""

import re
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

from longtable.kernel.content import check_count
from longtable.kernel.errors import DependencyCycle, InvalidArgument, NotFound
from longtable.kernel.ids import number_of
from longtable.plan.arguments import TaskToAdd
from longtable.plan.model import MAX_DEPENDENCIES, PREFIX

_IN_BATCH = re.compile(r"#(0|[1-9][0-9]{0,8})")


def resolved(batch: Sequence[TaskToAdd], first: int) -> list[tuple[int, ...]]:
    """What each task of a batch depends on, by number, when its own tasks are numbered from `first` on.
    Raises InvalidArgument, NotFound or DependencyCycle."""
    found = [_numbers(position, task, first, len(batch)) for position, task in enumerate(batch)]
    _refuse_cycles(found, first)
    return found


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
