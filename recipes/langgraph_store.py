"""A LangGraph store in the memory of Longtable: it outlives the process; graphs with one agent name share it."""

import asyncio
import operator
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from longtable_client.errors import NotFound, VersionConflict
from longtable_client.sync import Workspace

_PREFIX = "store"
_COMPARISONS = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class LongtableStore(BaseStore):
    """Values are JSON of up to 1 MiB; a namespace and its key are at most 255 characters together."""

    supports_ttl = True

    def __init__(self, table: Workspace, ttl: TTLConfig | None = None) -> None:
        self._table = table
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """As in the stores that LangGraph brings, reads see what was there before, and the last put of a key counts."""
        ops = list(ops)
        results = [self._read(op) for op in ops]
        for put in {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values():
            self._put(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        return None

    def _get(self, op: GetOp) -> Item | None:
        entry = self._entry(_address(op.namespace, op.key), refresh=op.refresh_ttl)
        return entry and Item(namespace=op.namespace, key=op.key, **_content(entry))

    def _put(self, op: PutOp) -> None:
        address = _address(op.namespace, op.key)
        if op.value is None:
            self._table.delete_memory(address)
        else:
            lifetime = None if op.ttl is None else max(1, round(op.ttl * 60))
            self._table.set_memory(address, op.value, expires_in=lifetime)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        """The items changed last come first. There is no index by meaning: a query ranks nothing."""
        stamps = sorted(self._stamps(op.namespace_prefix), key=lambda stamp: stamp.updated_at, reverse=True)
        found: list[SearchItem] = []
        for stamp in stamps:
            if len(found) == op.offset + op.limit:
                break
            entry = self._entry(stamp.key, refresh=op.refresh_ttl)
            if entry and _fits(entry.value, op.filter or {}):
                *namespace, key = _path(stamp.key)
                found.append(SearchItem(tuple(namespace), key, **_content(entry)))
        return found[op.offset :]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        there = {_path(stamp.key)[:-1] for stamp in self._stamps(())}
        matched = {name for name in there if all(_matches(name, wanted) for wanted in op.match_conditions or ())}
        return sorted({name[: op.max_depth] for name in matched})[op.offset : op.offset + op.limit]

    def _stamps(self, prefix: tuple[str, ...]) -> list[Any]:
        stamps, cursor = [], None
        while True:
            page = self._table.list_memory(_address(prefix, ""), limit=500, cursor=cursor)
            stamps += page.entries
            cursor = page.next_cursor
            if cursor is None:
                return stamps

    def _entry(self, address: str, *, refresh: bool) -> Any:
        try:
            entry = self._table.get_memory(address)
        except NotFound:
            return None
        if refresh and entry.expires_at:
            lifetime = datetime.fromisoformat(entry.expires_at) - datetime.fromisoformat(entry.updated_at)
            with suppress(VersionConflict):  # a newer value has a lifetime of its own
                self._table.set_memory(
                    address, entry.value, expires_in=round(lifetime.total_seconds()), expected_version=entry.version
                )
        return entry


def _address(namespace: tuple[str, ...], key: str) -> str:
    return "/".join(quote(part, safe="") for part in (_PREFIX, *namespace, key))


def _path(address: str) -> tuple[str, ...]:
    return tuple(unquote(part) for part in address.split("/")[1:])


def _content(entry: Any) -> dict[str, Any]:
    times = {name: datetime.fromisoformat(getattr(entry, name)) for name in ("created_at", "updated_at")}
    return {"value": entry.value, **times}


def _fits(value: Any, wanted: Any) -> bool:
    """An object is compared by the keys that are wanted, `$gt` and the like by what they say."""
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if wanted.keys() & _COMPARISONS.keys():
        return value is not None and all(_COMPARISONS[name](value, other) for name, other in wanted.items())
    return isinstance(value, dict) and all(_fits(value.get(name), part) for name, part in wanted.items())


def _matches(namespace: tuple[str, ...], wanted: MatchCondition) -> bool:
    length = len(wanted.path)
    if len(namespace) < length:
        return False
    part = namespace[:length] if wanted.match_type == "prefix" else namespace[-length:]
    return all(pattern in ("*", label) for pattern, label in zip(wanted.path, part, strict=True))
