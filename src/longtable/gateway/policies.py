"""The policy of each tenant: the rules of the file, and an overlay that its owner can change."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longtable.gateway import events
from longtable.gateway.limits import Bucket
from longtable.gateway.results import RuleList
from longtable.governance.model import Rate
from longtable.governance.policy import Policy
from longtable.governance.rules import Rule, parse_rules
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.content import check_json
from longtable.kernel.errors import ConfigError, InvalidArgument, VersionConflict
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import Transaction
from longtable.upstreams.config import Rates

DEFAULT_RATE = Rate(60, MINUTE)
_NO_RATES = Rates()
_FRESH_FOR = SECOND
_MAX_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class _Overlay:
    """The owner's rules and the upstreams that are switched off."""

    version: int = 0
    rules: tuple[Rule, ...] = ()
    off: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _CachedPolicy:
    policy: Policy
    overlay: _Overlay
    until: int


class Policies:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._clock = ledger.clock
        self._file_rules: tuple[Rule, ...] = ()
        self._rates = _NO_RATES
        self._cache: dict[str, _CachedPolicy] = {}

    def set_file(self, rules: Sequence[Rule], rates: Rates) -> None:
        """Takes over the rules of a gateway file that has changed. Approvals under the old rules become invalid."""
        self._rates = rates
        if tuple(rules) != self._file_rules:
            self._file_rules = tuple(rules)
            self._cache.clear()

    async def cached(self, caller: Caller) -> Policy:
        """For a list: up to a second old."""
        return (await self._cached(caller.tenant)).policy.for_caller(caller)

    async def current(self, caller: Caller) -> Policy:
        """For a call: as it is in the store now."""
        return (await self._refresh(caller.tenant)).policy.for_caller(caller)

    async def for_everybody(self, tenant: str) -> Policy:
        """Without the rules that say who; up to a second old."""
        return (await self._cached(tenant)).policy

    def last_audience(self, caller: Caller) -> str:
        """The audience of the caller, by the policy as it was last read."""
        entry = self._cache.get(caller.tenant)
        return "" if entry is None else entry.policy.for_caller(caller).audience

    def buckets(self, caller: Caller, tool: str, rate: Rate | None) -> list[Bucket]:
        """The rate limits of a call: of the tool by this caller, of the caller, and of the tenant."""
        rates = self._rates
        limited = (
            Bucket(f"tool:{tool}:{caller.agent}", rate or rates.tool or DEFAULT_RATE, "of this tool by you"),
            Bucket(f"caller:{caller.agent}", rates.caller, "by you") if rates.caller else None,
            Bucket("tenant", rates.tenant, "by your team") if rates.tenant else None,
        )
        return [bucket for bucket in limited if bucket is not None]

    async def list(self, call: Call) -> RuleList:
        return self._view(await self._cached(call.caller.tenant))

    async def replace(
        self, call: Call, new_rules: Sequence[Mapping[str, Any]], expected_version: int | None
    ) -> RuleList:
        """Replaces all rules of the owner. Approvals under the old policy become invalid."""
        check_json("rules", list(new_rules), _MAX_BYTES)
        try:
            rules = parse_rules(list(new_rules), "rules")
        except ConfigError as error:
            raise InvalidArgument(error.message, **error.details) from None

        return await self._change(call, lambda known: replace(known, rules=rules), "rules", expected_version)

    async def switch(self, call: Call, upstream: str, on: bool) -> RuleList:
        """Approvals under the old policy become invalid, either way."""

        def switched(known: _Overlay) -> _Overlay:
            return replace(known, off=known.off - {upstream} if on else known.off | {upstream})

        return await self._change(call, switched, upstream, None)

    async def _change(
        self, call: Call, change: Callable[[_Overlay], _Overlay], what: str, expected_version: int | None
    ) -> RuleList:
        async def body(work: Work) -> RuleList:
            work.concerns_tenant()
            known = await _newest(work.tx)
            if expected_version is not None and expected_version != known.version:
                raise VersionConflict(f"The rules are at version {known.version}.", current_version=known.version)
            overlay = replace(change(known), version=known.version + 1)
            await _insert(work, overlay)
            work.happened(events.tools_changed(what))
            work.touched("gateway_rules", version=overlay.version)
            return self._view(self._entry(overlay))

        result = await self._ledger.write(call, RuleList, body)
        self._cache.pop(call.caller.tenant, None)
        return result

    async def _cached(self, tenant: str) -> _CachedPolicy:
        entry = self._cache.get(tenant)
        return entry if entry is not None and self._clock() < entry.until else await self._refresh(tenant)

    async def _refresh(self, tenant: str) -> _CachedPolicy:
        entry = self._cache.get(tenant)
        version = await self._ledger.database.look_up(tenant, _newest_version)
        if entry is not None and entry.overlay.version == version:
            entry = replace(entry, until=self._clock() + _FRESH_FOR)
        else:
            entry = self._entry(await self._ledger.database.read(tenant, _newest))
        self._cache[tenant] = entry
        return entry

    def _entry(self, overlay: _Overlay) -> _CachedPolicy:
        policy = Policy((*self._file_rules, *overlay.rules), overlay.off)
        return _CachedPolicy(policy, overlay, self._clock() + _FRESH_FOR)

    def _view(self, entry: _CachedPolicy) -> RuleList:
        return RuleList(
            rules=[rule.as_json() for rule in entry.overlay.rules],
            file_rules=[rule.as_json() for rule in self._file_rules],
            switched_off=sorted(entry.overlay.off),
            version=entry.overlay.version,
            policy_version=entry.policy.version,
        )


async def _newest_version(tx: Transaction) -> int:
    row = await tx.first("SELECT MAX(version) AS version FROM gateway_overlays WHERE tenant = :tenant")
    return int(row["version"] or 0) if row else 0


async def _newest(tx: Transaction) -> _Overlay:
    row = await tx.first(
        "SELECT version, document FROM gateway_overlays WHERE tenant = :tenant ORDER BY version DESC LIMIT 1"
    )
    if row is None:
        return _Overlay()
    document = json.loads(row["document"])
    return _Overlay(row["version"], parse_rules(document["rules"], "rules"), frozenset(document["off"]))


async def _insert(work: Work, overlay: _Overlay) -> None:
    await work.tx.execute(
        """INSERT INTO gateway_overlays (tenant, version, document, changed_by, changed_at)
           VALUES (:tenant, :version, :document, :by, :now)""",
        version=overlay.version,
        document=json.dumps({"rules": [rule.as_json() for rule in overlay.rules], "off": sorted(overlay.off)}),
        by=work.caller.agent,
        now=work.now,
    )
