"""One spelling for each agent of a tenant: the first one used. So names are compared once, when a caller is
resolved."""

import secrets
from dataclasses import replace

from longtable.identity.unnamed_agents import made_up_name
from longtable.kernel.caller import Caller
from longtable.kernel.errors import StoreUnavailable
from longtable.kernel.names import folded
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import get_fact, set_fact

_FACT = "agent_names"
_MAX_CACHED = 10_000
_KEY_BYTES = 16
_ATTEMPTS = 20


class AgentNames:
    """A stored spelling never changes, so every process may cache it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached: dict[tuple[str, str], str] = {}

    async def with_stored_name(self, caller: Caller) -> Caller:
        """The caller under the stored name of its agent."""
        key = (caller.tenant, caller.agent)
        name = self._cached.get(key)
        if name is None:
            name = await self._find_or_store(caller)
        return caller if name == caller.agent else replace(caller, agent=name)

    def has(self, caller: Caller) -> bool:
        """Whether the name of this caller is stored in this spelling."""
        return (caller.tenant, caller.agent) in self._cached

    async def new_key(self, tenant: str, client_name: str | None) -> str:
        """A random key. The name that is made of it for this client is taken from now on, and was nobody's before,
        unless nearly all such names are taken."""
        for _ in range(_ATTEMPTS):
            key = secrets.token_hex(_KEY_BYTES)
            if await self._take(tenant, made_up_name(client_name, key)):
                break
        return key

    async def _take(self, tenant: str, name: str) -> bool:
        try:
            return await self._database.write(tenant, lambda tx: _insert(tx, name))
        except StoreUnavailable:
            return True

    async def _find_or_store(self, caller: Caller) -> str:
        tenant, sent = caller.tenant, caller.agent
        name = await self._database.read(tenant, lambda tx: find_spelling(tx, sent))
        if name is None:
            try:
                name = await self._database.write(tenant, lambda tx: store_spelling(tx, sent))
            except StoreUnavailable:
                # Reads go on while the store cannot be written; a write will fail by itself.
                return sent
        if len(self._cached) >= _MAX_CACHED:
            self._cached.clear()
        self._cached[tenant, sent] = self._cached[tenant, name] = name
        return name


async def find_spelling(tx: Transaction, name: str) -> str | None:
    row = await tx.first(
        "SELECT name FROM agent_names WHERE tenant = :tenant AND folded = :folded", folded=folded(name)
    )
    return str(row["name"]) if row else None


async def store_spelling(tx: Transaction, name: str) -> str:
    """The stored name of this agent, which is `name` if it is new."""
    await _insert(tx, name)
    return await find_spelling(tx, name) or name


async def _insert(tx: Transaction, name: str) -> bool:
    """Whether no agent had this name."""
    inserted = await tx.execute(
        """INSERT INTO agent_names (tenant, folded, name) VALUES (:tenant, :folded, :name)
           ON CONFLICT (tenant, folded) DO NOTHING""",
        folded=folded(name),
        name=name,
    )
    return inserted > 0


async def known_spelling(database: Database, tenant: str, name: str | None) -> str | None:
    """The stored name of the agent that a filter names; None for none."""
    return name and (await database.read(tenant, lambda tx: find_spelling(tx, name)) or name)


async def import_earlier_spellings(database: Database) -> None:
    """Once for a store that is older than this table: the audit log has the first spelling of each."""
    if await database.read(SYSTEM, lambda tx: get_fact(tx, _FACT)) is not None:
        return

    async def transaction(tx: Transaction) -> None:
        if await get_fact(tx, _FACT) is not None:
            return
        rows = await tx.all(
            "SELECT tenant, agent_id, MIN(seq) AS first FROM audit GROUP BY tenant, agent_id ORDER BY first"
        )
        for row in rows:
            await tx.execute(
                """INSERT INTO agent_names (tenant, folded, name) VALUES (:of, :folded, :name)
                   ON CONFLICT (tenant, folded) DO NOTHING""",
                of=row["tenant"],
                folded=folded(row["agent_id"]),
                name=row["agent_id"],
            )
        await set_fact(tx, _FACT, "kept")

    await database.write(SYSTEM, transaction)
