"""Upstreams that are added, changed and removed while servers run. They are rows of a tenant: every process that serves
the tenant reads them again within a second."""

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from longtable.gateway import authorization_store, events, pin_store, upstream_store
from longtable.gateway.results import AddedFacts, UpstreamRemoved, UpstreamSaved
from longtable.gateway.sealed_entries import UNREADABLE, SealedEntries
from longtable.gateway.token_cipher import TokenCipher
from longtable.gateway.upstream_store import AddedUpstream
from longtable.kernel.call import Call
from longtable.kernel.caller import Surface
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.content import check_json
from longtable.kernel.errors import (
    CapacityLimitReached,
    ConfigError,
    Conflict,
    Forbidden,
    InvalidArgument,
    LongtableError,
    NotFound,
)
from longtable.kernel.logs import logger
from longtable.log.ledger import Ledger, Work
from longtable.upstreams.entry_value import (
    AnyEntry,
    AssumedEnvironment,
    check_addresses,
    needs_operator,
    read_entry,
    with_kept_secrets,
    without_secrets,
)

MAX_UPSTREAMS = 100
_MAX_BYTES = 65_536
_FRESH_FOR = SECOND


class TenantEntries(Protocol):
    """Where the upstreams of this process are."""

    def set_tenant_entries(self, tenant: str, entries: Iterable[AnyEntry]) -> None:
        """Makes these the tenant's own. What equals one that is there already goes on as it is."""

    async def remove_files(self, tenant: str, name: str) -> None:
        """The folders of an upstream that the tenant has removed, as soon as its programs have ended."""


@dataclass(frozen=True, slots=True)
class UpstreamRules:
    """`own` are the addresses of this server. `fixed` names what no added upstream may be called, and says what that
    is. `allowed_hosts` are private hosts that upstreams may have. With `for_operator_only`, owners may not use the
    machine of the server."""

    own: Sequence[tuple[str, int]]
    fixed: Callable[[], Mapping[str, str]]
    allowed_hosts: Callable[[], frozenset[str]]
    for_operator_only: bool


@dataclass(frozen=True, slots=True)
class _ReadUpstreams:
    stored: Sequence[AddedUpstream]
    rows: Sequence[AddedUpstream]
    until: int
    problems: Mapping[str, str]


