"""Checks recorded histories of things that have versions: is there an order of all operations, each at one moment
between its call and its result, that explains what everybody saw?

For a thing whose version grows by one with each write, that order can only be the one of the versions. So it is enough
that each version was written by one write, that a read shows what the write of its version wrote, and that no operation
which began after another had ended saw an earlier version."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class VersionOperation:
    """`version` is what a write made, what a read showed, or what a refused write was told is the current one. A write
    whose result was lost has None: it was done, or not."""

    kind: Literal["write", "read", "refused"]
    thing: str
    value: str
    version: int | None
    began: float
    ended: float
    expected: int | None = None
    """The version that a write was meant for."""


def anomalies(history: Sequence[VersionOperation]) -> list[str]:
    things = sorted({operation.thing for operation in history})
    return [found for thing in things for found in _of_one([each for each in history if each.thing == thing])]


def _of_one(history: Sequence[VersionOperation]) -> Iterator[str]:
    written = {each.version: each for each in history if each.kind == "write" and each.version is not None}
    lost = {each.value for each in history if each.kind == "write" and each.version is None}
    yield from _written_twice(history, written)
    yield from _wrong_values(history, written, lost)
    yield from _back_in_time(history)
    for each in history:
        if each.kind == "write" and each.expected is not None and each.version not in (None, each.expected + 1):
            yield f"{each.thing}: a write meant for version {each.expected} made version {each.version}"
        if each.kind == "refused" and each.version == each.expected:
            yield f"{each.thing}: a write for the current version {each.version} was refused"


def _written_twice(history: Sequence[VersionOperation], written: dict[int, VersionOperation]) -> Iterator[str]:
    for each in history:
        if each.kind == "write" and each.version is not None and written[each.version] is not each:
            yield f"{each.thing}: version {each.version} was written twice"


def _wrong_values(
    history: Sequence[VersionOperation], written: dict[int, VersionOperation], lost: set[str]
) -> Iterator[str]:
    """A value that nobody has written as that version; a write whose result was lost may have been any."""
    for each in history:
        if each.kind != "read" or not each.version:
            continue
        write = written.get(each.version)
        if write is not None and write.value != each.value:
            yield f"{each.thing}: version {each.version} was written as {write.value!r} and read as {each.value!r}"
        if write is None and each.value not in lost:
            yield f"{each.thing}: version {each.version} was read as {each.value!r}, which nobody wrote"


def _back_in_time(history: Sequence[VersionOperation]) -> Iterator[str]:
    """The newest version that had been seen when an operation began is the least that it may see."""
    ended = sorted((each for each in history if each.version is not None), key=lambda each: each.ended)
    newest, at = 0, 0
    for each in sorted((each for each in history if each.version is not None), key=lambda each: each.began):
        while at < len(ended) and ended[at].ended < each.began:
            newest = max(newest, ended[at].version or 0)
            at += 1
        least = newest + 1 if each.kind == "write" else newest
        if (each.version or 0) < least:
            yield f"{each.thing}: version {each.version} came after version {newest} had been seen"
