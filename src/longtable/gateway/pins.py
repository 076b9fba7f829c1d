"""Pins tool definitions: one that has changed is quarantined until a person accepts it."""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from longtable.gateway import events, pin_store
from longtable.gateway.pin_store import Pin
from longtable.gateway.results import PinAccepted, PinnedTool, Quarantine
from longtable.governance.model import ToolDefinition
from longtable.governance.scan import Suspicion, scan
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import Conflict, Forbidden, NotFound
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work

_FOR_PERSONS = "Only a person can accept a tool: in the console, over REST or in the terminal."


class _PinsRecorded(Result):
    quarantined: list[str]


class Pins:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def usable_digests(
        self, caller: Caller, upstream: str, definitions: Sequence[ToolDefinition]
    ) -> frozenset[str]:
        """The digests of usable definitions. The first list of an upstream is accepted unless its trust is none;
        changes and additions are not."""
        pins = await self._ledger.read(caller, lambda tx: pin_store.of_upstream(tx, upstream))
        if any(_is_changed(definition, pins) for definition in definitions):
            await self._record(caller, upstream, definitions)
            pins = await self._ledger.read(caller, lambda tx: pin_store.of_upstream(tx, upstream))
        return frozenset(
            definition.digest
            for definition in definitions
            if definition.remote in pins and pins[definition.remote].covers(definition.digest)
        )

    async def waiting(self, call: Call) -> Quarantine:
        pins = await self._ledger.read(call.caller, pin_store.waiting)
        return Quarantine(tools=[_view(pin) for pin in pins], count=len(pins))

    async def flagged(self, call: Call) -> Mapping[tuple[str, str], list[dict[str, str]]]:
        """Suspicions by upstream and tool; a tool may be usable all the same."""
        return await self._ledger.read(call.caller, pin_store.flagged)

    async def accept(self, call: Call, upstream: str, remote: str, digest: str | None) -> PinAccepted:
        """Accepts the waiting definition; `digest` makes sure that it is the one the person has seen."""
        if not call.caller.is_human:
            raise Forbidden(_FOR_PERSONS)

        async def body(work: Work) -> PinAccepted:
            work.concerns_tenant()
            pin = await pin_store.find(work.tx, upstream, remote)
            if pin is None or pin.status != "quarantined":
                raise NotFound("There is no such tool in quarantine.")
            waiting = pin.waiting_digest or pin.digest
            if digest is not None and digest != waiting:
                raise Conflict("It has changed again since.", digest=waiting)
            await pin_store.put(work.tx, [_accepted(pin, work)])
            work.happened(events.tools_changed(upstream))
            work.touched(f"tool:{upstream}/{remote}", digest=waiting)
            return PinAccepted(upstream=upstream, tool=remote, digest=waiting, accepted=True)

        return await self._ledger.write(call, PinAccepted, body)

    async def accept_all(self, call: Call, upstream: str) -> list[str]:
        """Accepts every waiting definition of an upstream, and returns the names of the tools."""
        if not call.caller.is_human:
            raise Forbidden(_FOR_PERSONS)

        async def body(work: Work) -> _PinsRecorded:
            work.concerns_tenant()
            pins = await pin_store.of_upstream(work.tx, upstream)
            waiting = [pin for pin in pins.values() if pin.status == "quarantined"]
            await pin_store.put(work.tx, [_accepted(pin, work) for pin in waiting])
            if waiting:
                work.happened(events.tools_changed(upstream))
            work.touched(f"upstream:{upstream}", accepted=len(waiting))
            return _PinsRecorded(quarantined=sorted(pin.remote for pin in waiting))

        call = replace(call, operation="accept_tools", audited_as="tools_accepted", idempotency_key=None)
        return (await self._ledger.write(call, _PinsRecorded, body)).quarantined

    async def report_removed(self, caller: Caller, upstream: str) -> None:
        """Announces that the list of tools has become shorter."""

        async def body(work: Work) -> _PinsRecorded:
            work.concerns_tenant()
            work.happened(events.tools_changed(upstream))
            work.touched(f"upstream:{upstream}")
            return _PinsRecorded(quarantined=[])

        await self._ledger.write(Call(caller, "notice_tools", "gateway_tools_changed"), _PinsRecorded, body)

    async def _record(self, caller: Caller, upstream: str, definitions: Sequence[ToolDefinition]) -> None:
        names = [definition.remote for definition in definitions]

        async def body(work: Work) -> _PinsRecorded:
            work.concerns_tenant()
            pins = await pin_store.of_upstream(work.tx, upstream)
            updates = (_updated_pin(definition, pins, names, work.now) for definition in definitions)
            changed = list(filter(None, updates))
            await pin_store.put(work.tx, changed)
            quarantined = [pin.remote for pin in changed if pin.status == "quarantined"]
            for remote in quarantined:
                reason = "changed" if remote in pins and pins[remote].digest else "new"
                work.happened(events.quarantined(upstream, remote, reason))
            if changed:
                work.happened(events.tools_changed(upstream))
            work.touched(f"upstream:{upstream}", seen=len(changed), quarantined=len(quarantined))
            return _PinsRecorded(quarantined=quarantined)

        call = Call(caller, "settle_pins", "gateway_tools_pinned")
        await self._ledger.write(call, _PinsRecorded, body)


