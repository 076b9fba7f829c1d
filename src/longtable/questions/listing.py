"""Lists of questions: of one session, and of all sessions by urgency."""

from functools import partial

from longtable.identity.model import EVERYONE, OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger
from longtable.questions import store
from longtable.questions.arguments import ListOpenQuestions, ListQuestions
from longtable.questions.model import QuestionPage, TableQuestions
from longtable.questions.store import QuestionFilter
from longtable.toolkit.tool import Route, Scope, tool

_listing_tool = partial(tool, group="workspace", audited_as="questions_read", over_mcp=False)


class QuestionLists:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @_listing_tool(
        "list_questions",
        title="List questions",
        description="List all questions of a session in the order they were asked, whatever became of them.",
        roles=EVERYONE,
        routes=(Route("GET", "/sessions/{session_id}/questions"),),
    )
    async def list_all(self, call: Call, arguments: ListQuestions) -> QuestionPage:
        after = decode_cursor(arguments.cursor, int)[0] if arguments.cursor else 0
        where = QuestionFilter(arguments.status, after=after, limit=arguments.limit + 1)
        now, session_id = self._ledger.clock(), call.caller.session
        found = await self._ledger.read(call.caller, lambda tx: store.select(tx, session_id, where, now))
        page = found[: arguments.limit]
        return QuestionPage(
            questions=[question.view() for question in page],
            count=len(page),
            next_cursor=encode_cursor(page[-1].number) if len(found) > len(page) else None,
        )

    @_listing_tool(
        "list_open_questions",
        title="List questions of all sessions",
        description="List what waits for a person in any session: what blocks first, then by priority, then the "
        "newest.",
        roles=OVERSEERS,
        scope=Scope.TENANT,
        routes=(Route("GET", "/questions"),),
    )
    async def of_all_sessions(self, call: Call, arguments: ListOpenQuestions) -> TableQuestions:
        """The most urgent first: what blocks, then by priority, then the newest."""
        now, status = self._ledger.clock(), arguments.status
        after = _urgency(arguments.cursor) if arguments.cursor else None
        limit = arguments.limit + 1
        found = await self._ledger.read(call.caller, lambda tx: store.most_urgent(tx, status, after, limit, now))
        page = found[: arguments.limit]
        return TableQuestions(
            questions=[question for question, _ in page],
            count=len(page),
            next_cursor=encode_cursor(*page[-1][1]) if len(found) > len(page) else None,
        )


def _urgency(cursor: str) -> store.Urgency:
    blocking, rank, asked_at, session_id, number = decode_cursor(cursor, int, int, int, str, int)
    return blocking, rank, asked_at, session_id, number
