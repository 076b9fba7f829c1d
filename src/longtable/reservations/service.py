"""Decides who may work on which files: all or nothing, for a time, and by force only where it is recorded."""

from collections.abc import Sequence
from itertools import groupby

from longtable.identity.agent_names import known_spelling
from longtable.identity.model import EVERYONE, OVERSEERS, POSTERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.content import check_count
from longtable.kernel.errors import CapacityLimitReached, Forbidden, InvalidArgument, Reserved
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.reservations import events, store
from longtable.reservations.arguments import ListReservations, Release, Reserve
from longtable.reservations.model import (
    MAX_PATHS,
    MAX_RESERVATIONS,
    PathConflict,
    PathsReleased,
    PathsReserved,
    Reservation,
    ReservationList,
    conflicts,
)
from longtable.reservations.paths import PathPattern, overlap, pattern
from longtable.sessions import store as session_store
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import count_within
from longtable.toolkit.tool import Route, tool

_TOLD = 10
"""Conflicts that an error lists, at most."""


class Reservations:
    def __init__(self, ledger: Ledger, sessions: Sessions) -> None:
        self._ledger = ledger
        self._sessions = sessions

    @tool(
        "reserve",
        title="Reserve files",
        description="Say which files you edit, before you do; all or none, and again to renew.",
        group="workspace",
        roles=POSTERS,
        audited_as="paths_reserved",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/reservations", 201),),
    )
    async def reserve(self, call: Call, arguments: Reserve) -> PathsReserved:
        check_count("paths", arguments.paths, MAX_PATHS)
        requested = {path.parts: path for path in map(pattern, arguments.paths)}

        async def body(work: Work) -> PathsReserved:
            await self._sessions.open_for_writing(work)
            session_id, agent = work.caller.session, work.caller.agent
            held = await store.active(work.tx, session_id, work.now)
            in_the_way = conflicts(requested.values(), arguments.mode, agent, held)
            if in_the_way:
                raise _reserved(in_the_way)
            own = {each.pattern.parts: each for each in held if each.holder == agent}
            expires_at = work.now + arguments.ttl * SECOND
            reservations = [
                _reservation(work, arguments, path, own.get(path.parts), expires_at) for path in requested.values()
            ]
            _check_count(len(held) + len(requested.keys() - own.keys()))
            await store.forget_expired(work.tx, session_id, work.now)
            await store.put(work.tx, session_id, reservations)
            paths = [each.path for each in reservations]
            work.touched(f"path:{paths[0]}", paths=paths, mode=arguments.mode)
            work.happened(events.reserved(paths, arguments.mode, expires_at))
            return PathsReserved(expires_at=to_iso(expires_at), holding=len(own.keys() | requested.keys()))

        return await self._ledger.write(call, PathsReserved, body)

    @tool(
        "release",
        title="Release files",
        description="Give back files that you reserved.",
        group="workspace",
        roles=POSTERS,
        audited_as="paths_released",
        writes=True,
        frees=True,
        repeatable=True,
        routes=(Route("DELETE", "/sessions/{session_id}/reservations"),),
    )
    async def release(self, call: Call, arguments: Release) -> PathsReleased:
        caller = call.caller
        if arguments.force and arguments.paths is None and arguments.agent is None:
            raise InvalidArgument.at("force", "goes with paths or agent")
        agent = await known_spelling(self._ledger.database, caller.tenant, arguments.agent)

        async def body(work: Work) -> PathsReleased:
            await self._sessions.open_for_writing(work)
            held = await store.active(work.tx, work.caller.session, work.now)
            chosen = _chosen(caller, _named(held, arguments), agent, arguments)
            await store.remove(work.tx, work.caller.session, chosen)
            _record(work, chosen)
            return PathsReleased(released=[each.path for each in chosen])

        return await self._ledger.write(call, PathsReleased, body)

    @tool(
        "list_reservations",
        title="List reserved files",
        description="Who works on which files, until when.",
        group="workspace",
        roles=EVERYONE,
        audited_as="reservations_listed",
        routes=(Route("GET", "/sessions/{session_id}/reservations"), Route("GET", "/reservations")),
    )
    async def list_reservations(self, call: Call, arguments: ListReservations) -> ReservationList:
        caller, now = call.caller, self._ledger.clock()
        check_count("paths", arguments.paths or (), MAX_PATHS)
        requested = [pattern(path) for path in arguments.paths or ()]
        held = await self._ledger.read(caller, lambda tx: _while_open(tx, caller.session, now))
        shown = [each for each in held if not requested or any(overlap(path, each.pattern) for path in requested)]
        return _page(shown, arguments.cursor, call)


