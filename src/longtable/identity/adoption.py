"""Switching auth on for the first time: what the default tenant had belongs to the first tenant named."""

from longtable.fulltext import index
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT, operator
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import SYSTEM, Row, Transaction
from longtable.storage.facts import get_fact, set_fact

_FACT = "default_tenant_adopted_by"
_TABLES = {
    "sqlite": """SELECT name FROM sqlite_master WHERE type = 'table'
                 AND EXISTS (SELECT 1 FROM pragma_table_info(sqlite_master.name) WHERE name = 'tenant')""",
    "postgres": """SELECT table_name AS name FROM information_schema.columns
                   WHERE table_schema = current_schema() AND column_name = 'tenant'""",
}


class Adopted(Result):
    tenant: str


async def adopt_default_tenant(ledger: Ledger, tenant: str) -> None:
    """Once for a store, and only into a tenant that has nothing of its own yet."""
    moved = await ledger.database.write(SYSTEM, lambda tx: _move(tx, tenant))
    if not moved:
        return
    logger.info("default_tenant_adopted", tenant=tenant)
    call = Call(operator(tenant), "adopt_default_tenant", "default_tenant_adopted")

    async def body(work: Work) -> Adopted:
        work.touched(f"tenant:{DEFAULT_TENANT}")
        return Adopted(tenant=tenant)

    await ledger.write(call, Adopted, body)


async def _move(tx: Transaction, tenant: str) -> bool:
    if await get_fact(tx, _FACT) is not None or tenant == DEFAULT_TENANT:
        return False
    await set_fact(tx, _FACT, tenant)
    ours, theirs = await _head(tx, DEFAULT_TENANT), await _head(tx, tenant)
    if ours is None or not await _has_work(tx, DEFAULT_TENANT, ours):
        return False
    if theirs is not None and await _has_work(tx, tenant, theirs):
        logger.warning("default_tenant_not_adopted", tenant=tenant, reason="it has work of its own")
        return False
    await _rename(tx, tenant, has_records=theirs is not None)
    if theirs is not None:
        await tx.execute(
            "UPDATE audit_heads SET event_seq = :seq WHERE tenant = :tenant", seq=ours["event_seq"], tenant=tenant
        )
    return True


async def _rename(tx: Transaction, tenant: str, has_records: bool) -> None:
    # Its stored names go first: a tenant without writes has nothing under any name.
    await tx.execute("DELETE FROM agent_names WHERE tenant = :new", new=tenant)
    await tx.execute("DELETE FROM tenant_usage WHERE tenant = :new", new=tenant)
    for table in await tx.all(_TABLES[tx.dialect]):
        if has_records and table["name"] in ("audit", "audit_blocks", "audit_heads"):
            continue
        await tx.execute(
            f"UPDATE {table['name']} SET tenant = :new WHERE tenant = :old", new=tenant, old=DEFAULT_TENANT
        )
    # The terms of the index name their tenant.
    await index.refill(tx)


async def _head(tx: Transaction, tenant: str) -> Row | None:
    return await tx.first("SELECT event_seq FROM audit_heads WHERE tenant = :tenant", tenant=tenant)


async def _has_work(tx: Transaction, tenant: str, head: Row) -> bool:
    """Every write tells of an event or advances a counter; issuing a token adds an audit record alone."""
    counted = await tx.first("SELECT 1 FROM counters WHERE tenant = :tenant LIMIT 1", tenant=tenant)
    return counted is not None or int(head["event_seq"]) > 0
