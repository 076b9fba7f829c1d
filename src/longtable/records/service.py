"""Reads a tenant's audit log, newest first, and checks its chain."""

from typing import Any

from longtable.identity.agent_names import known_spelling
from longtable.identity.model import CONDUCTORS
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.content import moment_of
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.anchors import AnchorFile
from longtable.log.audit_blocks import RecordSource, records_with
from longtable.log.ledger import Ledger
from longtable.log.verify import verify_chain
from longtable.records.arguments import GetAuditLog, VerifyAudit
from longtable.records.model import AuditPage, ChainState, entry_of
from longtable.storage.database import Row, Transaction
from longtable.toolkit.answer_size import first_within
from longtable.toolkit.tool import Envelope, Route, Scope, tool

_LOOKED_AT = 50_000
"""Records that one page reads at most to filter by time, for which there is no index."""


class Records:
    def __init__(self, ledger: Ledger, anchors: AnchorFile) -> None:
        self._ledger = ledger
        self._anchors = anchors

    @tool(
        "get_audit_log",
        title="Read the audit log",
        description="Show who did what in your tenant, newest first.",
        group="messages",
        roles=CONDUCTORS,
        audited_as="audit_read",
        scope=Scope.TENANT,
        envelope=Envelope.SUCCESS,
        routes=(Route("GET", "/audit"),),
    )
    async def read(self, call: Call, arguments: GetAuditLog) -> AuditPage:
        await self._ledger.flush()
        before = _before(arguments)
        agent_id = await known_spelling(self._ledger.database, call.caller.tenant, arguments.agent_id)
        source = _source(arguments, agent_id, before)
        when, moments = _timed(arguments, self._ledger.clock())

        async def body(tx: Transaction) -> tuple[list[Row], int]:
            floor = await _floor(tx, source) if when else 0
            rows = await tx.all(
                f"SELECT audit.* FROM {source.sql} {when} AND audit.seq >= :floor ORDER BY {source.order} LIMIT :limit",
                floor=floor,
                limit=arguments.limit + 1,
                **source.parameters,
                **moments,
            )
            return rows, floor

        found, floor = await self._ledger.read(call.caller, body)
        entries = first_within(map(entry_of, found[: arguments.limit]), call.max_chars)
        count = len(entries)
        last = found[count - 1]["seq"] if len(found) > count else floor
        is_cut = count < min(len(found), arguments.limit)
        page = AuditPage.of_json(
            **({"truncated": True} if is_cut else {}),
            entries=entries,
            count=count,
            next_cursor=encode_cursor(last) if last else None,
        )
        page.measured()
        return page

    @tool(
        "verify_audit_log",
        title="Verify the audit log",
        description="Recompute the hash chain of your tenant's audit log.",
        group="messages",
        roles=frozenset({Role.OWNER, Role.LOCAL}),
        audited_as="audit_verified",
        scope=Scope.TENANT,
        over_mcp=False,
        routes=(Route("POST", "/audit/verify"),),
    )
    async def verify(self, call: Call, arguments: VerifyAudit) -> ChainState:
        tenant = call.caller.tenant
        state = await verify_chain(self._ledger.database, tenant, (await self._anchors.read()).get(tenant))
        return ChainState(holds=state.holds, records=state.records, broken_at=state.broken_at, problem=state.problem)


def _before(arguments: GetAuditLog) -> int | None:
    """The number of the record behind which a page begins; None for the newest."""
    if arguments.cursor:
        return int(decode_cursor(arguments.cursor, int)[0])
    return None if arguments.from_seq is None else arguments.from_seq + 1


async def _floor(tx: Transaction, source: RecordSource) -> int:
    """The number of the last record that this page reads, 0 where it can read all that are left."""
    row = await tx.first(
        f"SELECT audit.seq FROM {source.sql} ORDER BY {source.order} LIMIT 1 OFFSET :skipped",
        skipped=_LOOKED_AT - 1,
        **source.parameters,
    )
    return int(row["seq"]) if row else 0


def _source(arguments: GetAuditLog, agent_id: str | None, before: int | None) -> RecordSource:
    named = {
        "event_type": arguments.event_type,
        "agent_id": agent_id,
        "session_id": arguments.session_id,
        "outcome": arguments.outcome,
    }
    return records_with({name: value for name, value in named.items() if value is not None}, before)


def _timed(arguments: GetAuditLog, now: int) -> tuple[str, dict[str, Any]]:
    since = moment_of(arguments.since, now) if arguments.since else None
    until = moment_of(arguments.until, now) if arguments.until else None
    choices = [("created_at >= :since", "since", since), ("created_at <= :until", "until", until)]
    chosen = [choice for choice in choices if choice[2] is not None]
    return "".join(f" AND audit.{choice[0]}" for choice in chosen), {name: value for _, name, value in chosen}
