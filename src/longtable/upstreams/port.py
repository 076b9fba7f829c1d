"""What the gateway needs from a source of tools, whatever it speaks."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from longtable.governance.model import RemoteDefinition

Health = Literal["idle", "starting", "ready", "failing", "open", "stopped"]
"""`idle` has not been needed yet; `open` is a circuit that has been broken."""

Progress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class UpstreamHost:
    """A process that runs the programs of stdio upstreams for others, and the socket where they ask it. Where it is the
    only one that may, nobody starts a program of its own when it does not answer."""

    socket: Path
    is_only: bool = False


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """`workspace` and `user` are for a backend with many of both. Nothing here is the credential of a caller."""

    tool: str
    inputs: Mapping[str, Any]
    name: str = ""
    """What the caller knows the tool as."""
    digest: str | None = None
    """Of the definition that was agreed to: if the tool is another one by now, it is not called."""
    workspace: str | None = None
    user: str | None = None
    session_id: str | None = None
    progress: Progress | None = None


@dataclass(frozen=True, slots=True)
class UpstreamResult:
    """As MCP has it: blocks of content, an object beside them, and whether it tells of a failure. `status` is one of
    completed, failed, running, confirmation_required; `execution_id` names what is still running."""

    content: Sequence[Mapping[str, Any]]
    structured: Mapping[str, Any] | None = None
    is_error: bool = False
    status: str = "completed"
    execution_id: str | None = None
    truncated: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)


class Upstream(Protocol):
    """One source. It connects when first needed, stays connected, and comes back by itself with growing pauses."""

    @property
    def name(self) -> str: ...

    @property
    def health(self) -> Health: ...

    @property
    def problem(self) -> str | None:
        """Why it does not work at the moment, in words that hold no secret."""

    async def definitions(self) -> Sequence[RemoteDefinition]:
        """Its tools as they are now. Raises UpstreamError or UpstreamTimeout."""

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises UpstreamError or UpstreamTimeout; what the tool itself says is wrong comes as an answer."""

    def on_change(self, callback: Callable[[], None]) -> None:
        """`callback` is called when its list of tools may have changed."""

    async def close(self) -> None: ...
