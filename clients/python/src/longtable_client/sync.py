"""The client for programs without an event loop: the same methods, without `await`."""

from longtable_client.generated.sync.orchestrator import Orchestrator
from longtable_client.generated.sync.workspace import Workspace

__all__ = ["Orchestrator", "Workspace"]
