"""Joins the parts of the notebooks, which are more than one service."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from longtable.log.ledger import Ledger
from longtable.notebooks.access import Access
from longtable.notebooks.cells import Cells
from longtable.notebooks.checking import Checks
from longtable.notebooks.dependencies import NotebookDependencies
from longtable.notebooks.jobs import Sweeper, TrashJob
from longtable.notebooks.model import NotebookLimits
from longtable.notebooks.namespaces import Namespaces
from longtable.notebooks.reads import NotebookReads
from longtable.notebooks.schemas import Schemas
from longtable.notebooks.service import Notebooks
from longtable.notebooks.trash import Trash
from longtable.sessions.jobs import MinuteJob, PeriodicJob
from longtable.settings.options import Settings
from longtable.toolkit.tool import Tool, tools_of
from longtable.validation.service import Validation


@dataclass(frozen=True, slots=True)
class NotebookSlice:
    tools: list[Tool[Any]]
    minute_jobs: list[MinuteJob]
    rounds: list[PeriodicJob]
    closers: list[Callable[[], Awaitable[None]]]
    sweeper: Sweeper


def join_notebooks(settings: Settings, ledger: Ledger, validation: Validation) -> NotebookSlice:
    access = Access(ledger)
    dependencies = NotebookDependencies(
        ledger=ledger,
        access=access,
        checks=Checks(validation),
        limits=NotebookLimits(
            settings.max_scratchpads, settings.eviction_policy, settings.max_cells_per_pad, settings.max_cell_bytes
        ),
        default_namespaces=settings.default_namespaces,
    )
    sweeper = Sweeper(ledger, access, settings.preempt_age)
    preempts = settings.eviction_policy == "preempt"
    return NotebookSlice(
        tools=tools_of(
            Notebooks(dependencies),
            NotebookReads(dependencies),
            Cells(dependencies),
            Schemas(dependencies),
            Namespaces(ledger, settings.default_namespaces),
            Trash(dependencies, settings.trash_retention),
        ),
        minute_jobs=[TrashJob(settings.trash_retention).empty_trash],
        rounds=[PeriodicJob("evict_scratchpads", settings.preempt_interval, sweeper.sweep)] if preempts else [],
        closers=[access.close],
        sweeper=sweeper,
    )
