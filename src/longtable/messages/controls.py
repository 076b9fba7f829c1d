"""What people ask of an agent, and that the agent has learnt of it."""

from longtable.identity.model import WORKERS
from longtable.kernel.caller import Caller
from longtable.kernel.control import Control
from longtable.log.ledger import Work
from longtable.messages import events, store
from longtable.storage.database import Transaction


async def asked_of(tx: Transaction, caller: Caller) -> tuple[Control | None, bool]:
    """What the newest message of control asks of the caller, and whether the caller has yet to learn of one. Once it
    has, that it may go on is not repeated."""
    newest, unseen = await store.controls(tx, caller.session, caller.agent)
    if newest is None or newest.control is None or caller.role not in WORKERS or caller.is_human:
        return None, False
    control = newest.as_control(newest.control)
    return (control if control.holds_back or unseen else None), bool(unseen)


async def acknowledge(work: Work) -> Control | None:
    """What is asked of the caller, who counts as having learnt of it."""
    control, is_news = await asked_of(work.tx, work.caller)
    if is_news:
        _, unseen = await store.controls(work.tx, work.caller.session, work.caller.agent)
        await store.acknowledge(work.tx, work.caller.session, work.caller.agent, work.now)
        for message in unseen:
            work.happened(events.acknowledged(message))
    return control
