"""What the services of this slice share."""

from dataclasses import dataclass
from functools import partial

from longtable.log.ledger import Ledger
from longtable.notebooks.access import Access
from longtable.notebooks.checking import Checks
from longtable.notebooks.model import Tags
from longtable.notebooks.scratchpads import NotebookLimits
from longtable.settings.options import Settings
from longtable.toolkit.tool import Scope, tool
from longtable.validation.service import Validation

notebook_tool = partial(tool, group="notebooks", scope=Scope.TENANT)
PAD_ROUTE = "/scratchpads/{scratch_id}"


@dataclass(frozen=True, slots=True)
class NotebookDependencies:
    ledger: Ledger
    access: Access
    checks: Checks
    limits: NotebookLimits
    default_namespaces: Tags

    @classmethod
    def of(cls, settings: Settings, ledger: Ledger, validation: Validation) -> "NotebookDependencies":
        limits = NotebookLimits(
            settings.max_scratchpads, settings.eviction_policy, settings.max_cells_per_pad, settings.max_cell_bytes
        )
        return cls(ledger, Access(ledger), Checks(validation), limits, settings.default_namespaces)