class AddedUpstreams:
    def __init__(self, ledger: Ledger, directory: TenantEntries, rules: UpstreamRules, cipher: TokenCipher) -> None:
        self._ledger = ledger
        self._cipher = cipher
        self._directory = directory
        self._rules = rules
        self._known: dict[str, _ReadUpstreams] = {}
        self.on_rows: Callable[[str], None] | None = None
        """Called with each tenant that has some."""

    async def follow(self, tenant: str) -> None:
        """Brings the tenant's upstreams of this process up to date; what was read within the last second counts."""
        known = self._known.get(tenant)
        if known is None or self._ledger.clock() >= known.until:
            await self.reload(tenant)

    async def reload(self, tenant: str) -> None:
        rows = await self._ledger.database.read(tenant, upstream_store.every)
        until = self._ledger.clock() + _FRESH_FOR
        known = self._known.get(tenant)
        if known is not None and known.stored == rows:
            self._known[tenant] = replace(known, until=until)
            return
        entries: list[AnyEntry] = []
        problems: dict[str, str] = {}
        opened = [self._entries(tenant).opened(row) for row in rows]
        self._known[tenant] = _ReadUpstreams(rows, opened, until, problems)
        for row in opened:
            try:
                if row.enabled:
                    entries.append(self._usable_entry(row))
            except LongtableError as error:
                problems[row.name] = error.message
                logger.warning("upstream_not_usable", tenant=tenant, upstream=row.name, code=error.code)
        if rows and self.on_rows is not None:
            self.on_rows(tenant)
        self._directory.set_tenant_entries(tenant, entries)

    def forget(self) -> None:
        """To be called when the gateway file has changed: the names that it takes may be others."""
        self._known.clear()

    def rows(self, tenant: str) -> Sequence[AddedUpstream]:
        """As last read."""
        known = self._known.get(tenant)
        return known.rows if known is not None else ()

    def problem(self, tenant: str, name: str) -> str | None:
        """Why an added upstream cannot be used by this process at all."""
        known = self._known.get(tenant)
        return known.problems.get(name) if known is not None else None

    def is_fixed(self, name: str) -> bool:
        return name in self._rules.fixed()

    async def add(self, call: Call, name: str, entry: Mapping[str, Any], enabled: bool) -> UpstreamSaved:
        self._check(call, name, entry)

        async def body(work: Work) -> UpstreamSaved:
            stored = self._entries(work.caller.tenant)
            rows = await stored.every(work.tx)
            if any(row.name == name for row in rows):
                raise Conflict("name: there is an upstream of this name already.", hint="Change it, or choose another.")
            if len(rows) >= MAX_UPSTREAMS:
                raise CapacityLimitReached(f"A tenant has at most {MAX_UPSTREAMS} upstreams of its own.")
            _check_pack(name, entry, rows)
            agent = work.caller.agent
            added = AddedUpstream(name, dict(entry), enabled, agent, work.now, agent, work.now)
            return await _save(work, stored, added)

        return await self._write(call, body)

    async def change(
        self, call: Call, name: str, entry: Mapping[str, Any] | None, enabled: bool | None
    ) -> UpstreamSaved:
        """Replaces an entry. Where the new one repeats a value as hidden, the old value is kept."""
        self._check_changeable(name)
        if entry is not None:
            self._check(call, name, await self._completed(call, name, entry))

        async def body(work: Work) -> UpstreamSaved:
            stored = self._entries(work.caller.tenant)
            rows = await stored.every(work.tx)
            row = next((each for each in rows if each.name == name), None)
            if row is None:
                raise NotFound("There is no such upstream.")
            new = _new_entry(row, entry)
            _check_pack(name, new, [each for each in rows if each is not row])
            is_enabled = row.enabled if enabled is None else enabled
            who = work.caller.agent
            changed = AddedUpstream(name, new, is_enabled, row.created_by, row.created_at, who, work.now)
            return await _save(work, stored, changed)

        return await self._write(call, body)

    async def remove(self, call: Call, name: str) -> UpstreamRemoved:
        self._check_changeable(name)

        async def body(work: Work) -> UpstreamRemoved:
            work.concerns_tenant()
            if await upstream_store.find(work.tx, name) is None:
                raise NotFound("There is no such upstream.")
            await upstream_store.remove(work.tx, name)
            # One that is added later under the same name is another one.
            await pin_store.forget_upstream(work.tx, name)
            await authorization_store.delete(work.tx, name)
            work.happened(events.tools_changed(name))
            work.touched(f"upstream:{name}")
            return UpstreamRemoved(name=name, removed=True)

        removed = await self._ledger.write(call, UpstreamRemoved, body)
        await self.reload(call.caller.tenant)
        await self._directory.remove_files(call.caller.tenant, name)
        return removed

    def _entries(self, tenant: str) -> SealedEntries:
        return SealedEntries(self._cipher, tenant)

    async def _write(self, call: Call, body: Callable[[Work], Awaitable[UpstreamSaved]]) -> UpstreamSaved:
        saved = await self._ledger.write(call, UpstreamSaved, body)
        await self.reload(call.caller.tenant)
        return saved

    async def _completed(self, call: Call, name: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        stored = self._entries(call.caller.tenant)
        row = await self._ledger.read(call.caller, lambda tx: stored.find(tx, name))
        return entry if row is None else with_kept_secrets(entry, row.entry)

    def _check_changeable(self, name: str) -> None:
        where = self._rules.fixed().get(name)
        if where is not None:
            raise Conflict(
                f"{name} is {where}, and can be changed and removed only there.",
                hint="For your own tenant it can be disabled: enabled is false.",
            )

    def _check(self, call: Call, name: str, entry: Mapping[str, Any]) -> None:
        check_json("entry", dict(entry), _MAX_BYTES)
        is_operator = call.caller.surface is Surface.CLI
        reason = needs_operator(entry) if self._rules.for_operator_only and not is_operator else None
        if reason is not None:
            raise Forbidden(
                f"Only the operator of this server may add such an upstream: {reason}.",
                hint="On the server: longtable upstreams add.",
            )
        fixed = self._rules.fixed()
        for taken in {name, str(entry.get("pack", name))} & set(fixed):
            raise Conflict(f"name: {taken} is {fixed[taken]}.", hint="Choose another name, and another pack.")
        try:
            # The terminal has neither the environment nor the gateway file of the server.
            read = read_entry(
                name, entry, self._rules.own, AssumedEnvironment(os.environ) if is_operator else os.environ
            )
            if not is_operator:
                check_addresses(read, self._rules.allowed_hosts())
        except ConfigError as error:
            raise InvalidArgument(error.message, **error.details) from None

    def _usable_entry(self, row: AddedUpstream) -> AnyEntry:
        """Raises LongtableError where it cannot be used: a variable is missing, or the gateway file has taken the
        name since."""
        if not row.is_readable:
            raise ConfigError(UNREADABLE)
        fixed = self._rules.fixed()
        for taken in {row.name, str(row.entry.get("pack", row.name))} & set(fixed):
            raise Conflict(f"{taken} is {fixed[taken]}, too: that one counts.")
        return read_entry(row.name, row.entry, self._rules.own, os.environ)


def added_facts(row: AddedUpstream) -> AddedFacts:
    return AddedFacts(
        entry=without_secrets(row.entry),
        created_by=row.created_by,
        created_at=to_iso(row.created_at),
        changed_by=row.changed_by,
        changed_at=to_iso(row.changed_at),
    )


async def _save(work: Work, stored: SealedEntries, row: AddedUpstream) -> UpstreamSaved:
    work.concerns_tenant()
    await stored.put(work.tx, row)
    work.happened(events.tools_changed(row.name))
    work.touched(f"upstream:{row.name}", enabled=row.enabled)
    return UpstreamSaved(name=row.name)


def _new_entry(row: AddedUpstream, entry: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if entry is not None:
        return with_kept_secrets(entry, row.entry)
    if not row.is_readable:
        raise Conflict(UNREADABLE)
    return row.entry


def _check_pack(name: str, entry: Mapping[str, Any], others: Sequence[AddedUpstream]) -> None:
    pack = str(entry.get("pack", name))
    for other in others:
        if str(other.entry.get("pack", other.name)) == pack:
            raise Conflict(f"entry.pack: {other.name} has the pack {pack} already.", hint="Give this one another.")
