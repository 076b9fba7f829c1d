"""The table from Python: typed calls inside one session, the server's errors as exceptions, events as they come.
The same without `async` is `longtable_client.sync`."""

from longtable_client.errors import ConnectionLost, LongtableError
from longtable_client.events import TableEvent
from longtable_client.generated.inputs import AnswerOf, CellInput, SchemaInput, TaskToAdd
from longtable_client.link import Link
from longtable_client.orchestrator import Orchestrator
from longtable_client.version import __version__
from longtable_client.workspace import Workspace

__all__ = [
    "AnswerOf",
    "CellInput",
    "ConnectionLost",
    "Link",
    "LongtableError",
    "Orchestrator",
    "SchemaInput",
    "TableEvent",
    "TaskToAdd",
    "Workspace",
    "__version__",
]
