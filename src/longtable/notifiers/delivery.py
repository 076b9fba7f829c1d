"""How a notice is written down after an attempt to send it."""

import random
import secrets
from collections.abc import Mapping
from typing import Any

from longtable.log.ledger import Ledger
from longtable.notifiers import store
from longtable.notifiers.model import MAX_ATTEMPTS, OutgoingNotice, SendOutcome, pause_after
from longtable.storage.database import Transaction


def new_notice_id() -> str:
    return f"msg_{secrets.token_hex(12)}"


async def record(ledger: Ledger, tenant: str, notice: OutgoingNotice, outcome: SendOutcome) -> OutgoingNotice:
    """Writes down how it went, for the log of deliveries and for the next attempt."""

    async def body(tx: Transaction) -> OutgoingNotice:
        now = ledger.clock()
        notifier = await store.find_to_change(tx, notice.notifier)
        after = notice._replace(response=outcome.response, problem=outcome.problem)
        if outcome.problem is None:
            after = after._replace(status="sent")
            health: Mapping[str, Any] = {"failures": 0, "paused_until": 0, "gone": False}
        else:
            failures = 1 if notifier is None else notifier.failures + 1
            until = now + pause_after(failures, outcome.retry_after, random.random())  # noqa: S311 - only to spread
            ends = notice.type == "test" or notice.attempts >= MAX_ATTEMPTS or outcome.is_gone
            after = after._replace(status="failed" if ends else "waiting", due_at=until)
            health = {"failures": failures, "paused_until": until, "gone": outcome.is_gone}
        await store.save(tx, after)
        if notifier is not None and (notice.type != "test" or outcome.problem is None):
            await store.set_health(tx, notifier._replace(**health))
        return after

    return await ledger.database.write(tenant, body)
