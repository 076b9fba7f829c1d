"""What an agent may report, and the sums that people see."""

import math
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from longtable.kernel.result import Result, Value, omitted_if_none
from longtable.toolkit.keys import USAGE_KEY

MAX_TOKENS: Final = 10**12
MAX_COST: Final = 10**9
MAX_MODEL: Final = 200
MILLION: Final = 1_000_000
MOST: Final = 2**63 - 1
"""What a store can hold. A sum of absurd reports ends here, and is no error for those who read it."""

Grouping = Literal["agent", "session", "day"]

_INPUT: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
_OUTPUT: Final = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
_MODEL: Final = ("gen_ai.response.model", "gen_ai.request.model")
_COST: Final = ("gen_ai.usage.cost",)
"""As OpenTelemetry names them, the present names before earlier ones."""


class ReportedUsage(NamedTuple):
    """`cost` is in millionths."""

    model: str
    input_tokens: int
    output_tokens: int
    cost: int | None = None

    def plus(self, other: "ReportedUsage") -> "ReportedUsage":
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return ReportedUsage(
            self.model,
            min(self.input_tokens + other.input_tokens, MOST),
            min(self.output_tokens + other.output_tokens, MOST),
            min(sum(costs), MOST) if costs else None,
        )


class UsagePlace(NamedTuple):
    """Whose usage it is. `session_id` is empty outside of sessions, `task` 0 for none."""

    day: int
    session_id: str
    agent: str
    task: int = 0


class UsageFilter(NamedTuple):
    """What is added up: from a day on, perhaps of one session or agent only."""

    since: int
    session_id: str | None = None
    agent: str | None = None


def usage_in(meta: Mapping[str, Any]) -> ReportedUsage | None:
    """What stands beside the arguments of a call. Frameworks put it there by themselves, so that a call never fails for
    what cannot be read."""
    reported = meta.get(USAGE_KEY)
    ours = reported if isinstance(reported, Mapping) else {}
    counts = [_first({**meta, **ours}, names) for names in (("input_tokens", *_INPUT), ("output_tokens", *_OUTPUT))]
    if not all(map(_is_count, counts)) or counts == [None, None]:
        return None
    model = _name(ours.get("model") or _first(meta, _MODEL))
    cost = _millionths(ours.get("cost", _first(meta, _COST)))
    return ReportedUsage(model or "unknown", counts[0] or 0, counts[1] or 0, cost)


def _name(model: Any) -> str:
    """The name of a model as every store can keep it."""
    return model[:MAX_MODEL].replace("\0", "").encode(errors="replace").decode() if isinstance(model, str) else ""


def _first(meta: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((meta[name] for name in names if name in meta), None)


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and 0 <= value <= MAX_TOKENS)


def _millionths(cost: Any) -> int | None:
    if not isinstance(cost, int | float) or not math.isfinite(cost) or not 0 <= cost <= MAX_COST:
        return None
    return round(cost * MILLION)


class UsageSums(Value):
    """`cost` is left out where none was reported; it is in whatever currency the agents report."""

    input_tokens: int
    output_tokens: int
    cost: float | None = omitted_if_none()
    reports: int


class UsageReported(Result):
    """What this agent has used in the session so far."""

    total: UsageSums


class UsageRow(UsageSums):
    """One of `agent`, `session_id` and `day` names it."""

    agent: str | None = omitted_if_none()
    session_id: str | None = omitted_if_none()
    purpose: str | None = omitted_if_none()
    day: str | None = omitted_if_none()


class UsageRead(Result):
    """Days with the newest first, other rows with the most expensive first. `total` is the sum over all rows."""

    by: Grouping
    usage: list[UsageRow]
    total: UsageSums