def _page(held: Sequence[Reservation], cursor: str | None, call: Call) -> ReservationList:
    """As many as fit, in the order of their places."""
    after = tuple(decode_cursor(cursor, str, str)) if cursor else ("", "")
    left = sorted((each for each in held if each.place > after), key=lambda each: each.place)
    views = [each.view(call.caller.agent) for each in left]
    count = count_within(views, call.max_chars)
    if count == len(views):
        return ReservationList(reservations=views)
    cursor = encode_cursor(*left[count - 1].place)
    return ReservationList(reservations=views[:count], next_cursor=cursor, truncated=True)


async def _while_open(tx: Transaction, session_id: str, now: int) -> list[Reservation]:
    """The reservations that hold: none in a session that is over, as nobody could give them back."""
    session = await session_store.find(tx, session_id)
    if session is None or session.status_at(now) != "active":
        return []
    return await store.active(tx, session_id, now)


def _reservation(
    work: Work, new: Reserve, path: PathPattern, known: Reservation | None, expires_at: int
) -> Reservation:
    """A new one, or the one of the same meaning renewed."""
    if known is None:
        return Reservation(path.text, work.caller.agent, new.mode, new.reason, work.now, expires_at)
    return known._replace(mode=new.mode, reason=new.reason or known.reason, expires_at=expires_at)


def _check_count(count: int) -> None:
    if count > MAX_RESERVATIONS:
        raise CapacityLimitReached(
            f"paths: with these the session would have {count} reservations; the limit is {MAX_RESERVATIONS}.",
            hint="Reserve a folder instead of its files.",
            limit=MAX_RESERVATIONS,
        )


def _named(held: Sequence[Reservation], release: Release) -> Sequence[Reservation]:
    if release.paths is None:
        return held
    requested = {pattern(path).parts for path in release.paths}
    return [each for each in held if each.pattern.parts in requested]


def _chosen(caller: Caller, named: Sequence[Reservation], agent: str | None, release: Release) -> list[Reservation]:
    if agent is None and not release.force:
        return _own(caller, named, release)
    return _anyones(caller, named, agent, release)


def _own(caller: Caller, named: Sequence[Reservation], release: Release) -> list[Reservation]:
    """The reservations that the caller gives back. Raises Reserved where only another agent holds what was named."""
    own = [each for each in named if each.holder == caller.agent]
    given = {each.pattern.parts for each in own}
    foreign = [each for each in named if each.pattern.parts not in given]
    if foreign and release.paths is not None:
        raise _reserved([PathConflict(each.pattern, each) for each in foreign], "Only force releases it.")
    return own


def _anyones(caller: Caller, named: Sequence[Reservation], agent: str | None, release: Release) -> list[Reservation]:
    """The reservations of this agent, or of all. Raises Reserved without force, Forbidden for a caller that must not
    use it."""
    chosen = [each for each in named if agent in (None, each.holder)]
    foreign = [each for each in chosen if each.holder != caller.agent]
    if foreign and not release.force:
        raise _reserved([PathConflict(each.pattern, each) for each in foreign], "Only force releases it.")
    if foreign and caller.role not in OVERSEERS:
        raise Forbidden("force: only orchestrators and people release what another agent holds.")
    return chosen


def _record(work: Work, released: Sequence[Reservation]) -> None:
    paths = [each.path for each in released]
    by_holder = groupby(sorted(released, key=lambda each: each.holder), key=lambda each: each.holder)
    others = []
    for holder, theirs in by_holder:
        forced = holder != work.caller.agent
        others += [holder] if forced else []
        work.happened(events.released([each.path for each in theirs], holder, forced))
    facts = {"forced": True, "held_by": others} if others else {}
    work.touched(f"path:{paths[0]}" if paths else "path", paths=paths, **facts)


def _reserved(
    found: Sequence[PathConflict], hint: str = "Work on something else, wait, or ask the holder."
) -> Reserved:
    first = found[0]
    until, reason = to_iso(first.held.expires_at), f" ({first.held.reason})" if first.held.reason else ""
    others = f" So are {len(found) - 1} more." if len(found) > 1 else ""
    return Reserved(
        f"{first.requested.text} is held by {first.held.holder}, {first.held.mode}, until {until}{reason}.{others}",
        hint=hint,
        conflicts=[
            {"path": each.requested.text, "held": each.held.path, "held_by": each.held.holder, **_terms(each.held)}
            for each in found[:_TOLD]
        ],
    )


def _terms(held: Reservation) -> dict[str, str]:
    terms = {"mode": held.mode, "expires_at": to_iso(held.expires_at)}
    return terms if held.reason is None else {**terms, "reason": held.reason}
