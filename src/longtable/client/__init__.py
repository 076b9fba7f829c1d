"""The Python client, `longtable_client`, under the name that it has had here. What it raises can also be caught by the
names of `longtable.kernel.errors`."""

from longtable.kernel import errors
from longtable_client import (
    AnswerOf,
    CellInput,
    ConnectionLost,
    Link,
    Orchestrator,
    SchemaInput,
    TableEvent,
    TaskToAdd,
    Workspace,
)
from longtable_client.errors import BY_CODE

__all__ = [
    "AnswerOf",
    "CellInput",
    "ConnectionLost",
    "Link",
    "Orchestrator",
    "SchemaInput",
    "TableEvent",
    "TaskToAdd",
    "Workspace",
]

for _code, _raised in BY_CODE.items():
    BY_CODE[_code] = type(_raised.__name__, (_raised, getattr(errors, _raised.__name__)), {})
