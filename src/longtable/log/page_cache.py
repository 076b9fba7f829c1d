"""Keeps pages of a session, encoded, until something changes them: agents of a team read the same ones many times."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeVar, cast

from longtable.kernel.call import Call
from longtable.kernel.clock import Clock
from longtable.kernel.result import Result
from longtable.storage.database import Database, Transaction

R = TypeVar("R", bound=Result)

MAX_PAGES: Final = 2_000
MAX_PAGE_BYTES: Final = 262_144
MAX_BYTES: Final = 16_777_216

NOTE_ADDED: Final = "scratchpad/note_added"
MESSAGE_ADDED: Final = "message/added"
ADDITIONS: Final = (NOTE_ADDED, MESSAGE_ADDED)
"""Events that add to the end of a list. What was there stays as it is, unless a new note supersedes it."""
_LOOKED_AT: Final = 64
"""Events since a page was read; after more of them it is read again."""

_Key = tuple[Any, ...]


class PageKind(NamedTuple):
    """`version` changes with everything that such pages of a session show."""

    name: str
    version: Callable[[Transaction, str], Awaitable[Hashable]]


Update = Callable[[Transaction, R, Any], Awaitable[tuple[R, Hashable] | None]]
"""From a page and its version to those of now; None where the page must be read again."""


class _CachedPage(NamedTuple):
    """`version` is that of what the page shows; `revision` that of the whole store when it was last compared."""

    result: Result
    size: int
    version: Hashable
    revision: int


class PageCache:
    """A page is shown again only when the store says that nothing has changed it, in this process or another. Where
    that is as dear as to read it (PostgreSQL), every page is read."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._pages: OrderedDict[_Key, _CachedPage] = OrderedDict()
        self._reading: dict[tuple[_Key, Hashable], asyncio.Future[None]] = {}
        self._bytes = 0

    async def read(
        self,
        call: Call,
        kind: PageKind,
        read: Callable[[], Awaitable[R]],
        viewer: tuple[Any, ...] = (),
        update: Update[R] | None = None,
    ) -> R:
        """What `read` answers to this call; `viewer` is what that depends on besides session and arguments. Where
        `update` can tell what has become of a page, it is not read again."""
        revision = self._database.revision()
        if revision is None or not call.arguments_digest:
            return await read()
        caller = call.caller
        session_id = caller.session
        key = (kind.name, call.operation, caller.tenant, session_id, call.arguments_digest, call.max_chars, *viewer)
        known = self._pages.get(key)
        if known is not None and self._holds(known):
            if known.revision == revision:
                return cast(R, known.result)
            if updated := await self._updated(caller.tenant, known, update):
                self._keep(key, *updated, revision)
                return updated[0]
        # The version before the page: what is committed in between makes the page look outdated, never current.
        version = await self._database.look_up(caller.tenant, lambda tx: kind.version(tx, session_id))
        return await self._of_version(key, version, revision, read)

    async def _updated(self, tenant: str, known: _CachedPage, update: Update[R] | None) -> tuple[R, Hashable] | None:
        if update is None:
            return None
        page, version = cast(R, known.result), known.version
        return await self._database.look_up(tenant, lambda tx: update(tx, page, version))

    async def _of_version(self, key: _Key, version: Hashable, revision: int, read: Callable[[], Awaitable[R]]) -> R:
        # Others may be reading the same page of the same version.
        while (reading := self._reading.get((key, version))) is not None:
            await asyncio.shield(reading)
        known = self._pages.get(key)
        if known is not None and known.version == version and self._holds(known):
            self._pages[key] = known._replace(revision=revision)
            self._pages.move_to_end(key)
            return cast(R, known.result)
        return await self._read(key, version, revision, read)

    def clear(self) -> None:
        self._pages.clear()
        self._bytes = 0

    def _holds(self, page: _CachedPage) -> bool:
        until = page.result.valid_until
        return until is None or self._clock() < until

    async def _read(self, key: _Key, version: Hashable, revision: int, read: Callable[[], Awaitable[R]]) -> R:
        reading = self._reading[key, version] = asyncio.get_running_loop().create_future()
        try:
            result = (await read()).only_encoded()
            self._keep(key, result, version, revision)
            return result
        finally:
            self._reading.pop((key, version), None)
            reading.set_result(None)

    def _keep(self, key: _Key, result: Result, version: Hashable, revision: int) -> None:
        self._drop(key)
        size = len(result.encoded or b"")
        if size > MAX_PAGE_BYTES:
            return
        self._pages[key] = _CachedPage(result, size, version, revision)
        self._bytes += size
        while self._bytes > MAX_BYTES or len(self._pages) > MAX_PAGES:
            self._drop(next(iter(self._pages)))

    def _drop(self, key: _Key) -> None:
        with suppress(KeyError):
            self._bytes -= self._pages.pop(key).size


async def newest_event(tx: Transaction, session_id: str) -> int:
    """The version of whatever is logged when it is added, changed or redacted."""
    rows = await tx.tuples(
        """SELECT seq FROM events WHERE tenant = :tenant AND session_id = :session_id
           ORDER BY seq DESC LIMIT 1""",
        session_id=session_id,
    )
    return int(rows[0][0]) if rows else 0


class Additions(NamedTuple):
    """What was added to a session since some version. `version` is its newest event; `numbers` has, by kind of event,
    the numbers of what was added to the end of a list."""

    version: int
    numbers: dict[str, list[int]]


async def additions_since(tx: Transaction, session_id: str, version: int) -> Additions | None:
    """None where more has happened than a few additions."""
    rows = await tx.tuples(
        f"""SELECT seq, kind, about FROM events WHERE tenant = :tenant AND session_id = :session_id AND seq > :version
            ORDER BY seq LIMIT {_LOOKED_AT}""",
        session_id=session_id,
        version=version,
    )
    if len(rows) == _LOOKED_AT or not all(kind in ADDITIONS and about for _, kind, about in rows):
        return None
    found = Additions(rows[-1][0] if rows else version, {kind: [] for kind in ADDITIONS})
    for _, kind, about in rows:
        found.numbers[kind].append(about)
    return found
