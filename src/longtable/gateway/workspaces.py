"""Resolves the workspace of a call: one of the backend, found or created once per owner, or a session where there is no
backend."""

import asyncio
import json
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from longtable.gateway import workspace_store as store
from longtable.gateway.call_arguments import Context
from longtable.gateway.workspace_store import WorkspaceKey
from longtable.identity.resolve import check_session_id
from longtable.kernel.background import owned_task
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT, SPEAKS_FOR_AGENTS, Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.content import check_characters
from longtable.kernel.errors import CapacityLimitReached, NotFound, SessionMismatch, UpstreamError, UpstreamTimeout
from longtable.log.ledger import Ledger
from longtable.settings.options import Settings
from longtable.storage.database import SYSTEM, Transaction
from longtable.upstreams.mindscape import MindscapeUpstream

MAX_WORKSPACES = 1_000
"""Per tenant: each costs the backend more than a row."""
STALE_AFTER = 120 * SECOND
"""Age at which the holder of a claim counts as dead."""
_PAGE = 200
_MAX_PAGES = 500
_RETRY_SECONDS = 0.1
_LISTED_FOR = 30 * SECOND
_MAX_LISTED = 10_000
_MAX_USER = 256
_SHARED = "all"
_NO_TYPE = "mcp_external"
_PLAIN_TYPE = "external"
_ABOUT = "Created for callers of the gateway."


class SessionCheck(Protocol):
    async def check(self, caller: Caller, session_id: str, to_change: bool) -> None: ...


class SessionWorkspaces:
    """Without a backend a workspace is a session."""

    def __init__(self, sessions: SessionCheck) -> None:
        self._sessions = sessions

    async def resolve(self, caller: Caller, requested: str | None, context: Context | None) -> str | None:
        if requested is None or requested == caller.session_id:
            return caller.session_id
        if caller.bound:
            raise SessionMismatch("workspace_id: this caller is bound to another session.")
        await self._sessions.check(caller, check_session_id(requested), to_change=True)
        return requested


@dataclass(frozen=True, slots=True)
class BackendProvisioning:
    mode: Literal["single_workspace", "multi_workspace"]
    workspace_id: str | None
    title: str
    create: bool
    quota: int = MAX_WORKSPACES


@dataclass(frozen=True, slots=True)
class _Target:
    """A workspace to find or create: its key in the store and its title at the backend."""

    key: WorkspaceKey
    title: str


@dataclass(frozen=True, slots=True)
class _ClaimState:
    """`workspace_id` if there is one; else the time of a claim, and whether it is ours."""

    workspace_id: str | None
    held_at: int = 0
    is_ours: bool = False


