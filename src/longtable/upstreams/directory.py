"""The upstreams that there are at the moment: those of the gateway file for all tenants, and those that were added at
run time, each for one tenant. Both can change while calls are under way."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Protocol

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import MissingSessionId
from longtable.upstreams.entries import UpstreamEntry
from longtable.upstreams.port import Upstream
from longtable.upstreams.resource_subscriptions import ListKind, ReportingUpstream

DRAIN_SECONDS = 60.0
"""How long calls that are under way may take to end when their upstream has been changed or removed."""
_CLOSING_SECONDS = 10.0

Changed = Callable[[str | None], None]
"""Gets the tenant whose tools may have changed; None is all."""

ListChangedFor = Callable[[str | None, ListKind], None]
"""The same for lists beside that of the tools."""


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """`owner` is the tenant that added the upstream, None for one of the file. `tenant` and `session` are those whose
    instance it is, None where it is shared."""

    name: str
    owner: str | None = None
    tenant: str | None = None
    session: str | None = None

    def is_seen_by(self, tenant: str) -> bool:
        return self.owner in (None, tenant) and self.tenant in (None, tenant)


class UpstreamInstance:
    """An upstream as those who share it use it. To be entered (`with`) for as long as it is used: it is not closed
    before."""

    def __init__(self, upstream: Upstream, key: InstanceKey, entry: UpstreamEntry | None = None) -> None:
        self.upstream = upstream
        self.key = key
        self.entry = entry
        self.when_ended: set[Callable[[], None]] = set()
        """Called when it is about to be closed, so that who listens to it turns to another."""
        self._uses = 0
        self._unused = asyncio.Event()

    @property
    def name(self) -> str:
        return self.key.name

    def __enter__(self) -> Upstream:
        self._uses += 1
        return self.upstream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._uses -= 1
        if not self._uses:
            self._unused.set()

    async def close(self, seconds: float = 0.0) -> None:
        """Closes it, after waiting up to `seconds` for those who use it."""
        for callback in list(self.when_ended):
            callback()
        if self._uses:
            self._unused.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._unused.wait()
            except TimeoutError:
                pass
        await self.upstream.close()


class UpstreamFactory(Protocol):
    def build(self, entry: UpstreamEntry, key: InstanceKey) -> Upstream:
        """Nothing is started or connected yet."""

    async def end(self, upstream: Upstream) -> None:
        """Stops one that is not to be used any more, also for the processes that share it."""

    async def remove_files(self, owner: str, name: str) -> None:
        """What the programs of an upstream have written into the folders that they were given."""

    async def close(self) -> None: ...


class UpstreamDirectory:
    """`fixed` are upstreams without an entry, which never change: playbooks, a backend."""

    def __init__(
        self,
        fixed: Sequence[Upstream] = (),
        *,
        factory: UpstreamFactory | None = None,
        background: BackgroundTasks | None = None,
    ) -> None:
        self._fixed = {each.name: UpstreamInstance(each, InstanceKey(each.name)) for each in fixed}
        self._factory = factory
        self._background = background or BackgroundTasks()
        self._file: Mapping[str, UpstreamEntry] = {}
        self._of_tenants: dict[str, Mapping[str, UpstreamEntry]] = {}
        self._visible: dict[tuple[str, str | None], Mapping[str, UpstreamInstance]] = {}
        self._has_sessions = False
        """Whether any upstream has an instance for each session."""
        self._instances: dict[InstanceKey, UpstreamInstance] = {}
        self._change_callbacks: list[Changed] = []
        self._list_callbacks: list[ListChangedFor] = []
        self._ending: Counter[tuple[str | None, str]] = Counter()
        self._end_tasks: set[BackgroundTask] = set()
        self._removed: set[tuple[str | None, str]] = set()

    def names(self, tenant: str) -> Sequence[str]:
        """Of the upstreams that a tenant has: those of the file first, then its own."""
        own = (name for name in self._of_tenants.get(tenant, ()) if name not in self._file)
        return (*self._file, *own, *self._fixed)

    def find(self, tenant: str, name: str, session: str | None = None) -> UpstreamInstance | None:
        return self._visible_for(tenant, session).get(name)

    def instances(self, tenant: str, session: str | None = None) -> Collection[UpstreamInstance]:
        """The instances that a caller of this tenant in this session uses, by name."""
        return self._visible_for(tenant, session).values()

    def check_session(self, tenant: str, name: str, session: str | None) -> None:
        """Raises MissingSessionId for a call without a session where each session has an instance of its own."""
        instance = self.find(tenant, name, session) if self._has_sessions and session is None else None
        if instance is not None and instance.entry is not None and instance.entry.scope == "session":
            raise MissingSessionId(f"Each session has its own {name}, and this call has no session.", upstream=name)

    def sessions(self) -> set[tuple[str, str]]:
        """Tenants and sessions that have instances of their own."""
        return {(key.tenant, key.session) for key in self._instances if key.tenant and key.session}

    def end_session(self, tenant: str, session: str) -> None:
        """Ends what only this session uses; if it is used again, it starts again."""
        self._visible.pop((tenant, session), None)
        for key in [key for key in self._instances if (key.tenant, key.session) == (tenant, session)]:
            self._retire(key)

    def of_tenant(self, tenant: str, name: str) -> Sequence[UpstreamInstance]:
        """The instances of one upstream that the tenant uses: of several sessions there are several."""
        found = self._fixed.get(name)
        own = [
            each
            for key, each in self._instances.items()
            if key.name == name and key.tenant in (None, tenant) and key.owner in (None, tenant)
        ]
        return own if found is None else [found]

    def all_instances(self) -> Iterator[UpstreamInstance]:
        """The instances of all tenants and sessions that were needed so far."""
        yield from list(self._fixed.values())
        yield from list(self._instances.values())

    def set_file_entries(self, entries: Iterable[UpstreamEntry]) -> None:
        """For all tenants. Upstreams with an equal entry go on; others end when the calls under way have ended."""
        self._file = {entry.name: entry for entry in entries}
        self._apply(None)

    def set_tenant_entries(self, tenant: str, entries: Iterable[UpstreamEntry]) -> None:
        """For one tenant, which has them beside those of the file. A name of the file counts before its own."""
        self._of_tenants[tenant] = {entry.name: entry for entry in entries}
        self._removed -= {(tenant, name) for name in self._of_tenants[tenant]}
        self._apply(tenant)

    async def remove_files(self, tenant: str, name: str) -> None:
        """The folders of an upstream that the tenant has removed, as soon as its programs have ended."""
        self._removed.add((tenant, name))
        await self._remove_unused_files(tenant, name)

    async def _remove_unused_files(self, owner: str | None, name: str) -> None:
        is_removed = owner is not None and (owner, name) in self._removed
        if is_removed and owner is not None and not self._ending[owner, name] and self._factory is not None:
            self._removed.discard((owner, name))
            await self._factory.remove_files(owner, name)

    def on_change(self, callback: Changed) -> None:
        """`callback` is called when the upstreams of a tenant or their tools may have changed."""
        self._change_callbacks.append(callback)
        if len(self._change_callbacks) == 1:
            for instance in self.all_instances():
                instance.upstream.on_change(partial(self._notify, instance.key.tenant))

    def on_list_change(self, callback: ListChangedFor) -> None:
        """`callback` is called when the resources or prompts of a tenant's upstreams may have changed."""
        self._list_callbacks.append(callback)
        if len(self._list_callbacks) == 1:
            for instance in self.all_instances():
                self._watch_lists(instance)

    def report_change(self, instance: UpstreamInstance) -> None:
        """Its tools are other ones than whoever asked last was shown."""
        self._notify(instance.key.tenant)

    def shared_instances(self) -> list[UpstreamInstance]:
        """The upstreams of the file that no tenant has to itself."""
        shared = (entry for entry in self._file.values() if entry.scope == "shared")
        return [self._instance(entry, None, "", None) for entry in shared]

    async def close(self) -> None:
        for instance in self.all_instances():
            await instance.close()
        for task in list(self._end_tasks):
            await task.wait(_CLOSING_SECONDS)
        if self._factory is not None:
            await self._factory.close()

    def _visible_for(self, tenant: str, session: str | None) -> Mapping[str, UpstreamInstance]:
        place = (tenant, session if self._has_sessions else None)
        visible = self._visible.get(place)
        if visible is None:
            own = self._of_tenants.get(tenant, {})
            found = {name: self._instance(entry, None, *place) for name, entry in self._file.items()}
            found |= {name: self._instance(own[name], tenant, *place) for name in own if name not in found}
            visible = self._visible[place] = {**found, **self._fixed}
        return visible

    def _instance(self, entry: UpstreamEntry, owner: str | None, tenant: str, session: str | None) -> UpstreamInstance:
        key = InstanceKey(
            entry.name,
            owner,
            None if entry.scope == "shared" else tenant,
            session if entry.scope == "session" else None,
        )
        instance = self._instances.get(key)
        if instance is None:
            assert self._factory is not None  # there are entries
            instance = self._instances[key] = UpstreamInstance(self._factory.build(entry, key), key, entry)
            if self._change_callbacks:
                instance.upstream.on_change(partial(self._notify, key.tenant))
            if self._list_callbacks:
                self._watch_lists(instance)
        return instance

    def _apply(self, tenant: str | None) -> None:
        """Ends what has no entry any more, or another one."""
        self._visible.clear()
        every = [*self._file.values(), *(each for own in self._of_tenants.values() for each in own.values())]
        self._has_sessions = any(entry.scope == "session" for entry in every)
        for key, instance in list(self._instances.items()):
            entries = self._file if key.owner is None else self._of_tenants.get(key.owner, {})
            if instance.entry != entries.get(key.name):
                self._retire(key)
        self._notify(tenant)
        self._notify_list(tenant, "resources")
        self._notify_list(tenant, "prompts")

    def _retire(self, key: InstanceKey) -> None:
        instance = self._instances.pop(key)
        self._ending[key.owner, key.name] += 1
        task = self._background.start("upstream_end", partial(self._end, instance), about=instance.name)
        self._end_tasks.add(task)
        task.when_done(partial(self._end_tasks.discard, task))

    async def _end(self, instance: UpstreamInstance) -> None:
        await instance.close(DRAIN_SECONDS)
        if self._factory is not None:
            await self._factory.end(instance.upstream)
        owner, name = instance.key.owner, instance.key.name
        self._ending[owner, name] -= 1
        await self._remove_unused_files(owner, name)

    def _watch_lists(self, instance: UpstreamInstance) -> None:
        if isinstance(instance.upstream, ReportingUpstream):
            instance.upstream.on_list_change(partial(self._notify_list, instance.key.tenant))

    def _notify(self, tenant: str | None) -> None:
        for callback in self._change_callbacks:
            callback(tenant)

    def _notify_list(self, tenant: str | None, kind: ListKind) -> None:
        for callback in self._list_callbacks:
            callback(tenant, kind)
