"""Joins what calls people: the tools of owners, and the two jobs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.notifiers.jobs import COLLECTED_EVERY, SENT_EVERY, NoticeCollector, NoticeDelivery
from longtable.notifiers.notifiers_file import FOLLOWED_EVERY, FollowedFile
from longtable.notifiers.sender import NoticeSender
from longtable.notifiers.service import Notifiers
from longtable.sessions.jobs import PeriodicJob
from longtable.settings.options import Settings
from longtable.toolkit.tool import Tool, tools_of


@dataclass(frozen=True, slots=True)
class JoinedNotifiers:
    tools: list[Tool[Any]]
    periodic_jobs: list[PeriodicJob]
    close: Callable[[], Awaitable[None]]


def join_notifiers(
    settings: Settings, ledger: Ledger, waits: Waits, listening: Callable[[], str | None]
) -> JoinedNotifiers:
    sender = NoticeSender(settings, ledger.clock, listening)
    delivery = NoticeDelivery(ledger, sender)
    collector = NoticeCollector(ledger, waits, settings.agent_silent_after)
    file = FollowedFile(ledger, sender, settings.notifiers_file)
    return JoinedNotifiers(
        tools_of(Notifiers(ledger, sender, settings.upstream_commands == "operator")),
        [
            PeriodicJob("follow_notifiers_file", FOLLOWED_EVERY, file.follow),
            PeriodicJob("collect_notices", COLLECTED_EVERY, collector.run),
            PeriodicJob("send_notices", SENT_EVERY, delivery.run),
        ],
        delivery.close,
    )
