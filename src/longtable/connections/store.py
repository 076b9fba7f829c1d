"""SQL for connections."""

import json
from collections import Counter
from collections.abc import Collection, Mapping

from longtable.connections.model import ClientFacts, ConnectionRow, ConnectionState
from longtable.storage.database import Row, Transaction

_COLUMNS = "tenant, connection_id, owner, client, session_id, state, created_at, last_used_at"


async def find(tx: Transaction, connection_id: str) -> ConnectionRow | None:
    row = await tx.first(
        f"SELECT {_COLUMNS} FROM connections WHERE tenant = :tenant AND connection_id = :connection_id",
        connection_id=connection_id,
    )
    return _connection(row) if row else None


async def insert(tx: Transaction, row: ConnectionRow) -> None:
    await tx.execute(
        """INSERT INTO connections (tenant, connection_id, owner, client, session_id, state, created_at, last_used_at)
           VALUES (:tenant, :connection_id, :owner, :client, NULL, '{}', :created_at, :last_used_at)""",
        connection_id=row.connection_id,
        owner=row.owner,
        client=row.client.to_text(),
        created_at=row.created_at,
        last_used_at=row.last_used_at,
    )


async def save_state(tx: Transaction, connection_id: str, state: ConnectionState) -> None:
    await tx.execute(
        "UPDATE connections SET state = :state WHERE tenant = :tenant AND connection_id = :connection_id",
        connection_id=connection_id,
        state=state.to_text(),
    )


async def set_session(tx: Transaction, connection_id: str, session_id: str) -> int:
    return await tx.execute(
        "UPDATE connections SET session_id = :session_id WHERE tenant = :tenant AND connection_id = :connection_id",
        connection_id=connection_id,
        session_id=session_id,
    )


async def delete(tx: Transaction, connection_id: str) -> int:
    return await tx.execute(
        "DELETE FROM connections WHERE tenant = :tenant AND connection_id = :connection_id",
        connection_id=connection_id,
    )


async def used(tx: Transaction, moments: Mapping[str, int]) -> None:
    """Saves when connections were last used."""
    await tx.execute_many(
        """UPDATE connections SET last_used_at = :moment
           WHERE tenant = :tenant AND connection_id = :connection_id AND last_used_at < :moment""",
        [{"connection_id": name, "moment": moment} for name, moment in moments.items()],
    )


async def unused_longest(tx: Transaction, owner: str, kept: int) -> list[str]:
    """The connections of a credential beyond the `kept` that were used last."""
    rows = await tx.all(
        """SELECT connection_id FROM connections WHERE tenant = :tenant AND owner = :owner
           ORDER BY last_used_at DESC, created_at DESC LIMIT 1000 OFFSET :kept""",
        owner=owner,
        kept=kept,
    )
    return [row["connection_id"] for row in rows]


async def open_subscriptions(
    tx: Transaction, row: ConnectionRow, used_since: int, named: Collection[str | None]
) -> Counter[tuple[str | None, str]]:
    """How many subscriptions the other connections of the same credential have, by session and agent. Only those with
    a stream that was used lately count, and whose state has one of the names in it: of a thousand connections hardly
    any has, and to parse the state of each would take milliseconds."""
    position = "strpos" if tx.dialect == "postgres" else "instr"
    names = {f"name_{number}": json.dumps(name) for number, name in enumerate(sorted(named, key=str))}
    has_name = " OR ".join(f"{position}(state, :{name}) > 0" for name in names)
    if tx.dialect == "postgres":
        listener, each = "CAST(state AS jsonb) ->> 'listener'", "jsonb_array_elements(CAST(state AS jsonb)"
        listed, value = f"{each} -> 'subscriptions') AS one(value)", "value ->> '{}'"
    else:
        listener, value = "json_extract(state, '$.listener')", "json_extract(value, '$.{}')"
        listed = "json_each(state, '$.subscriptions')"
    rows = await tx.tuples(
        f"""SELECT {value.format("session_id")}, {value.format("agent")}, COUNT(*) FROM connections CROSS JOIN {listed}
            WHERE tenant = :tenant AND owner = :owner AND last_used_at > :since AND connection_id <> :connection_id
              AND state <> '{{}}' AND ({has_name}) AND {listener} IS NOT NULL
            GROUP BY 1, 2""",
        owner=row.owner,
        connection_id=row.connection_id,
        since=used_since,
        **names,
    )
    return Counter({(session_id, agent): number for session_id, agent, number in rows})


async def over(tx: Transaction, session_ids: list[str]) -> set[str]:
    """The sessions among these that are not active any more."""
    parameters = {f"session_{number}": session_id for number, session_id in enumerate(sorted(set(session_ids)))}
    if not parameters:
        return set()
    names = ", ".join(f":{name}" for name in parameters)
    rows = await tx.all(
        f"""SELECT session_id FROM sessions
            WHERE tenant = :tenant AND session_id IN ({names}) AND status = 'active'""",
        **parameters,
    )
    return set(session_ids) - {row["session_id"] for row in rows}


async def forget_unused(tx: Transaction, before: int) -> int:
    """For all tenants; run in SYSTEM scope."""
    return await tx.execute("DELETE FROM connections WHERE last_used_at < :before", before=before)


async def count(tx: Transaction) -> int:
    """For all tenants; run in SYSTEM scope."""
    row = await tx.first("SELECT COUNT(*) AS n FROM connections")
    return int(row["n"]) if row else 0


def _connection(row: Row) -> ConnectionRow:
    return ConnectionRow(
        tenant=row["tenant"],
        connection_id=row["connection_id"],
        owner=row["owner"],
        client=ClientFacts.from_text(row["client"]),
        session_id=row["session_id"],
        state=ConnectionState.from_text(row["state"]),
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
    )
