"""The table from Python: typed calls inside one session, the server's errors as exceptions, events as they come."""

from longtable.client.connection import ConnectionLost, Link
from longtable.client.generated.methods import CellInput, SchemaInput, TaskToAdd
from longtable.client.listening import TableEvent
from longtable.client.orchestrator import Orchestrator
from longtable.client.workspace import Workspace

__all__ = [
    "CellInput",
    "ConnectionLost",
    "Link",
    "Orchestrator",
    "SchemaInput",
    "TableEvent",
    "TaskToAdd",
    "Workspace",
]
