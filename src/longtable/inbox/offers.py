"""What answers have shown to agents, until their next call confirms that they arrived."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from longtable.kernel.delivery import Delivery, Transport
from longtable.kernel.result import Fetched

MAX_PLACES = 10_000
MAX_EACH = 16
"""Beyond these the oldest are forgotten: what they showed may be shown again."""

Place = tuple[str, str, str]
"""Tenant, session and agent."""

NOTHING: Final = Fetched()


@dataclass(frozen=True, slots=True)
class StoredOffer:
    """An offer as other processes see it. `sent_at` is by the clock; `process` tells whose it is."""

    fetched: Fetched = NOTHING
    sent_at: int = 0
    connection: str = ""
    process: str = ""


NO_OFFER: Final = StoredOffer()


@dataclass(slots=True)
class Offer:
    """`sent` is when the answer was sent, by `time.perf_counter`; `requests` is how many had begun on its transport by
    then."""

    stored: StoredOffer
    transport: Transport | None
    sent: float
    requests: int = 0

    @property
    def has_arrived(self) -> bool | None:
        return True if self.transport is None else self.transport.has_arrived()

    @property
    def is_certain(self) -> bool:
        """Whether a loss of the answer would have been noticed by now. Other processes cannot look at its transport."""
        if self.transport is None or self.transport.requests > self.requests:
            return True
        age = time.perf_counter() - self.sent
        return self.has_arrived is True and (not self.transport.is_open or age > _NOTICED_WITHIN)


class Offers:
    """The offers of one process."""

    def __init__(self) -> None:
        self.by_place: dict[Place, list[Offer]] = {}
        self._unsaved: dict[Place, Offer] = {}

    def add(self, place: Place, offer: Offer) -> None:
        offers = self.by_place.setdefault(place, [])
        offers.append(offer)
        del offers[:-MAX_EACH]
        self._unsaved[place] = offer
        if len(self.by_place) > MAX_PLACES:
            self._forget(next(iter(self.by_place)))

    def confirm(self, place: Place, delivery: Delivery) -> Fetched | None:
        """How far the agent has got, as its request of `delivery` proves: it has received the answers that were sent
        before that request began."""
        offers = self.by_place.get(place)
        if offers is None:
            return None
        confirmed = [offer for offer in offers if _is_confirmed(offer, delivery)]
        left = [offer for offer in offers if offer not in confirmed and offer.has_arrived is not False]
        if left:
            self.by_place[place] = left
        else:
            self._forget(place)
        return furthest(*(offer.stored.fetched for offer in confirmed)) if confirmed else None

    def shown(self, place: Place, connection: str) -> Fetched:
        """How far the agent has got if every answer arrived that is not known to be lost."""
        offers = self.by_place.get(place)
        if offers is None:
            return NOTHING
        of_connection = (offer for offer in offers if offer.stored.connection == connection)
        return furthest(*(offer.stored.fetched for offer in of_connection if offer.has_arrived is not False))

    @property
    def has_unsaved(self) -> bool:
        return bool(self._unsaved)

    def to_save(self) -> Iterator[tuple[Place, Offer]]:
        """The newest of each place, once it is certain: others must not learn of one that got lost."""
        for place, offer in list(self._unsaved.items()):
            if offer.is_certain:
                yield place, offer
            elif offer.has_arrived is False or time.perf_counter() - offer.sent > _LONGEST_WAY:
                del self._unsaved[place]

    def saved(self, place: Place, offer: Offer) -> None:
        if self._unsaved.get(place) is offer:
            del self._unsaved[place]

    def _forget(self, place: Place) -> None:
        self.by_place.pop(place, None)
        self._unsaved.pop(place, None)


_NOTICED_WITHIN = 2.0
_LONGEST_WAY = 10.0
"""Seconds after which an answer that has not arrived is not offered to other processes any more."""


def _is_confirmed(offer: Offer, delivery: Delivery) -> bool:
    if offer.stored.connection != delivery.connection:
        return False
    if delivery.arrived_at is not None and delivery.arrived_at < offer.sent:
        return False
    return offer.transport is delivery.transport or offer.has_arrived is True


def furthest(*places: Fetched) -> Fetched:
    return Fetched(
        max((place.message for place in places), default=0),
        max((place.answered_at for place in places), default=0),
        max((place.event for place in places), default=0),
    )
