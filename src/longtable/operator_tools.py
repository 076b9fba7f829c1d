"""The tools of one slice, for a command that needs no other: to load all of them takes longer than the command."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from longtable.core import Core
from longtable.toolkit.tool import Tool, tools_of

if TYPE_CHECKING:
    from longtable.gateway.slice import GatewayDependencies
    from longtable.validation.service import Validation

Closer = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class OperatorTools:
    tools: list[Tool[Any]]
    closers: Sequence[Closer] = ()


# Each imports what it builds: that is the point of this file.


def _sessions(core: Core) -> OperatorTools:
    from longtable.messages.service import newest_messages
    from longtable.sessions.tools import SessionTools

    return OperatorTools(tools_of(SessionTools(core.ledger, core.sessions, newest_messages)))


def _forks(core: Core) -> OperatorTools:
    from longtable.transfer.forks import Forks

    return OperatorTools(tools_of(Forks(core.ledger, core.sessions)))


def _decisions(core: Core) -> OperatorTools:
    from longtable.gateway.decisions import DecisionLimits, Decisions

    limits = DecisionLimits(core.settings.max_waiting_decisions, core.settings.denial_pause)
    return OperatorTools(tools_of(Decisions(core.ledger, core.waits, core.holds, core.auth != "off", limits)))


def _questions(core: Core) -> OperatorTools:
    from longtable.inbox.service import Inboxes
    from longtable.questions import store
    from longtable.questions.answers import Answers
    from longtable.questions.listing import QuestionLists

    inbox = Inboxes(core.ledger, core.wakeups, store.count_answers_since)
    answers = Answers(core.ledger, core.sessions, core.waits, inbox.shown, core.holds)
    return OperatorTools(tools_of(answers, QuestionLists(core.ledger)), [inbox.close])


def _trash(core: Core) -> OperatorTools:
    from longtable.notebooks.dependencies import NotebookDependencies
    from longtable.notebooks.trash import Trash
    from longtable.validation.service import Validation, ValidationLimits

    validation = Validation(ValidationLimits.of(core.settings), core.background)
    notebooks = NotebookDependencies.of(core.settings, core.ledger, validation)
    # A command does not know the options of the server: it must neither evict nor hide what that keeps.
    unlimited = replace(notebooks, limits=replace(notebooks.limits, scratchpads=0))
    trash = Trash(unlimited, core.settings.trash_retention, until_emptied=True)
    return OperatorTools(tools_of(trash), [notebooks.access.close, validation.close])


def _notifiers(core: Core) -> OperatorTools:
    from longtable.notifiers.sender import NoticeSender
    from longtable.notifiers.service import Notifiers

    return OperatorTools(
        tools_of(Notifiers(core.ledger, NoticeSender(core.settings, core.clock), for_operator_only=True))
    )


def _gateway(core: Core) -> OperatorTools:
    from longtable.gateway.slice import join_gateway
    from longtable.validation.service import Validation, ValidationLimits

    validation = Validation(ValidationLimits.of(core.settings), core.background)
    joined = join_gateway(gateway_dependencies(core, validation))
    return OperatorTools(joined.tools, [*joined.closers, validation.close])


def gateway_dependencies(core: Core, validation: "Validation") -> "GatewayDependencies":
    from longtable.gateway.slice import GatewayDependencies

    return GatewayDependencies(
        settings=core.settings,
        ledger=core.ledger,
        waits=core.waits,
        sessions=core.session_resolver,
        validation=validation,
        standing_approvals=core.auth != "off",
        file=core.gateway_file,
        feed=core.feed,
        holds=core.holds,
        host=core.upstream_host,
        serves=core.serves,
    )


_SLICES: Final[Mapping[str, Callable[[Core], OperatorTools]]] = {
    **dict.fromkeys(("create_session", "get_session", "list_sessions", "close_session", "extend_session"), _sessions),
    "fork_session": _forks,
    **dict.fromkeys(("list_decisions", "approve_decision", "deny_decision"), _decisions),
    **dict.fromkeys(("list_open_questions", "submit_answers"), _questions),
    **dict.fromkeys(
        ("list_notifiers", "add_notifier", "remove_notifier", "test_notifier", "list_deliveries"), _notifiers
    ),
    **dict.fromkeys(("list_trash", "restore_scratchpad"), _trash),
    **dict.fromkeys(
        ("list_upstreams", "add_upstream", "remove_upstream", "change_upstream", "disconnect_upstream"), _gateway
    ),
}


def operator_tools(core: Core, tool: str) -> OperatorTools | None:
    """The tools of the slice that has this one; None where only all slices together have it."""
    build = _SLICES.get(tool)
    return None if build is None else build(core)
