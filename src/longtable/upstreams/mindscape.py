"""A Mindscape backend as a source of tools and playbooks."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from longtable.governance.model import ToolDefinition, WithheldTool
from longtable.kernel.background import BackgroundTask, BackgroundTasks, owned_task
from longtable.kernel.errors import InvalidArgument, LongtableError, NotFound, UpstreamError, UpstreamTimeout
from longtable.kernel.logs import logger
from longtable.upstreams.mindscape_client import LISTING, NAME, Backend, MindscapeClient, segment
from longtable.upstreams.mindscape_results import error_of, execution_result, playbook_result, status_of, tool_result
from longtable.upstreams.mindscape_tools import (
    PLAYBOOK,
    operation_type,
    read_definitions,
    read_withheld,
    takes_workspace,
)
from longtable.upstreams.port import Freshness, Health, UpstreamCall, UpstreamResult, UpstreamStatus

POLL_EVERY = 30.0
"""Seconds between two requests for the tools while there are listeners, and for the names of packs."""
_PACK_SECONDS = 2.0
_SURFACE = "mcp-gateway"
_CONTEXT = (
    "workspace_id",
    "surface_type",
    "surface_user_id",
    "tool_called",
    "original_message",
    "conversation_id",
    "intent_hint",
    "timestamp",
    "ide_receipts",
)

WorkspaceGone = Callable[[str], Awaitable[None]]
"""Called with the id of a workspace that the backend does not have any more."""


class MindscapeUpstream:
    status = UpstreamStatus()

    def __init__(
        self,
        backend: Backend,
        *,
        poll_every: float = POLL_EVERY,
        background: BackgroundTasks | None = None,
    ) -> None:
        self._background = background or BackgroundTasks()
        self.client = MindscapeClient(backend)
        self.backend = backend
        self.workspace_gone: WorkspaceGone | None = None
        self.packs: Mapping[str, str] = {}
        """Names of the packs by their ids, for people only."""
        self._poll_every = poll_every
        self._known: list[ToolDefinition] | None = None
        self._by_remote: Mapping[str, ToolDefinition] = {}
        self._listed_at = -math.inf
        self._packs_at = -math.inf
        self._refreshing = asyncio.Lock()
        self._polling: BackgroundTask | None = None
        self._change_callbacks: list[Callable[[], None]] = []
        self.withheld: Sequence[WithheldTool] = ()
        self._health: Health = "idle"
        self._problem: str | None = None
        self._packs_problem: str | None = None

    @property
    def name(self) -> str:
        return NAME

    @property
    def health(self) -> Health:
        return "open" if self.client.breaker.is_open else self._health

    @property
    def problem(self) -> str | None:
        return self._problem

    def on_change(self, callback: Callable[[], None]) -> None:
        self._change_callbacks.append(callback)

    reports_changes = False

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        """As they are now: a changed tool must not be called even once. Callers during a request share the next one."""
        requested_at = time.monotonic() if fresh is None else fresh.since
        async with self._refreshing:
            if self._listed_at < requested_at:
                await self._refresh()
        if self._polling is None:
            self._polling = self._background.start("upstream_poll", self._poll, about=NAME)
        assert self._known is not None
        return self._known

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises NotFound, Forbidden, InvalidArgument, RateLimited, UpstreamError or UpstreamTimeout, with the
        backend's message in `detail`."""
        if call.workspace is None:
            raise InvalidArgument.at("workspace_id", "is needed, and there is none for you")
        definition = self._by_remote.get(call.tool)
        if definition is None:
            raise NotFound(f"The backend has no tool {call.tool[:100]!r}.", upstream=NAME)
        try:
            if definition.is_playbook:
                return await self._start(call, call.tool.removeprefix(PLAYBOOK))
            return await self._execute(call, definition)
        except NotFound:
            await self._check_workspace(call.workspace)
            raise

    async def poll(self, execution_id: str) -> UpstreamResult:
        """The state of a playbook's run. Raises NotFound for one that the backend does not know."""
        path = f"/playbooks/execute/{segment(execution_id)}"
        finished = await self._finished_result(path, execution_id)
        if finished is not None:
            return finished
        status = status_of((await self._state(path)).get("status"))
        if status != "running":
            # It has ended between the two requests.
            finished = await self._finished_result(path, execution_id)
        error = error_of(None) if status == "failed" else None
        return finished or execution_result(execution_id, status, None, error, execution_id)

    async def forward(self, payload: Mapping[str, Any]) -> str | None:
        """Sends the context of a call; returns the id that the backend gives it. A backend may lack this route."""
        body = {name: payload[name] for name in _CONTEXT if payload.get(name) is not None}
        try:
            response = await self.client.post_in_background("/surfaces/external-context", body)
        except NotFound:
            return None
        intent_id = response.get("intent_id") if isinstance(response, dict) else None
        return intent_id if isinstance(intent_id, str) else None

    async def close(self) -> None:
        if self._polling is not None:
            await self._polling.stop()
        self._health = "stopped"
        await self.client.close()

    async def _execute(self, call: UpstreamCall, definition: ToolDefinition) -> UpstreamResult:
        body = {
            "workspace_id": call.workspace,
            "product_surface_id": _SURFACE,
            "operation_type": operation_type(definition),
            "execution_backend": "local",
            "tool_name": call.tool,
            "arguments": _arguments(definition, call),
        }
        params = {"profile_id": self.backend.profile_id}
        return tool_result(call.name or call.tool, await self.client.post("/tools/execute", body, params))

    async def _start(self, call: UpstreamCall, code: str) -> UpstreamResult:
        params = {"playbook_code": code, "profile_id": self.backend.profile_id, "workspace_id": call.workspace}
        response = await self.client.post("/playbooks/execute/start", {"inputs": dict(call.inputs)}, params)
        return playbook_result(call.name or code, response)

    async def _check_workspace(self, workspace_id: str) -> None:
        """Raises NotFound if it was the workspace that the backend did not know. The call is not repeated in another
        one: that is for the caller to decide."""
        try:
            await self.client.get(f"/workspaces/{segment(workspace_id)}")
        except NotFound as missing:
            if self.workspace_gone is not None:
                await self.workspace_gone(workspace_id)
            raise NotFound(
                "The backend does not have this workspace any more.",
                hint="Repeat the call without workspace_id: another one will be found.",
                workspace_id=workspace_id,
                **missing.details,
            ) from None
        except LongtableError:
            return

    async def _finished_result(self, path: str, execution_id: str) -> UpstreamResult | None:
        """None while it is running."""
        try:
            outputs = await self.client.get(f"{path}/result")
        except NotFound:
            return None
        except UpstreamError as error:
            return await self._failed_result(path, execution_id, error)
        return execution_result(execution_id, "completed", outputs, None, execution_id)

    async def _state(self, path: str) -> Mapping[str, Any]:
        state = await self.client.get(f"{path}/status")
        return state if isinstance(state, dict) else {}

    async def _failed_result(self, path: str, execution_id: str, error: UpstreamError) -> UpstreamResult:
        """The backend answers 500 for a failed run; the status route tells it from a failure of its own."""
        if error.details.get("upstream_status") != 500:
            raise error
        if status_of((await self._state(path)).get("status")) != "failed":
            raise error
        return execution_result(execution_id, "failed", {}, error_of(error.details.get("detail")), execution_id)

    async def _refresh(self) -> None:
        query = {
            "task_hint": self.backend.task_hint[:500],
            "max_tools": self.backend.max_tools,
            "include_playbooks": True,
            "enabled_only": True,
            "recommended_pack_codes": list(self.backend.recommended_packs),
        }
        self._health = self._health if self._known is not None else "starting"
        began = time.monotonic()
        packs = owned_task(self._name_packs()) if began - self._packs_at >= self._poll_every else None
        try:
            listed = await self.client.post(LISTING, query)
        except LongtableError as error:
            raise self._listing_error(error) from None
        finally:
            if packs is not None:
                self._packs_at, self._packs_problem = began, await packs
        self._health, self._problem, self._listed_at = "ready", self._packs_problem, began
        self._update(found := read_definitions(listed))
        self.withheld = read_withheld(listed, found)

    async def _name_packs(self) -> str | None:
        """Returns the problem, if any: the tools are listed all the same."""
        try:
            async with asyncio.timeout(_PACK_SECONDS):
                self.packs = _pack_names(await self.client.get_in_background("/capability-packs/"))
        except LongtableError as error:
            return f"packs: {error.message}"
        except TimeoutError:
            return "packs: no answer in time"
        return None

    def _update(self, found: list[ToolDefinition]) -> None:
        """An unchanged list stays the same object, so that it is not processed again."""
        before = self._known
        if before is not None and [each.digest for each in before] == [each.digest for each in found]:
            return
        self._known = found
        self._by_remote = {definition.remote: definition for definition in found}
        if before is not None:
            for callback in self._change_callbacks:
                callback()

    def _listing_error(self, error: LongtableError) -> LongtableError:
        self._health, self._problem = "failing", error.message
        if isinstance(error, UpstreamError | UpstreamTimeout):
            return error
        return UpstreamError("The backend does not list its tools.", **{**error.details, "upstream": NAME})

    async def _poll(self) -> None:
        """Notices changes for listeners while there are no calls."""
        while True:
            await asyncio.sleep(self._poll_every)
            try:
                await self.definitions()
            except LongtableError as error:
                logger.warning("backend_not_listed", code=error.code)


def _arguments(definition: ToolDefinition, call: UpstreamCall) -> dict[str, Any]:
    """A tool that takes a workspace gets the one of the call only."""
    arguments = dict(call.inputs)
    if takes_workspace(definition):
        if arguments.get("workspace_id", call.workspace) != call.workspace:
            raise InvalidArgument.at("inputs.workspace_id", "must be the workspace of the call")
        arguments["workspace_id"] = call.workspace
    return arguments


def _pack_names(packs: Any) -> dict[str, str]:
    listed = packs if isinstance(packs, list) else []
    named = [pack for pack in listed if isinstance(pack, dict) and isinstance(pack.get("id"), str)]
    return {pack["id"]: str(pack.get("name") or pack["id"]) for pack in named}
