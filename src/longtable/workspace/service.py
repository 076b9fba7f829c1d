"""Puts a workspace together from the slices that hold its parts, and shows many tables at once."""

from collections.abc import Sequence
from functools import partial

from longtable.activity.store import newest_visible
from longtable.draft import store as draft_store
from longtable.draft.model import SectionVersion
from longtable.identity.model import EVERYONE, OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger
from longtable.log.reader import head
from longtable.notes.arguments import ReadNotes
from longtable.notes.service import Notes
from longtable.plan.arguments import ReadPlan
from longtable.plan.model import PlanSummary
from longtable.plan.service import Plan
from longtable.questions.arguments import ListQuestions
from longtable.questions.listing import QuestionLists
from longtable.questions.model import QuestionView
from longtable.sessions.service import not_found
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, Scope, tool
from longtable.workspace import store
from longtable.workspace.arguments import GetTable, GetWorkspace, ListTables
from longtable.workspace.model import DraftSection, TableList, TableShown, TableView, WorkspaceRead
from longtable.workspace.store import PageCursor, RankedSession

_QUESTIONS_A_PAGE = 500
_SHOWN_AGENTS = 20
_FIRST = 2**62
_workspace_tool = partial(tool, group="workspace", over_mcp=False)


class TableOverview:
    def __init__(self, ledger: Ledger, notes: Notes, plan: Plan, questions: QuestionLists) -> None:
        self._ledger = ledger
        self._notes = notes
        self._plan = plan
        self._questions = questions

    @_workspace_tool(
        "get_workspace",
        title="Look at the whole workspace",
        description="Show a session's notes, draft, plan and questions in one answer.",
        roles=EVERYONE,
        audited_as="workspace_read",
        routes=(Route("GET", "/sessions/{session_id}/workspace"),),
    )
    async def read(self, call: Call, arguments: GetWorkspace) -> WorkspaceRead:
        """Everything but the notes is shown whole. It does not count as reading a section."""
        session_id = call.caller.session
        sections = await self._ledger.read(call.caller, lambda tx: draft_store.manuscript(tx, session_id))
        # Unchecked: a workspace may show more notes than one page of them.
        first = ReadNotes.model_construct(order="oldest", limit=arguments.limit)
        notes = (await self._notes.read(call, first)).json_fields()
        plan = (await self._plan.read(call, ReadPlan())).json_fields()
        return WorkspaceRead.of_json(
            notes=notes["notes"],
            draft_sections={section.section_id: _section(section).model_dump(mode="json") for section in sections},
            plan=plan["tasks"],
            questions=[question.model_dump(mode="json") for question in await self._all_questions(call)],
            next_cursor=notes["next_cursor"],
        )

    @_workspace_tool(
        "list_tables",
        title="See all tables",
        description="List sessions with who is in them and how far they have got, the most recently active first.",
        roles=OVERSEERS,
        audited_as="tables_listed",
        scope=Scope.TENANT,
        routes=(Route("GET", "/overview"),),
    )
    async def tables(self, call: Call, arguments: ListTables) -> TableList:
        """The most recently active first."""
        now, caller = self._ledger.clock(), call.caller
        after = PageCursor(*decode_cursor(arguments.cursor, int, int, str)) if arguments.cursor else None

        async def body(tx: Transaction) -> TableList:
            place = after or PageCursor(await head(tx), _FIRST, "")
            found = await store.by_activity(tx, caller, arguments.status, now, place, arguments.limit + 1)
            page = found[: arguments.limit]
            views = await _overview(tx, caller, page, now)
            return TableList(
                sessions=views,
                count=len(views),
                next_cursor=_after(place, page[-1]) if len(found) > len(page) else None,
            )

        return await self._ledger.read(caller, body)

    @_workspace_tool(
        "get_table",
        title="See one table",
        description="Show a session with who is in it and how far it has got, and where its stream begins.",
        roles=OVERSEERS,
        audited_as="table_read",
        routes=(Route("GET", "/sessions/{session_id}/overview"),),
    )
    async def table(self, call: Call, arguments: GetTable) -> TableShown:
        now, caller = self._ledger.clock(), call.caller

        async def body(tx: Transaction) -> TableShown:
            # Read first: a stream that begins here also gets what is committed while the rest is read.
            last_seq = await newest_visible(tx, caller)
            found = await store.one(tx, caller)
            if found is None:
                raise not_found()
            (view,) = await _overview(tx, caller, [found], now)
            return TableShown(session=view, last_seq=last_seq)

        return await self._ledger.read(caller, body)

    async def _all_questions(self, call: Call) -> list[QuestionView]:
        found: list[QuestionView] = []
        cursor: str | None = None
        while True:
            page = await self._questions.list_all(call, ListQuestions(limit=_QUESTIONS_A_PAGE, cursor=cursor))
            found += page.questions
            cursor = page.next_cursor
            if cursor is None:
                return found


def _section(section: SectionVersion) -> DraftSection:
    return DraftSection(
        title=section.title,
        content=section.content or "",
        version=section.version,
        author=section.author,
        updated_at=to_iso(section.created_at),
    )


def _after(place: PageCursor, last: RankedSession) -> str:
    return encode_cursor(place.head, last.last_seq, last.session.session_id)


async def _overview(tx: Transaction, caller: Caller, found: Sequence[RankedSession], now: int) -> list[TableView]:
    """The number of statements does not grow with the page."""
    ids = [each.session.session_id for each in found]
    if not ids:
        return []
    tasks = await store.tasks(tx, ids, now)
    questions = await store.questions(tx, ids, now)
    notes = await store.notes(tx, ids)
    sections = await store.sections(tx, ids)
    messages = await store.messages(tx, caller, ids)
    agents = await store.agents(tx, caller, ids)
    views = []
    for session_id, each in zip(ids, found, strict=True):
        plan = PlanSummary.of(tasks.get(session_id, {}))
        waiting, blocking = questions.get(session_id, (0, 0))
        seated = agents.get(session_id, [])
        views.append(
            TableView(
                **dict(each.session.view(now)),
                agents=seated[:_SHOWN_AGENTS],
                agent_count=len(seated),
                tasks=plan,
                progress=plan.progress,
                open_questions=waiting,
                blocking_questions=blocking,
                notes=notes.get(session_id, 0),
                sections=sections.get(session_id, 0),
                messages=messages.get(session_id, 0),
                last_activity_at=to_iso(each.active_at),
            )
        )
    return views
