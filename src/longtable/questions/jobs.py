"""Periodic job of questions: their time runs out."""

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import SECOND
from longtable.log.ledger import Ledger, Work
from longtable.questions import store
from longtable.questions.checkpoints import expire_due
from longtable.questions.model import QuestionsExpired, question_id
from longtable.storage.database import SYSTEM

EXPIRED_EVERY = 5 * SECOND
_BATCH = 200


async def expire_questions(ledger: Ledger) -> None:
    """Safe on many replicas at once: the write finds nothing that another has expired meanwhile."""
    now = ledger.clock()
    for tenant, session_id in await ledger.database.read(SYSTEM, lambda tx: store.overdue(tx, now, _BATCH)):
        await _expire(ledger, tenant, session_id)


async def _expire(ledger: Ledger, tenant: str, session_id: str) -> None:
    async def body(work: Work) -> QuestionsExpired:
        expired = [question_id(number) for number in await expire_due(work)]
        work.touched("questions", expired=expired)
        return QuestionsExpired(expired=expired)

    caller = Caller(tenant, Role.OWNER, "longtable", "system", Surface.CLI, session_id)
    await ledger.write(Call(caller, "expire_questions", "questions_expired"), QuestionsExpired, body)
