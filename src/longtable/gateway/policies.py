"""The policy of each tenant: the rules of the file, with what its owner has laid over them at run time."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longtable.gateway import events
from longtable.gateway.limits import Bucket
from longtable.governance.model import Rate
from longtable.governance.policy import Policy
from longtable.governance.rules import Rule, parse_rules
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.content import check_json
from longtable.kernel.errors import ConfigError, InvalidArgument, VersionConflict
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import Transaction
from longtable.upstreams.config import Rates

DEFAULT_RATE = Rate(60, MINUTE)
_FRESH_FOR = SECOND
_MAX_BYTES = 262_144


class RuleList(Result):
    """`rules` are the owner's, `file_rules` those of the configuration file; of all that match, the strictest holds."""

    rules: list[dict[str, Any]]
    file_rules: list[dict[str, Any]]
    version: int
    policy_version: str


@dataclass(frozen=True, slots=True)
class _Kept:
    policy: Policy
    rules: tuple[Rule, ...]
    version: int
    until: int


class Policies:
    def __init__(self, ledger: Ledger, rules: Sequence[Rule], rates: Rates) -> None:
        self._ledger = ledger
        self._clock = ledger.clock
        self._file_rules = tuple(rules)
        self._rates = rates
        self._kept: dict[str, _Kept] = {}

    async def of(self, tenant: str) -> Policy:
        """For a list: what another replica has changed a moment ago may be missing."""
        return (await self._of(tenant)).policy

    async def now(self, tenant: str) -> Policy:
        """For a call: what holds at this moment, whoever has changed it."""
        return (await self._read(tenant)).policy

    def buckets(self, caller: Caller, tool: str, rate: Rate | None) -> list[Bucket]:
        """What a call must leave room in: the tool's own by this caller, and those of the caller and the tenant."""
        rates = self._rates
        limited = (
            Bucket(f"tool:{tool}:{caller.agent}", rate or rates.tool or DEFAULT_RATE, "of this tool by you"),
            Bucket(f"caller:{caller.agent}", rates.caller, "by you") if rates.caller else None,
            Bucket("tenant", rates.tenant, "by your team") if rates.tenant else None,
        )
        return [bucket for bucket in limited if bucket is not None]

    async def list(self, call: Call) -> RuleList:
        return self._view(await self._of(call.caller.tenant))

    async def replace(self, call: Call, given: Sequence[Mapping[str, Any]], expected_version: int | None) -> RuleList:
        """All rules of the owner at once. What was approved under other rules counts no more."""
        check_json("rules", list(given), _MAX_BYTES)
        try:
            rules = parse_rules(list(given), "rules")
        except ConfigError as error:
            raise InvalidArgument(error.message, **error.details) from None

        async def body(work: Work) -> RuleList:
            work.concerns_tenant()
            version, _ = await _newest(work.tx)
            if expected_version is not None and expected_version != version:
                raise VersionConflict(f"The rules are at version {version}.", current_version=version)
            await _insert(work, version + 1, rules)
            work.happened(events.tools_changed("rules"))
            work.touched("gateway_rules", version=version + 1)
            kept = self._made(rules, version + 1)
            return self._view(kept)

        result = await self._ledger.write(call, RuleList, body)
        self._kept.pop(call.caller.tenant, None)
        return result

    async def _of(self, tenant: str) -> _Kept:
        kept = self._kept.get(tenant)
        return kept if kept is not None and self._clock() < kept.until else await self._read(tenant)

    async def _read(self, tenant: str) -> _Kept:
        kept = self._kept.get(tenant)
        version = await self._ledger.database.read(tenant, _newest_version)
        if kept is not None and kept.version == version:
            kept = replace(kept, until=self._clock() + _FRESH_FOR)
        else:
            version, rules = await self._ledger.database.read(tenant, _newest)
            kept = self._made(rules, version)
        self._kept[tenant] = kept
        return kept

    def _made(self, rules: tuple[Rule, ...], version: int) -> _Kept:
        return _Kept(Policy((*self._file_rules, *rules)), rules, version, self._clock() + _FRESH_FOR)

    def _view(self, kept: _Kept) -> RuleList:
        return RuleList(
            rules=[rule.as_json() for rule in kept.rules],
            file_rules=[rule.as_json() for rule in self._file_rules],
            version=kept.version,
            policy_version=kept.policy.version,
        )


async def _newest_version(tx: Transaction) -> int:
    row = await tx.first("SELECT MAX(version) AS version FROM gateway_overlays WHERE tenant = :tenant")
    return int(row["version"] or 0) if row else 0


async def _newest(tx: Transaction) -> tuple[int, tuple[Rule, ...]]:
    row = await tx.first(
        "SELECT version, document FROM gateway_overlays WHERE tenant = :tenant ORDER BY version DESC LIMIT 1"
    )
    if row is None:
        return 0, ()
    return row["version"], parse_rules(json.loads(row["document"])["rules"], "rules")


async def _insert(work: Work, version: int, rules: Sequence[Rule]) -> None:
    await work.tx.execute(
        """INSERT INTO gateway_overlays (tenant, version, document, changed_by, changed_at)
           VALUES (:tenant, :version, :document, :by, :now)""",
        version=version,
        document=json.dumps({"rules": [rule.as_json() for rule in rules]}),
        by=work.caller.agent,
        now=work.now,
    )