def _accepted(pin: Pin, work: Work) -> Pin:
    return replace(
        pin,
        status="accepted",
        digest=pin.waiting_digest or pin.digest,
        definition=pin.waiting_definition or pin.definition,
        waiting_digest=None,
        waiting_definition=None,
        changed_at=work.now,
        accepted_by=work.caller.agent,
    )


def _is_changed(definition: ToolDefinition, pins: Mapping[str, Pin]) -> bool:
    pin = pins.get(definition.remote)
    if pin is None:
        return True
    return definition.digest != (pin.digest if pin.status == "accepted" else pin.waiting_digest or pin.digest)


def _updated_pin(definition: ToolDefinition, pins: Mapping[str, Pin], others: Iterable[str], now: int) -> Pin | None:
    """The pin to store; None when nothing has changed."""
    if not _is_changed(definition, pins):
        return None
    pin = pins.get(definition.remote)
    suspicions = scan(definition, list(others))
    found = pin_store.as_json(suspicions)
    known = pin or Pin(definition.upstream, definition.remote, "quarantined", "", {}, None, None, [], now, now, None)
    # The operator's own playbooks are always accepted, and the first list of an upstream; a tool that is added later is
    # not.
    is_ours = definition.body is not None
    if is_ours or (not pins and _is_trusted(definition, suspicions)):
        return replace(
            known,
            status="accepted",
            digest=definition.digest,
            definition=definition.pinned,
            waiting_digest=None,
            waiting_definition=None,
            suspicions=found,
            changed_at=now,
            accepted_by="operator" if is_ours else "first use",
        )
    if known.digest == definition.digest:
        return replace(known, status="accepted", waiting_digest=None, waiting_definition=None, changed_at=now)
    return replace(
        known,
        status="quarantined",
        waiting_digest=definition.digest,
        waiting_definition=definition.pinned,
        suspicions=found,
        changed_at=now,
    )


def _is_trusted(definition: ToolDefinition, suspicions: Sequence[Suspicion]) -> bool:
    if definition.trust == "first-use":
        return not any(suspicion.severe for suspicion in suspicions)
    return definition.trust == "full"


def _view(pin: Pin) -> PinnedTool:
    waiting = dict(pin.waiting_definition or pin.definition)
    return PinnedTool(
        upstream=pin.upstream,
        tool=pin.remote,
        status=pin.status,
        reason="changed" if pin.digest else "new",
        digest=pin.waiting_digest or pin.digest,
        diff=_diff(pin.definition, waiting),
        suspicions=[dict(each) for each in pin.suspicions],
        first_seen_at=to_iso(pin.first_seen_at),
        definition=waiting,
    )


def _diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    before, after = (json.dumps(each, indent=1, sort_keys=True, ensure_ascii=False).splitlines() for each in (old, new))
    return "\n".join(difflib.unified_diff(before, after, "agreed", "now", lineterm="", n=2))
