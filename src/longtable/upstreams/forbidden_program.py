"""Stands for a program that this process must not start."""

from collections.abc import Callable, Sequence

from longtable.governance.model import ToolDefinition
from longtable.kernel.errors import UpstreamError
from longtable.upstreams.port import Freshness, Health, UpstreamCall, UpstreamResult, UpstreamStatus


class ForbiddenProgram:
    """In place of a program that this process must not start a second time."""

    status = UpstreamStatus()
    health: Health = "idle"
    problem: str | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def on_change(self, callback: Callable[[], None]) -> None:
        """Nothing changes here."""

    reports_changes = False
    withheld = ()

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        raise self._no_host()

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        raise self._no_host()

    async def close(self) -> None:
        """There is nothing to close."""

    def _no_host(self) -> UpstreamError:
        problem = f"The process that runs {self.name} does not answer."
        return UpstreamError(problem, hint="It is started again; try again in a moment.", upstream=self.name)
