"""A call while it lasts."""

import asyncio
import time
from dataclasses import dataclass, field

from longtable.gateway.call_details import new_call_id
from longtable.gateway.model import CallRequest, CallResult
from longtable.gateway.registry import OfferedTool
from longtable.governance.model import Confirm, PolicyDecision
from longtable.kernel.call import Call
from longtable.kernel.errors import LongtableError
from longtable.upstreams.port import Freshness


@dataclass(slots=True)
class CallInProgress:
    """What is known of a call so far: its audit record is made of this, however it ends."""

    request: CallRequest
    call: Call
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    found: OfferedTool | None = None
    upstream: str = ""
    policy_decision: PolicyDecision | None = None
    decision_id: str | None = None
    approved_by: Confirm = "none"
    intent: "asyncio.Task[str | None] | None" = None
    was_sent: bool = False
    call_id: str = field(default_factory=new_call_id)
    result: CallResult | None = None
    error: LongtableError | None = None

    @property
    def tool(self) -> OfferedTool:
        assert self.found is not None  # looked up before anything else is done with the call
        return self.found

    @property
    def is_governed(self) -> bool:
        return self.policy_decision is not None and self.policy_decision.is_governed

    def fresh(self, since: float = 0.0) -> Freshness:
        """How new the listing must be that this call is checked against. One list serves the whole call."""
        return Freshness(max(self.started, since), always=self.is_governed)

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.started

    @property
    def upstream_name(self) -> str:
        return self.upstream if self.found is None else self.found.definition.upstream

    @property
    def layer(self) -> str:
        return "" if self.policy_decision is None else self.policy_decision.layer.value
