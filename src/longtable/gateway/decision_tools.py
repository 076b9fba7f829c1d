"""Decisions over REST and in the terminal for people, and what an agent may ask about its own."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from longtable.gateway.decisions import Decisions, HumanDecision
from longtable.gateway.model import DecisionList, DecisionMade, DecisionStatus
from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.content import Text
from longtable.toolkit.durations import BRIEF_FORMS, Seconds
from longtable.toolkit.tool import Arguments, Route, Scope, Tool, WriteArguments

PEOPLE = frozenset({Role.HUMAN, Role.OWNER})
ONLOOKERS = EVERYONE - {Role.AGENT}
MAX_WAIT = 50

Id = Annotated[Text, Field(description="Id of the decision, such as d7.")]


class ListDecisions(Arguments):
    status: Literal["waiting", "approved", "denied", "expired", "used"] | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class Approve(WriteArguments):
    decision_id: Id
    reason: Text | None = None
    for_10_minutes: bool = Field(default=False, description="The same call by this agent may be repeated meanwhile.")


class Deny(WriteArguments):
    decision_id: Id
    reason: Text | None = Field(default=None, description="Told to the agent.")


class WaitForDecision(Arguments):
    confirmation_id: Text = Field(description="confirmation_id or confirm_token of the call.")
    wait_seconds: Annotated[float, Seconds(0, MAX_WAIT, parts=True)] = Field(
        default=30, description=f"How long to wait for a person: {BRIEF_FORMS}; at most {MAX_WAIT}."
    )


class DecisionTools:
    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions

    async def list(self, call: Call, arguments: ListDecisions) -> DecisionList:
        return await self._decisions.list(call, arguments.status, arguments.limit, arguments.cursor)

    async def approve(self, call: Call, arguments: Approve) -> DecisionMade:
        human_decision = HumanDecision(arguments.decision_id, True, arguments.reason, arguments.for_10_minutes)
        return await self._decisions.decide(call, human_decision)

    async def deny(self, call: Call, arguments: Deny) -> DecisionMade:
        return await self._decisions.decide(call, HumanDecision(arguments.decision_id, False, arguments.reason))

    async def wait(self, call: Call, arguments: WaitForDecision) -> DecisionStatus:
        return await self._decisions.wait(call, arguments.confirmation_id, arguments.wait_seconds)


def decision_tools(tools: DecisionTools) -> list[Tool[Any]]:
    people: Any = partial(Tool, group="gateway", scope=Scope.TENANT, over_mcp=False)
    return [*_for_people(people, tools), _for_agents(tools)]


def _for_people(people: Any, tools: DecisionTools) -> list[Tool[Any]]:
    return [
        people(
            name="list_decisions",
            title="List decisions",
            description="List what waits for a person and what was decided, newest first, with the whole arguments.",
            arguments=ListDecisions,
            result=DecisionList,
            run=tools.list,
            roles=ONLOOKERS,
            audited_as="decisions_listed",
            routes=(Route("GET", "/decisions"),),
        ),
        people(
            name="approve_decision",
            title="Approve a call",
            description="Let this exact call be made, once, within five minutes.",
            arguments=Approve,
            result=DecisionMade,
            run=tools.approve,
            roles=PEOPLE,
            audited_as="decision_approved",
            writes=True,
            routes=(Route("POST", "/decisions/{decision_id}/approve"),),
        ),
        people(
            name="deny_decision",
            title="Deny a call",
            description="Refuse a call; the agent is told why.",
            arguments=Deny,
            result=DecisionMade,
            run=tools.deny,
            roles=PEOPLE,
            audited_as="decision_denied",
            writes=True,
            routes=(Route("POST", "/decisions/{decision_id}/deny"),),
        ),
    ]


def _for_agents(tools: DecisionTools) -> Tool[Any]:
    return Tool(
        name="wait_for_decision",
        title="Wait for a person's decision",
        description="Wait until a person has approved or denied a call of yours that needs it.",
        arguments=WaitForDecision,
        result=DecisionStatus,
        run=tools.wait,
        group="gateway",
        roles=WORKERS,
        audited_as="decision_awaited",
        scope=Scope.TENANT,
        needs="gateway",
    )
