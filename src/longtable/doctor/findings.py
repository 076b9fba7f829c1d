"""What was looked at, and what was found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """`remedy` says what to do. `fix` does it, where that can do no harm."""

    check: str
    severity: Severity
    message: str
    remedy: str | None = None
    fix: Callable[[], None] | None = None

    def view(self) -> dict[str, Any]:
        fields = {"check": self.check, "severity": self.severity, "message": self.message}
        return {**fields, **({} if self.remedy is None else {"remedy": self.remedy, "fixable": self.fix is not None})}


def fine(check: str, message: str) -> HealthFinding:
    return HealthFinding(check, "ok", message)