class BackendWorkspaces:
    def __init__(self, upstream: MindscapeUpstream, ledger: Ledger, rules: BackendProvisioning) -> None:
        self._upstream = upstream
        self._ledger = ledger
        self._rules = rules
        self._backend = f"{upstream.backend.root} {upstream.backend.profile_id}"
        self._provisioning: dict[tuple[WorkspaceKey, bool], asyncio.Task[str | None]] = {}
        self._listed_until: dict[str, int] = {}

    @classmethod
    def of(cls, settings: Settings, upstream: MindscapeUpstream, ledger: Ledger) -> "BackendWorkspaces":
        rules = BackendProvisioning(
            mode=settings.mindscape_gateway_mode,
            workspace_id=settings.mindscape_workspace_id,
            title=settings.mindscape_default_workspace_title,
            create=settings.mindscape_auto_provision,
        )
        workspaces = cls(upstream, ledger, rules)
        upstream.workspace_gone = workspaces.forget
        return workspaces

    async def resolve(self, caller: Caller, requested: str | None, context: Context | None) -> str | None:
        """Raises NotFound for a workspace that the caller may not use, or when there is none and none may be created;
        also the errors of the backend."""
        target = self._target(caller, context)
        if requested is not None:
            return await self._allowed(caller, requested, target)
        if self._is_single and self._rules.workspace_id is not None:
            return self._rules.workspace_id
        own = await self._find_own(caller, target, create=self._rules.create)
        if own is None:
            raise NotFound(
                "There is no workspace, and none may be created.",
                hint="The operator can name one in MINDSCAPE_WORKSPACE_ID or switch MINDSCAPE_AUTO_PROVISION on.",
            )
        return own

    async def forget(self, workspace_id: str) -> None:
        """The backend does not have it any more."""
        self._listed_until.pop(workspace_id, None)
        await self._ledger.database.write(SYSTEM, lambda tx: store.forget(tx, self._backend, workspace_id))

    @property
    def _is_single(self) -> bool:
        return self._rules.mode == "single_workspace"

    def _target(self, caller: Caller, context: Context | None) -> _Target:
        """The user is the authenticated caller; only callers that speak for others may name another."""
        if self._is_single:
            return _Target(WorkspaceKey(SYSTEM, self._backend, _SHARED), self._rules.title)
        kind, user = _PLAIN_TYPE, caller.agent
        if context is not None and context.surface_user_id and caller.role in SPEAKS_FOR_AGENTS:
            kind = _PLAIN_TYPE if context.surface_type == _NO_TYPE else context.surface_type
            user = context.surface_user_id
        check_characters("surface_user_id", user, _MAX_USER)
        check_characters("surface_type", kind, _MAX_USER)
        title = title_of(caller.tenant, kind, user)
        return _Target(WorkspaceKey(caller.tenant, self._backend, json.dumps([kind, user])), title)

    async def _allowed(self, caller: Caller, requested: str, target: _Target) -> str:
        if requested == self._rules.workspace_id or requested == await self._find_own(caller, target, create=False):
            return requested
        if await (self._is_listed(requested) if self._is_single else self._belongs_to_tenant(caller, requested)):
            return requested
        raise NotFound(
            "workspace_id: there is no such workspace, or none that you may use.",
            hint="Leave it out: yours is found for you.",
            workspace_id=requested,
        )

    async def _belongs_to_tenant(self, caller: Caller, requested: str) -> bool:
        if caller.role not in SPEAKS_FOR_AGENTS:
            return False
        return any(tenant == caller.tenant for tenant, _ in await self._holders(requested))

    async def _is_listed(self, requested: str) -> bool:
        """Whether the backend lists it and it does not belong to a single user."""
        now = self._ledger.clock()
        if now < self._listed_until.get(requested, 0):
            return True
        if any(tenant != SYSTEM for tenant, _ in await self._holders(requested)):
            return False
        if all(each.get("id") != requested for each in await self._list()):
            return False
        if len(self._listed_until) >= _MAX_LISTED:
            self._listed_until.clear()
        self._listed_until[requested] = now + _LISTED_FOR
        return True

    async def _find_own(self, caller: Caller, target: _Target, create: bool) -> str | None:
        """Concurrent callers share one search, which goes on when one of them is cancelled."""
        row = await self._ledger.database.read(target.key.scope, lambda tx: store.find(tx, target.key))
        if row is not None and row["workspace_id"]:
            return str(row["workspace_id"])
        task = self._provisioning.get((target.key, create))
        if task is None:
            task = owned_task(self._provision(caller, target, create))
            self._provisioning[target.key, create] = task
            task.add_done_callback(lambda done: self._provisioned((target.key, create), done))
        return await asyncio.shield(task)

    def _provisioned(self, key: tuple[WorkspaceKey, bool], task: "asyncio.Task[str | None]") -> None:
        self._provisioning.pop(key, None)
        if not task.cancelled():
            task.exception()

    async def _provision(self, caller: Caller, target: _Target, create: bool) -> str | None:
        seen = await self._claim(target)
        if seen.workspace_id is not None:
            return seen.workspace_id
        held_at = seen.held_at
        try:
            workspace_id = await self._find(target)
            if workspace_id is None and create:
                held_at = await self._renew(target, held_at)
                workspace_id = await self._create(target)
        except BaseException:
            await self._release(target, held_at)
            raise
        if workspace_id is None:
            await self._release(target, held_at)
            return None
        if not await self._write(target, lambda tx: store.fill(tx, target.key, held_at, workspace_id)):
            raise UpstreamTimeout("Another process was faster.", hint="Try again.")
        call = Call(caller, "provision_workspace", "workspace_provisioned")
        self._ledger.observe(call, "SUCCESS", f"workspace:{workspace_id}")
        return workspace_id

    async def _claim(self, target: _Target) -> _ClaimState:
        """Our claim, or the workspace that another process has found. Without a claim none is created, so that replicas
        do not create two."""
        deadline = self._ledger.clock() + int(2 * self._upstream.backend.timeout * SECOND)
        while True:
            seen: _ClaimState = await self._write(target, lambda tx: self._try_claim(tx, target))
            if seen.workspace_id is not None or seen.is_ours:
                return seen
            if self._ledger.clock() >= deadline:
                raise UpstreamTimeout("Another process is still looking for this workspace.", hint="Try again.")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _try_claim(self, tx: Transaction, target: _Target) -> _ClaimState:
        now = self._ledger.clock()
        row = await store.find(tx, target.key)
        if row is None:
            if await store.count(tx, target.key) >= self._rules.quota:
                raise CapacityLimitReached(
                    f"{self._rules.quota} workspaces are the limit of a tenant.", limit=self._rules.quota
                )
            return _ClaimState(None, now, await store.claim(tx, target.key, target.title, now))
        if row["workspace_id"]:
            return _ClaimState(row["workspace_id"])
        stale_after = max(STALE_AFTER, int(4 * self._upstream.backend.timeout * SECOND))
        if now - row["created_at"] < stale_after:
            return _ClaimState(None)
        return _ClaimState(None, now, await store.renew(tx, target.key, row["created_at"], now))

    async def _renew(self, target: _Target, held_at: int) -> int:
        now = self._ledger.clock()
        if not await self._write(target, lambda tx: store.renew(tx, target.key, held_at, now)):
            raise UpstreamTimeout("The search for a workspace took too long.", hint="Try again.")
        return now

    async def _release(self, target: _Target, held_at: int) -> None:
        await self._write(target, lambda tx: store.release(tx, target.key, held_at))

    async def _find(self, target: _Target) -> str | None:
        """By its exact title, among those of our profile; the oldest, if there are several."""
        found = [each for each in await self._list() if each.get("title") == target.title]
        for each in sorted(found, key=lambda each: (str(each.get("created_at")), each["id"])):
            others = await self._holders(each["id"])
            if all(holder == (target.key.scope, target.key.owner) for holder in others):
                return str(each["id"])
        return None

    async def _list(self) -> list[dict[str, Any]]:
        """All pages. Raises the backend's errors: an incomplete list must not look like a complete one."""
        profile = self._upstream.backend.profile_id
        seen: dict[str, dict[str, Any]] = {}
        for _ in range(_MAX_PAGES):
            params = {"owner_user_id": profile, "limit": _PAGE, "offset": len(seen)}
            page = await self._upstream.client.get("/workspaces/", params)
            if not isinstance(page, list):
                raise UpstreamError("The backend's list of workspaces is not a list.", upstream=self._upstream.name)
            fresh = {each["id"]: each for each in page if _is_workspace(each) and each["id"] not in seen}
            if not fresh:
                break
            seen |= fresh
        return [each for each in seen.values() if each.get("owner_user_id", profile) == profile]

    async def _create(self, target: _Target) -> str:
        created = await self._upstream.client.post(
            "/workspaces/",
            {"title": target.title, "description": _ABOUT},
            {"owner_user_id": self._upstream.backend.profile_id},
        )
        if not _is_workspace(created):
            raise UpstreamError("The backend created a workspace and did not name it.", upstream=self._upstream.name)
        return str(created["id"])

    async def _holders(self, workspace_id: str) -> list[tuple[str, str]]:
        return await self._ledger.database.read(SYSTEM, lambda tx: store.holders(tx, self._backend, workspace_id))

    def _write(self, target: _Target, body: Any) -> Awaitable[Any]:
        return self._ledger.database.write(target.key.scope, body)


def title_of(tenant: str, kind: str, user: str) -> str:
    """`kind:user`, as the backend's own gateway writes it; other tenants have a prefix. Colons inside a part are
    escaped, so that no two users have one title."""
    title = f"{_part(kind)}:{_part(user)}"
    return title if tenant == DEFAULT_TENANT else f"{_part(tenant)}::{title}"


def _part(text: str) -> str:
    return text.replace("%", "%25").replace(":", "%3A")


def _is_workspace(each: Any) -> bool:
    return isinstance(each, dict) and isinstance(each.get("id"), str) and bool(each["id"])
