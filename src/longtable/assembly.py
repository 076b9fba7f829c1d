"""Joins the slices: the place where each is built from the parts below it. A new slice adds its lines here."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from longtable.activity.service import Activity
from longtable.brief.service import Briefs
from longtable.core import Core
from longtable.credentials.service import Credentials
from longtable.draft import store as draft_store
from longtable.draft.jobs import forget_reads
from longtable.draft.model import DraftLimits
from longtable.draft.service import Draft
from longtable.fulltext.segments import MERGED_EVERY, merge_segments
from longtable.gateway import call_detail_store, decision_store
from longtable.gateway.gateway_file import FileWatch
from longtable.gateway.service import Gateway
from longtable.gateway.slice import join_gateway
from longtable.holds.service import RELEASED_EVERY
from longtable.holds.tools import HoldTools
from longtable.inbox.service import Inboxes
from longtable.log.anchors import ANCHORED_EVERY, AnchorFile
from longtable.log.ledger import forget_old_events, forget_old_keys
from longtable.memory import store as memory_store
from longtable.memory.service import Memory, forget_expired
from longtable.messages import store as message_store
from longtable.messages.controls import acknowledge, asked_of
from longtable.messages.service import Messages, newest_messages
from longtable.notebooks.cells import Cells
from longtable.notebooks.dependencies import NotebookDependencies
from longtable.notebooks.jobs import Sweeper, TrashJob
from longtable.notebooks.namespaces import Namespaces
from longtable.notebooks.reads import NotebookReads
from longtable.notebooks.schemas import Schemas
from longtable.notebooks.service import Notebooks
from longtable.notebooks.trash import Trash
from longtable.notes import store as note_store
from longtable.notes.model import NoteLimits
from longtable.notes.rendering import render_notes
from longtable.notes.service import Notes
from longtable.notifiers import store as notifier_store
from longtable.notifiers.jobs import forget_old_notices
from longtable.notifiers.slice import join_notifiers
from longtable.now.service import Now
from longtable.operator_tools import gateway_dependencies
from longtable.plan import store as plan_store
from longtable.plan.service import Plan
from longtable.questions import store as question_store
from longtable.questions.answers import Answers
from longtable.questions.checkpoints import Checkpoints
from longtable.questions.jobs import EXPIRED_EVERY, expire_questions
from longtable.questions.listing import QuestionLists
from longtable.questions.relayed_answers import RelayedAnswers
from longtable.questions.rendering import render_answers
from longtable.questions.service import Questions
from longtable.records.service import Records
from longtable.redaction.service import Redaction
from longtable.reservations import store as reservation_store
from longtable.reservations.service import Reservations
from longtable.search.finder import Finder
from longtable.search.service import NotebookSearch, Search
from longtable.search.texts import TEXTS
from longtable.sessions.jobs import MinuteJob, PeriodicJob, Purge
from longtable.sessions.tools import SessionTools
from longtable.settings.provides import listing_of, provided
from longtable.sharing import store as share_store
from longtable.sharing.service import Sharing
from longtable.storage.sqlite import SqliteDatabase
from longtable.storage.sqlite_backup import ScheduledBackups
from longtable.toolkit.tool import Tool, tools_of
from longtable.transfer import session_store as import_store
from longtable.transfer.exporter import Exporter
from longtable.transfer.forks import Forks
from longtable.transfer.importer import Importer
from longtable.transfer.model import TransferLimits
from longtable.usage.service import CallUsage, UsageReports
from longtable.validation.service import Validation, ValidationLimits
from longtable.vectors.indexer import Indexer
from longtable.vectors.meaning import VectorSearch
from longtable.vectors.reindex import complete
from longtable.vectors.slice import join_vectors
from longtable.vectors.word_indexer import WordIndexer
from longtable.workspace.service import TableOverview


@dataclass(frozen=True, slots=True)
class Transfers:
    """Export and import."""

    exporter: Exporter
    importer: Importer


@dataclass(frozen=True, slots=True)
class Slices:
    """Everything that the slices add to the core. `tools` are in the order in which they are listed; `purges` delete
    what belongs to a session; `closers` run when the process ends."""

    tools: list[Tool[Any]]
    purges: list[Purge]
    minute_jobs: list[MinuteJob]
    periodic_jobs: list[PeriodicJob]
    closers: list[Callable[[], Awaitable[None]]]
    inbox: Inboxes
    call_usage: CallUsage
    sweeper: Sweeper
    relayed_answers: RelayedAnswers
    gateway: Gateway
    gateway_file: FileWatch
    meaning: VectorSearch
    words: WordIndexer
    indexer: Indexer
    transfers: Transfers


def join_slices(core: Core) -> Slices:
    settings, ledger = core.settings, core.ledger
    vectors = join_vectors(settings, ledger.database, ledger.background, ledger.clock, TEXTS)
    finder = Finder(ledger, vectors.words, vectors.meaning, settings.semantic_search_limit)
    validation = Validation(ValidationLimits.of(settings), ledger.background)
    notebooks = NotebookDependencies.of(settings, ledger, validation)
    sweeper = Sweeper(notebooks, settings.preempt_age)
    gateway = join_gateway(gateway_dependencies(core, validation))
    inbox = Inboxes(ledger, core.wakeups, question_store.count_answers_since)
    call_usage, notifiers = CallUsage(ledger), join_notifiers(settings, ledger, core.waits, lambda: core.address)
    closers = [inbox.close, call_usage.close, core.holds.close, notebooks.access.close]
    anchors = AnchorFile.of(settings.data_dir, settings.store)
    jobs = _periodic_jobs(core, anchors, vectors.indexer, sweeper)
    tools = [
        *_session_tools(core, Search(ledger, core.session_resolver, finder), inbox),
        *_notebook_tools(notebooks, settings.trash_retention),
        *tools_of(NotebookSearch(ledger, finder), Records(ledger, anchors)),
        *tools_of(Credentials(ledger, core.tokens, core.auth != "off")),
        *tools_of(Sharing(ledger, settings.share_lifetime_max)),
        *notifiers.tools,
        *tools_of(Redaction(ledger, partial(_backups, settings.data_dir))),
        *gateway.tools,
    ]
    core.holds.attach(tools)
    return Slices(
        tools=_offered(core, tools),
        purges=_PURGES,
        minute_jobs=[*_MINUTE_JOBS, TrashJob(settings.trash_retention).empty_trash, *gateway.minute_jobs],
        periodic_jobs=[*notifiers.periodic_jobs, *gateway.periodic_jobs, *jobs],
        closers=[notifiers.close, *vectors.closers, *closers, *gateway.closers, validation.close],
        inbox=inbox,
        call_usage=call_usage,
        sweeper=sweeper,
        relayed_answers=RelayedAnswers(ledger, core.sessions),
        gateway=gateway.gateway,
        gateway_file=gateway.file,
        meaning=vectors.meaning,
        words=vectors.words,
        indexer=vectors.indexer,
        transfers=_transfers(core),
    )


def _periodic_jobs(core: Core, anchors: AnchorFile, indexer: Indexer, sweeper: Sweeper) -> list[PeriodicJob]:
    ledger, reembed = core.ledger, core.settings.reembed_interval
    return [
        *_chosen_jobs(core, sweeper),
        PeriodicJob("audit_anchor", ANCHORED_EVERY, partial(anchors.advance, ledger.database)),
        PeriodicJob("expire_questions", EXPIRED_EVERY, partial(expire_questions, ledger)),
        PeriodicJob("release_holds", RELEASED_EVERY, core.holds.release),
        PeriodicJob("merge_words", MERGED_EVERY, partial(merge_segments, ledger.database)),
        PeriodicJob("embed_missing", reembed, partial(complete, ledger.database, TEXTS)),
        PeriodicJob("embed_outdated", reembed, indexer.requeue_outdated),
    ]


def _chosen_jobs(core: Core, sweeper: Sweeper) -> list[PeriodicJob]:
    """The periodic jobs that an option switches on."""
    settings, database = core.settings, core.ledger.database
    jobs = []
    if settings.eviction_policy == "preempt":
        jobs.append(PeriodicJob("evict_scratchpads", settings.preempt_interval, sweeper.sweep))
    if settings.backup_every and isinstance(database, SqliteDatabase):
        every, folder = settings.backup_every, settings.data_dir / "backups"
        backups = ScheduledBackups(folder, every, settings.backup_keep, database.backup, core.clock)
        jobs.append(PeriodicJob("backup", every, backups.run))
    return jobs


def _offered(core: Core, tools: list[Tool[Any]]) -> list[Tool[Any]]:
    """The tools whose requirements are met. Those of a gateway are offered before it has any upstream: one may be added
    at any time."""
    searched = {"search"} if listing_of(core.settings, core.gateway_file) != "full" else set()
    needs = {None, "gateway", *searched, *provided(core.settings, core.gateway_file)}
    return [tool for tool in tools if tool.group in core.settings.tool_groups and tool.needs in needs]


def _session_tools(core: Core, search: Search, inbox: Inboxes) -> list[Tool[Any]]:
    """The tools that act in a session, such as those for notes, draft and plan."""
    settings, ledger, sessions = core.settings, core.ledger, core.sessions
    notes = Notes(ledger, sessions, NoteLimits(settings.max_notes, settings.max_note_bytes), search)
    plan = Plan(ledger, sessions, settings.max_tasks)
    questions = Questions(ledger, sessions, settings.max_questions)
    answers = Answers(ledger, sessions, core.waits, inbox.shown, core.holds)
    question_lists = QuestionLists(ledger)
    virtual = {"notes": render_notes, "plan": plan.render, "user_answers": render_answers}
    draft = Draft(ledger, sessions, DraftLimits(settings.max_sections, settings.max_section_bytes), virtual)
    messages = Messages(ledger, sessions, core.waits, inbox.shown, settings.max_messages)
    return [
        *tools_of(notes),
        *tools_of(draft),
        *tools_of(plan),
        *tools_of(Reservations(ledger, sessions)),
        *tools_of(questions, answers, Checkpoints(ledger, sessions, asked_of, acknowledge), question_lists),
        *tools_of(TableOverview(ledger, notes, plan, question_lists)),
        *tools_of(Briefs(ledger, inbox, decision_store.open_of_caller)),
        *tools_of(Activity(ledger, core.waits)),
        *tools_of(Now(ledger, core.waits)),
        *tools_of(UsageReports(ledger, sessions)),
        *tools_of(HoldTools(ledger)),
        *tools_of(SessionTools(ledger, sessions, newest_messages)),
        *tools_of(Forks(ledger, sessions)),
        *tools_of(messages),
        *tools_of(search),
        *tools_of(Memory(ledger, sessions, settings.max_memory)),
    ]


def _notebook_tools(dependencies: NotebookDependencies, trash_retention: int) -> list[Tool[Any]]:
    return tools_of(
        Notebooks(dependencies),
        NotebookReads(dependencies),
        Cells(dependencies),
        Schemas(dependencies),
        Namespaces(dependencies),
        Trash(dependencies, trash_retention),
    )


_PURGES: list[Purge] = [
    note_store.purge,
    draft_store.purge,
    plan_store.purge,
    reservation_store.purge,
    question_store.purge,
    message_store.purge,
    memory_store.purge,
    call_detail_store.purge,
    share_store.purge,
    notifier_store.purge,
    import_store.forget_history,
]
_MINUTE_JOBS: list[MinuteJob] = [
    forget_reads,
    forget_expired,
    forget_old_keys,
    forget_old_events,
    forget_old_notices,
]


def _transfers(core: Core) -> Transfers:
    return Transfers(Exporter(core.ledger), Importer(core.ledger, TransferLimits.of(core.settings)))


def _backups(folder: Path) -> list[str]:
    """Names alone: where they lie is the operator's business."""
    return sorted(path.name for path in (folder / "backups").glob("*") if path.is_file())
