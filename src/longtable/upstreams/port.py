"""The interface of an upstream, whatever its protocol."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from longtable.governance.model import ToolDefinition, WithheldTool
from longtable.upstreams.client_channel import ClientChannel

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
class Freshness:
    """How new a listing must be: requested at `since` (`time.monotonic`) or later. Without `always` an older one will
    do, while the upstream has promised to report changes, the channel for that is open, and it has reported none."""

    since: float
    always: bool = True


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """`workspace` and `user` are for backends that have them. It never holds a caller's credential."""

    tool: str
    inputs: Mapping[str, Any]
    name: str = ""
    """The listed name of the tool."""
    digest: str | None = None
    """The digest of the accepted definition: a tool that has changed since is not called."""
    fresh: Freshness | None = None
    """How new the listing must be with which the digest is compared; None: requested now, or reported as unchanged."""
    workspace: str | None = None
    user: str | None = None
    session_id: str | None = None
    progress: Progress | None = None
    client: ClientChannel | None = None
    """For questions of the upstream and its log messages."""


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


@dataclass(frozen=True, slots=True)
class UpstreamStatus:
    """Of the process or connection. `log` are the last lines that a program wrote to its standard error, without
    secrets; `restarts` counts since this server began."""

    restarts: int = 0
    started_at: str | None = None
    last_error: str | None = None
    last_error_at: str | None = None
    log: tuple[str, ...] = ()


class Upstream(Protocol):
    """It connects when first needed, stays connected, and reconnects with backoff."""

    @property
    def name(self) -> str: ...

    @property
    def health(self) -> Health: ...

    @property
    def problem(self) -> str | None:
        """Why it does not work at the moment, without secrets."""

    @property
    def status(self) -> UpstreamStatus: ...

    @property
    def reports_changes(self) -> bool:
        """Whether the definitions last returned hold until `on_change` reports a change."""

    @property
    def withheld(self) -> Sequence[WithheldTool]:
        """What it last listed beside those definitions: tools that are malformed, or left out by its entry."""

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        """Its tools. Without `fresh` the listing must be requested now, unless the upstream reports changes. Raises
        UpstreamError or UpstreamTimeout."""

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises UpstreamError or UpstreamTimeout; an error of the tool itself is a result."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """`callback` is called when its list of tools may have changed."""

    async def close(self) -> None: ...
