"""Decisions of people about calls: requested by agents, made by people, used up by the approved call."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from longtable.gateway import decision_store as store
from longtable.gateway import events
from longtable.gateway.decision_arguments import Approve, Deny, ListDecisions, WaitForDecision
from longtable.gateway.decision_view import check_usable, denied, invalid, shown, view
from longtable.gateway.model import (
    STANDS_FOR,
    USABLE_FOR,
    WAITS_FOR,
    Approval,
    Decision,
    DecisionList,
    DecisionMade,
    DecisionStatus,
    ExactCall,
    decision_number,
    new_handle,
)
from longtable.governance.model import Confirm
from longtable.holds.service import Holds
from longtable.identity.model import EVERYONE, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.clock import MINUTE, SECOND, to_iso
from longtable.kernel.content import check_characters
from longtable.kernel.errors import (
    CapacityLimitReached,
    ConfirmationInvalid,
    ConfirmationRequired,
    Conflict,
    Forbidden,
    InvalidArgument,
    NotFound,
)
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.kernel.result import Result
from longtable.kernel.tracing import TRACEPARENT, link_to, record_past, trace_fields
from longtable.log.ledger import Ledger, Work
from longtable.log.model import Event
from longtable.log.waits import Waits
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, Scope, tool

PEOPLE = frozenset({Role.HUMAN, Role.OWNER})
ONLOOKERS = EVERYONE - {Role.AGENT}
WAIT_TOOL = "wait_for_decision"
MAX_WAITING = 1_000
MAX_REASON = 2_000
_NEWEST = 2**62


_agents = partial(tool, group="gateway", scope=Scope.TENANT, roles=WORKERS, needs="gateway")
_people = partial(tool, group="gateway", scope=Scope.TENANT, over_mcp=False)


@dataclass(frozen=True, slots=True)
class DecisionLimits:
    """Decisions of one agent that may wait, and microseconds after a denial in which the same call is refused."""

    waiting: int = 20
    denial_pause: int = MINUTE


class Decisions:
    """`standing_approvals` lets a person allow repetitions of a call; that needs authenticated callers."""

    def __init__(
        self, ledger: Ledger, waits: Waits, holds: Holds, standing_approvals: bool, limits: DecisionLimits
    ) -> None:
        self._ledger = ledger
        self._holds = holds
        self._waits = waits
        self._standing_approvals = standing_approvals
        self._limits = limits

    async def request_approval(self, call: Call, exact_call: ExactCall) -> Decision:
        """A decision about this exact call: the one that waits already, or a new one."""
        trace = trace_fields().get(TRACEPARENT)

        async def body(work: Work) -> _PendingDecision:
            work.concerns_tenant()
            known = await store.newest_for_call(work.tx, exact_call.digest)
            if known is not None and known.status_at(work.now) in ("waiting", "approved"):
                work.touched(f"decision:{known.decision_id}", tool=exact_call.tool, call_digest=exact_call.digest)
                return _PendingDecision(number=known.number)
            await self._check_pause(work, exact_call)
            waiting = await self._check_room(work, exact_call.agent)
            decision = await store.insert(work.tx, exact_call, new_handle(), work.now, work.now + WAITS_FOR, trace)
            work.happened(events.approval_requested(decision))
            work.happened(events.waiting(waiting + 1))
            work.touched(f"decision:{decision.decision_id}", tool=exact_call.tool, call_digest=exact_call.digest)
            return _PendingDecision(number=decision.number)

        pending = await self._ledger.write(_as_step(call, "approval_requested"), _PendingDecision, body)
        found = await self._ledger.read(call.caller, lambda tx: store.find(tx, pending.number))
        assert found is not None
        return found

    async def _check_pause(self, work: Work, exact_call: ExactCall) -> None:
        """Who was refused a moment ago does not ask again at once."""
        refused = await store.newest_denied(work.tx, exact_call, work.now - self._limits.denial_pause)
        if refused is not None and refused.decided_at is not None:
            left = refused.decided_at + self._limits.denial_pause - work.now
            raise denied(refused, retry_after=-(-left // SECOND), confirmation_id=refused.decision_id)

    async def _check_room(self, work: Work, agent: str) -> int:
        """The number of decisions that wait already."""
        own = await store.count_waiting(work.tx, work.now, agent)
        if own >= self._limits.waiting:
            raise CapacityLimitReached(
                f"{own} calls of yours wait for a person already.",
                hint=f"Wait for one of them with {WAIT_TOOL} first.",
                limit=self._limits.waiting,
                of="max_waiting_decisions",
            )
        waiting = await store.count_waiting(work.tx, work.now)
        if waiting >= MAX_WAITING:
            raise CapacityLimitReached(f"{waiting} calls wait for a person already.", limit=MAX_WAITING)
        return waiting

    async def require_approval(self, call: Call, exact_call: ExactCall, handle: str | None) -> Approval:
        """The approval under which this exact call may run now. It is used up here, before anything
        runs. Raises ConfirmationRequired when a person must decide first, ConfirmationDenied or ConfirmationInvalid."""
        if handle is not None:
            return await self._use_approval(call, exact_call, handle)
        standing = await self._find_standing(call, exact_call)
        if standing is not None:
            return Approval(decision_id=standing, by="human")
        raise ConfirmationRequired(
            "A person must allow this call first; nothing has been run.",
            hint=f"Wait with {WAIT_TOOL}, then repeat the call unchanged with confirm_token.",
            **self.next_step(await self.request_approval(call, exact_call)),
            shown=shown(exact_call),
        )

    def next_step(self, decision: Decision) -> dict[str, Any]:
        """What an agent needs to wait for a decision and to repeat its call."""
        return {
            "status": "confirmation_required",
            "confirmation_id": decision.decision_id,
            "confirm_token": decision.handle,
            "expires_at": to_iso(decision.expires_at),
            "decision_status": decision.status_at(self._ledger.clock()),
            "tool": decision.tool,
            "next_action": {"tool": WAIT_TOOL, "args": {"confirmation_id": decision.decision_id}},
        }

    async def _use_approval(self, call: Call, exact_call: ExactCall, handle: str) -> Approval:
        async def body(work: Work) -> Approval:
            work.concerns_tenant()
            decision = await store.by_handle(work.tx, handle)
            if decision is None or decision.call_digest != exact_call.digest:
                raise ConfirmationInvalid(
                    "confirm_token: it does not belong to this call.",
                    hint="Repeat the call exactly as it was approved, as the same agent in the same session, "
                    "or without a token to ask anew.",
                )
            check_usable(decision, work.now)
            if not decision.stands(work.now) and not await store.use(work.tx, decision.number, work.now):
                raise invalid(decision.status_at(work.now))
            work.touched(f"decision:{decision.decision_id}", tool=exact_call.tool, call_digest=exact_call.digest)
            by: Confirm = "client" if decision.relayed else "human"
            return Approval(decision_id=decision.decision_id, by=by, trace=decision.trace)

        approval = await self._ledger.write(_as_step(call, "approval_used"), Approval, body)
        link_to(approval.trace)
        return approval

    @_people(
        "list_decisions",
        title="List decisions",
        description="List what waits for a person and what was decided, newest first, with the whole arguments.",
        roles=ONLOOKERS,
        audited_as="decisions_listed",
        routes=(Route("GET", "/decisions"),),
    )
    async def list(self, call: Call, arguments: ListDecisions) -> DecisionList:
        before = decode_cursor(arguments.cursor, int)[0] if arguments.cursor else _NEWEST
        status, limit = arguments.status, arguments.limit
        now = self._ledger.clock()

        async def body(tx: Transaction) -> tuple[list[Decision], int]:
            return await store.page(tx, status, before, now, limit + 1), await store.count_waiting(tx, now)

        found, waiting = await self._ledger.read(call.caller, body)
        page = found[:limit]
        return DecisionList(
            decisions=[view(decision, now) for decision in page],
            count=len(page),
            waiting=waiting,
            next_cursor=encode_cursor(page[-1].number) if len(found) > limit else None,
        )

    @_people(
        "approve_decision",
        title="Approve a call",
        description="Let this exact call be made, once, within five minutes.",
        roles=PEOPLE,
        audited_as="decision_approved",
        writes=True,
        routes=(Route("POST", "/decisions/{decision_id}/approve"),),
    )
    async def approve(self, call: Call, arguments: Approve) -> DecisionMade:
        if arguments.for_10_minutes and call.caller.is_human and not self._standing_approvals:
            raise InvalidArgument.at("for_10_minutes", "needs auth to be switched on")

        def approved(decision: Decision, now: int) -> Decision:
            standing_until = now + STANDS_FOR if arguments.for_10_minutes else None
            return replace(decision, status="approved", expires_at=now + USABLE_FOR, standing_until=standing_until)

        return await self._decide(call, arguments, approved, events.approved)

    @_people(
        "deny_decision",
        title="Deny a call",
        description="Refuse a call; the agent is told why.",
        roles=PEOPLE,
        audited_as="decision_denied",
        writes=True,
        routes=(Route("POST", "/decisions/{decision_id}/deny"),),
    )
    async def deny(self, call: Call, arguments: Deny) -> DecisionMade:
        return await self._decide(
            call, arguments, lambda decision, _: replace(decision, status="denied"), events.denied
        )

    @_agents(
        WAIT_TOOL,
        title="Wait for a person's decision",
        description="Wait until a person has approved or denied a call of yours that needs it.",
        audited_as="decision_awaited",
    )
    async def wait_for_decision(self, call: Call, arguments: WaitForDecision) -> DecisionStatus:
        return await self.wait(call, arguments.confirmation_id, arguments.wait_seconds)

    async def wait(self, call: Call, id_or_handle: str, seconds: float) -> DecisionStatus:
        """The state of a decision about a call of the caller's own."""

        async def look() -> Decision:
            return await self._find_own(call, id_or_handle)

        decision = await self._waits.until_tenant(
            call.caller, seconds, look, lambda seen: seen.status_at(self._ledger.clock()) != "waiting"
        )
        status = decision.status_at(self._ledger.clock())
        result = DecisionStatus(
            confirmation_id=decision.decision_id,
            status=status,
            tool=decision.tool,
            expires_at=to_iso(decision.expires_at),
            reason=decision.reason,
            waited_out=True if seconds > 0 and status == "waiting" else None,
        )
        result.observed(f"decision:{decision.decision_id}")
        return result

    async def _decide(
        self,
        call: Call,
        arguments: Approve | Deny,
        change: Callable[[Decision, int], Decision],
        event: Callable[[Decision], Event],
    ) -> DecisionMade:
        """Raises Forbidden for a caller that is not a person at a surface for people."""
        if not call.caller.is_human:
            raise Forbidden("Only a person can decide this: in the console, over REST or in the terminal.")
        check_characters("reason", arguments.reason or "", MAX_REASON)
        number, decided_now = decision_number(arguments.decision_id), list[Decision]()
        if arguments.hold_seconds:
            return await self._hold(call, arguments, number)

        async def body(work: Work) -> DecisionMade:
            decided_now.clear()
            work.concerns_tenant()
            found = await store.find(work.tx, number) if number else None
            if found is None:
                raise NotFound("There is no such decision.")
            decided = replace(
                change(found, work.now),
                decided_at=work.now,
                decided_by=call.caller.agent,
                reason=arguments.reason,
            )
            if found.status_at(work.now) != "waiting" or not await store.decide(work.tx, decided):
                raise Conflict(f"It is {found.status_at(work.now)} already.", status=found.status_at(work.now))
            work.happened(event(decided))
            work.happened(events.waiting(await store.count_waiting(work.tx, work.now)))
            work.touched(f"decision:{decided.decision_id}", tool=decided.tool)
            decided_now.append(decided)
            return DecisionMade(decision=view(decided, work.now))

        result = await self._ledger.write(call, DecisionMade, body)
        _record_waits(call.caller.tenant, decided_now)
        return result

    async def _hold(self, call: Call, arguments: Approve | Deny, number: int | None) -> DecisionMade:
        """The call waits on, and nobody is notified, until the decision cannot be undone any more."""

        async def body(work: Work) -> DecisionMade:
            found = await store.find(work.tx, number) if number else None
            if found is None:
                raise NotFound("There is no such decision.")
            status = found.status_at(work.now)
            if status != "waiting":
                raise Conflict(f"It is {status} already.", status=status)
            kept = arguments.model_dump(exclude={"hold_seconds", "idempotency_key"}, exclude_none=True)
            held = await self._holds.keep(work, kept, arguments.hold_seconds)
            return DecisionMade(decision=view(found, work.now), held=held)

        result = await self._ledger.write(call, DecisionMade, body)
        self._holds.release_soon()
        return result

    async def stands(self, call: Call, exact_call: ExactCall) -> bool:
        """Whether a person has allowed repetitions of this call."""
        return await self._find_standing(call, exact_call) is not None

    async def relay(self, call: Call, number: int, *, allowed: bool) -> None:
        """Records what the client of the agent that asks has said. What a person has said meanwhile stays."""

        decided_now: list[Decision] = []

        async def body(work: Work) -> _PendingDecision:
            work.concerns_tenant()
            decided_now.clear()
            found = await store.find(work.tx, number)
            if found is not None and found.status_at(work.now) == "waiting":
                decided = replace(
                    found,
                    status="approved" if allowed else "denied",
                    expires_at=work.now + USABLE_FOR if allowed else found.expires_at,
                    decided_at=work.now,
                    decided_by=call.caller.agent,
                    relayed=1,
                )
                await store.decide(work.tx, decided)
                work.happened(events.approved(decided) if allowed else events.denied(decided))
                work.happened(events.waiting(await store.count_waiting(work.tx, work.now)))
                work.touched(f"decision:{decided.decision_id}", tool=decided.tool, allowed=allowed)
                decided_now.append(decided)
            return _PendingDecision(number=number)

        await self._ledger.write(_as_step(call, "decision_relayed"), _PendingDecision, body)
        _record_waits(call.caller.tenant, decided_now)

    async def _find_own(self, call: Call, id_or_handle: str) -> Decision:
        number = decision_number(id_or_handle)

        async def body(tx: Transaction) -> Decision | None:
            return await store.find(tx, number) if number else await store.by_handle(tx, id_or_handle)

        decision = await self._ledger.read(call.caller, body)
        if decision is None or not _may_see(call.caller, decision):
            raise NotFound("There is no such confirmation.")
        return decision

    async def _find_standing(self, call: Call, exact_call: ExactCall) -> str | None:
        if not self._standing_approvals:
            return None
        known = await self._ledger.read(call.caller, lambda tx: store.newest_for_call(tx, exact_call.digest))
        return known.decision_id if known is not None and known.stands(self._ledger.clock()) else None


class _PendingDecision(Result):
    number: int


def _as_step(call: Call, audited_as: str) -> Call:
    """Steps of a call have audit records of their own, and no stored result."""
    return replace(call, idempotency_key=None, audited_as=audited_as)


def _record_waits(tenant: str, decisions: list[Decision]) -> None:
    """The wait for each as a span of the trace in which it was asked for."""
    for decision in decisions:
        names = {
            "longtable.tenant": tenant,
            "longtable.agent": decision.agent,
            "longtable.decision_id": decision.decision_id,
            "longtable.decision": decision.status,
            "longtable.upstream": decision.upstream,
            "gen_ai.tool.name": decision.tool,
        }
        record_past("gateway.wait", decision.trace, decision.requested_at, decision.decided_at or 0, names)


def _may_see(caller: Caller, decision: Decision) -> bool:
    if caller.is_human:
        return True
    elsewhere = caller.bound and decision.session_id not in (None, caller.session_id)
    return decision.agent == caller.agent and not elsewhere
