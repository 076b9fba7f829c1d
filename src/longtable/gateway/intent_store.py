"""SQL for intents: what conversations asked for, and the calls that followed."""

from typing import Any

from longtable.storage import counters
from longtable.storage.database import Row, Transaction


async def find_open(tx: Transaction, agent: str, conversation: str, message: str) -> int | None:
    """The intent of the same conversation and message: ten calls for one message are one intent. Only the last few are
    searched, as every call does this and a conversation may go on for weeks."""
    row = await tx.first(
        """SELECT number FROM (
               SELECT number, agent, message FROM intents
               WHERE tenant = :tenant AND conversation = :conversation ORDER BY number DESC LIMIT 20) AS recent
           WHERE agent = :agent AND message = :message ORDER BY number DESC LIMIT 1""",
        agent=agent,
        conversation=conversation,
        message=message,
    )
    return None if row is None else int(row["number"])


async def insert(tx: Transaction, fields: dict[str, Any], now: int) -> int:
    number = await counters.advance(tx, counters.TENANT_WIDE, "intent")
    await tx.execute(
        """INSERT INTO intents (tenant, number, agent, session_id, conversation, surface_type, surface_user, message,
               hint, workspace, created_at, updated_at)
           VALUES (:tenant, :number, :agent, :session_id, :conversation, :surface_type, :surface_user, :message,
               :hint, :workspace, :now, :now)""",
        number=number,
        now=now,
        **fields,
    )
    return number


async def add_call(tx: Transaction, intent: int, fields: dict[str, Any], now: int) -> None:
    number = await counters.advance(tx, f"intent:{intent}", "call")
    await tx.execute(
        """INSERT INTO intent_calls (tenant, intent, number, tool, layer, outcome, duration_ms, created_at)
           VALUES (:tenant, :intent, :number, :tool, :layer, :outcome, :duration_ms, :now)""",
        intent=intent,
        number=number,
        now=now,
        **fields,
    )
    await tx.execute(
        "UPDATE intents SET updated_at = :now WHERE tenant = :tenant AND number = :intent", intent=intent, now=now
    )


async def set_remote(tx: Transaction, intent: int, remote_id: str) -> None:
    await tx.execute(
        "UPDATE intents SET remote_id = :remote_id WHERE tenant = :tenant AND number = :intent",
        intent=intent,
        remote_id=remote_id,
    )


async def page(tx: Transaction, conversation: str | None, before: int, limit: int) -> list[Row]:
    chosen = "" if conversation is None else "AND conversation = :conversation"
    named = {} if conversation is None else {"conversation": conversation}
    return await tx.all(
        f"""SELECT number, agent, session_id, conversation, surface_type, surface_user, message, hint, workspace,
                remote_id, created_at, updated_at,
                (SELECT purpose FROM sessions
                 WHERE sessions.tenant = :tenant AND sessions.session_id = intents.session_id) AS purpose
            FROM intents WHERE tenant = :tenant AND number < :before {chosen} ORDER BY number DESC LIMIT :limit""",
        before=before,
        limit=limit,
        **named,
    )


async def calls_of(tx: Transaction, first: int, last: int) -> list[Row]:
    return await tx.all(
        """SELECT intent, tool, layer, outcome, duration_ms, created_at FROM intent_calls
           WHERE tenant = :tenant AND intent BETWEEN :first AND :last ORDER BY intent, number""",
        first=first,
        last=last,
    )


async def forget(tx: Transaction, before: int) -> None:
    """In SYSTEM scope."""
    await tx.execute(
        """DELETE FROM intent_calls WHERE EXISTS (
               SELECT 1 FROM intents WHERE intents.tenant = intent_calls.tenant
                 AND intents.number = intent_calls.intent AND intents.updated_at < :before)""",
        before=before,
    )
    await tx.execute("DELETE FROM intents WHERE updated_at < :before", before=before)
