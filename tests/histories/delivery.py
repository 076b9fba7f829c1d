"""Checks recorded histories of what was written and what was heard: every write with a key has one effect, and
everybody hears all that they are due at least once."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

Kind = Literal["message", "answer", "event"]


@dataclass(frozen=True)
class Write:
    """One attempt, under a key. `mark` stands in what is written, and in nothing else. `result` is None when it was
    never acknowledged: it was done, or not. Repeated calls are further attempts with the same key."""

    key: str
    tool: str
    mark: str
    result: str | None


@dataclass(frozen=True)
class Stored:
    """What the store holds in the end, as often as it holds it."""

    tool: str
    mark: str


@dataclass(frozen=True)
class DeliveredItem:
    """Something that somebody heard, or should hear in the end."""

    listener: str
    kind: Kind
    number: str


@dataclass
class DeliveryHistory:
    writes: list[Write] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    heard: list[DeliveredItem] = field(default_factory=list)
    due: list[DeliveredItem] = field(default_factory=list)
    streams: list[tuple[str, list[int]]] = field(default_factory=list)
    """Who listened, and the numbers of the events that came over one connection, in their order."""

    def hears(self, listener: str, kind: Kind, number: object) -> None:
        self.heard.append(DeliveredItem(listener, kind, str(number)))


def anomalies(history: DeliveryHistory) -> list[str]:
    return [*_effects(history), *_results(history), *_unheard(history), *_out_of_order(history)]


def _effects(history: DeliveryHistory) -> Iterator[str]:
    found = Counter(history.stored)
    tried = {Stored(write.tool, write.mark) for write in history.writes}
    for write in {Stored(each.tool, each.mark) for each in history.writes if each.result is not None}:
        if not found[write]:
            yield f"{write.tool} {write.mark!r} was acknowledged and is lost"
    for stored, times in found.items():
        if times > 1:
            yield f"{stored.tool} {stored.mark!r} was done {times} times"
        if stored not in tried:
            yield f"{stored.tool} {stored.mark!r} is stored, and nobody wrote it"


def _results(history: DeliveryHistory) -> Iterator[str]:
    """A call that is repeated with its key gives its first result."""
    results: dict[str, set[str]] = defaultdict(set)
    for write in history.writes:
        if write.result is not None:
            results[write.key].add(write.result)
    yield from (f"key {key!r} has {len(each)} results" for key, each in results.items() if len(each) > 1)


def _unheard(history: DeliveryHistory) -> Iterator[str]:
    heard, due = set(history.heard), set(history.due)
    for told in sorted(due - heard, key=str):
        yield f"{told.listener} never heard {told.kind} {told.number}"
    # Listeners who are due nothing of a kind are not asked about it.
    asked = {(told.listener, told.kind) for told in due}
    for told in sorted(heard - due, key=str):
        if (told.listener, told.kind) in asked:
            yield f"{told.listener} heard {told.kind} {told.number}, which is not theirs or nowhere"


def _out_of_order(history: DeliveryHistory) -> Iterator[str]:
    for listener, numbers in history.streams:
        if any(later <= earlier for earlier, later in pairwise(numbers)):
            yield f"{listener} heard events over one connection out of order: {numbers}"
