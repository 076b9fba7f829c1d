"""Calls the steps of playbooks like any other call: tools of the caller's list, under the same policy."""

from collections.abc import Mapping, Sequence

from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.calls import Calls
from longtable.gateway.model import WAITS_FOR, CallRequest, CallResult
from longtable.gateway.run_store import Run
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import ShuttingDown, UpstreamTimeout

_EXECUTION_SECONDS = 3600.0


class GatewayStepCaller:
    def __init__(self, dependencies: CallDependencies) -> None:
        self._dependencies = dependencies
        self._calls = Calls(dependencies)

    async def names(self, caller: Caller, tools: Sequence[str]) -> Mapping[str, str]:
        policy = await self._dependencies.policies.cached(caller)
        found: dict[str, str] = {}
        for name, offered in (await self._dependencies.registry.offered(caller, policy)).items():
            # A playbook as a step could run itself for ever.
            if offered.definition.body is None:
                found |= {name: name, str(offered.definition.identity): name}
        return {tool: found[tool] for tool in tools if tool in found}

    async def call(self, request: CallRequest) -> CallResult:
        return await self._calls.call(request)

    async def wait_for_decision(self, caller: Caller, decision_id: str) -> None:
        call = Call(caller, "wait_for_decision", "decision_awaited")
        waited = await self._dependencies.decisions.wait(call, decision_id, WAITS_FOR / SECOND)
        if waited.status == "waiting":
            raise ShuttingDown("It was stopped before a person decided about a step.", confirmation_id=decision_id)

    async def wait_for_execution(self, caller: Caller, execution_id: str) -> Run:
        call = Call(caller, "wait_for_execution", "execution_awaited")
        run = await self._dependencies.executions.wait(call, execution_id, _EXECUTION_SECONDS)
        if not run.is_over:
            raise UpstreamTimeout("What the step began takes too long.", execution_id=execution_id)
        return run
