"""Inventory with PEP 695 generics."""
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Self, TypedDict, Unpack, override

type Pair[A, B = int] = tuple[A, B]
type Handler[**P, *Ts, R = None] = Callable[P, R]
type Json = dict[str, Json] | list[Json] | str | int | float | bool | None


class Options(TypedDict, total=False):
    retries: int
    timeout: float


@dataclass(slots=True, kw_only=True)
class Stack[T: (int, str) = int]
    items: list[T] = field(default_factory=list)

    def push(self, *values: T) -> Self:
        self.items.extend(values)
        return self

    def map[U](self, fn: Callable[[T], U], /) -> list[U]:
        return [fn(item) for item in self.items]

    @override
    def __repr__(self) -> str:
        return f"Stack({', '.join(f'{i!r:>{4}}' for i in self.items)})"


def first[T](items: Iterable[T], /, *, default: T | None = None, **kw: Unpack[Options]) -> T | None:
    for item in items:
        return item
    else:
        return default


async def ticks[*Ts](*args: *Ts) -> AsyncIterator[tuple[*Ts]]:
    while True:
        yield args
        await asyncio.sleep(0.1)
