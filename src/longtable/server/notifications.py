"""Notifications of ours, and what an event of the log is to those who subscribed."""

from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel

from longtable.kernel.errors import LongtableError
from longtable.log.feed import FeedItem
from longtable.server.addresses import Address

WATCH = "scratchpad/watch"
"""A request of ours: events for as long as it lasts."""

LAGGED = "scratchpad/lagged"
UPDATED = "notifications/resources/updated"

ToNotifications = Callable[[FeedItem], Iterable["Notification"]]
"""What a delivery of the feed tells the client."""


class Notification(BaseModel):
    """A notification of any method."""

    method: str
    params: dict[str, Any]


def event_notifications(delivery: FeedItem) -> Iterable[Notification]:
    return [Notification(method=delivery.get("kind", LAGGED), params=delivery)]


def update_notifications(addresses: list[Address], meta: dict[str, Any]) -> ToNotifications:
    """A client that lags is notified that all may have changed: it reads it anew, and nothing was missed."""
    stamp = {"_meta": meta} if meta else {}

    def to_notifications(delivery: FeedItem) -> Iterable[Notification]:
        changed = [address for address in addresses if "lagged" in delivery or address.is_changed_by(delivery)]
        return [Notification(method=UPDATED, params={"uri": address.uri, **stamp}) for address in changed]

    return to_notifications


def error_notification(error: LongtableError) -> Notification:
    data = {"code": error.code, "error": error.message}
    return Notification(method="notifications/message", params={"level": "error", "logger": "longtable", "data": data})
