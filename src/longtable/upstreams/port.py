"""The interface of an upstream, whatever its protocol."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from longtable.governance.model import ToolDefinition

Health = Literal["idle", "starting", "ready", "failing", "open", "stopped"]
"""`idle` was not needed yet; `open` is an open circuit breaker."""

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class UpstreamHost:
    """The socket of a process that runs the programs of stdio upstreams for others. With `is_only`, no other process
    starts a program when it does not respond."""

    socket: Path
    is_only: bool = False


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """`workspace` and `user` are for backends that have them. It never holds a caller's credential."""

    tool: str
    inputs: Mapping[str, Any]
    name: str = ""
    """The listed name of the tool."""
    digest: str | None = None
    """Of the accepted definition: a tool that has changed since is not called."""
    workspace: str | None = None
    user: str | None = None
    session_id: str | None = None
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class UpstreamResult:
    """As MCP has it. `status` is completed, failed, running or confirmation_required; `execution_id` is set while it is
    running."""

    content: Sequence[Mapping[str, Any]]
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    status: str = "completed"
    execution_id: str | None = None
    truncated: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)


class Upstream(Protocol):
    """It connects when first needed, stays connected, and reconnects with backoff."""

    @property
    def name(self) -> str: ...

    @property
    def health(self) -> Health: ...

    @property
    def problem(self) -> str | None:
        """Why it does not work at the moment, without secrets."""

    async def definitions(self) -> Sequence[ToolDefinition]:
        """Its tools as they are now. Raises UpstreamError or UpstreamTimeout."""

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises UpstreamError or UpstreamTimeout; an error of the tool itself is a result."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """`callback` is called when its list of tools may have changed."""

    async def close(self) -> None: ...
