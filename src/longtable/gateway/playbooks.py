"""Runs playbooks step by step; each step is a call under the same policy, with its own audit record."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from longtable.gateway import run_store
from longtable.gateway.expressions import render
from longtable.gateway.model import CallRequest, CallResult
from longtable.gateway.playbook_file import UPSTREAM, Playbook, Step
from longtable.gateway.run_store import Run
from longtable.governance.model import Confirm, ToolDefinition
from longtable.kernel.background import BackgroundTask, owned_task
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import (
    ConfirmationRequired,
    InternalError,
    LongtableError,
    NotFound,
    ShuttingDown,
    UpstreamError,
)
from longtable.kernel.logs import logger
from longtable.log.ledger import Ledger
from longtable.upstreams.port import Freshness, Health, UpstreamCall, UpstreamResult, UpstreamStatus

ANSWER_WITHIN = 20.0
"""Seconds that a call waits for its playbook; a longer run goes on in the background."""
MAX_OUTPUT = 1_048_576
_HEARTBEAT_SECONDS = run_store.LOST_AFTER / SECOND / 4
_MAX_DETAIL = 1_000


class StepCaller(Protocol):
    """Calls the tools of a playbook's steps, under the policy that holds for every call."""

    async def names(self, caller: Caller, tools: Sequence[str]) -> Mapping[str, str]:
        """The listed names of those tools that the caller can use."""

    async def call(self, request: CallRequest) -> CallResult:
        """Raises ConfirmationRequired when a person must allow it first."""

    async def wait_for_decision(self, caller: Caller, decision_id: str) -> None: ...

    async def wait_for_execution(self, caller: Caller, execution_id: str) -> Run: ...


class PlaybookSource:
    """The playbooks of the folder, as a source of tools."""

    name = UPSTREAM
    health: Health = "ready"
    status = UpstreamStatus()
    problem: str | None = None

    def __init__(self, playbooks: Sequence[Playbook]) -> None:
        self._definitions = tuple(book.definition for book in playbooks)
        self.by_remote = {book.definition.remote: book for book in playbooks}

    reports_changes = False
    withheld = ()

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        return self._definitions

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        raise UpstreamError("A playbook is run, not called.")

    def on_change(self, callback: Callable[[], None]) -> None:
        """They are read once, at start."""

    async def close(self) -> None: ...


@dataclass(slots=True)
class _RunInProgress:
    """`approved_by` says who has allowed the playbook's call. `updates` ends with None: the run is over, or
    waits for a person."""

    call: UpstreamCall
    caller: Caller
    approved_by: Confirm
    book: Playbook
    variables: dict[str, Any]
    run: Run
    updates: "asyncio.Queue[tuple[float, str] | None]" = field(default_factory=asyncio.Queue)

    @property
    def total(self) -> int:
        return len(self.book.steps)


class Playbooks:
    def __init__(self, ledger: Ledger, playbook_source: PlaybookSource, step_caller: StepCaller) -> None:
        self._ledger = ledger
        self._source = playbook_source
        self._step_caller = step_caller
        self._in_progress: dict[asyncio.Task[None], _RunInProgress] = {}
        self._heartbeat: BackgroundTask | None = None

    async def run(self, call: UpstreamCall, caller: Caller, *, approved_by: Confirm) -> UpstreamResult:
        """Returns when the run is over, needs a person, or takes long. Cancelling the call ends the run."""
        book = self._source.by_remote[call.tool]
        running = _RunInProgress(
            call, caller, approved_by, book, {"inputs": dict(call.inputs)}, self._new_run(call, caller, book)
        )
        await self._ledger.database.write(caller.tenant, lambda tx: run_store.insert(tx, running.run))
        task = owned_task(self._run_to_end(running))
        self._in_progress[task] = running
        task.add_done_callback(self._run_ended)
        if self._heartbeat is None or self._heartbeat.done():
            self._heartbeat = self._ledger.background.start("playbook_heartbeat", self._send_heartbeats)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_WITHIN):
                    await _report_progress(running)
        except asyncio.CancelledError:
            task.cancel()
            raise
        return run_result(running.run)

    async def close(self) -> None:
        if self._heartbeat is not None:
            await self._heartbeat.stop()
        tasks = list(self._in_progress)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _new_run(self, call: UpstreamCall, caller: Caller, book: Playbook) -> Run:
        now = self._ledger.clock()
        return Run(
            execution_id=f"run_{secrets.token_hex(8)}",
            agent=caller.agent,
            session_id=caller.session_id,
            tool=call.name,
            upstream=UPSTREAM,
            created_at=now,
            updated_at=now,
            progress={"step": 0, "steps": len(book.steps)},
        )

    def _run_ended(self, task: "asyncio.Task[None]") -> None:
        self._in_progress.pop(task).updates.put_nowait(None)

    async def _send_heartbeats(self) -> None:
        """A run without a heartbeat for a while counts as lost."""
        while self._in_progress:
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            for running in list(self._in_progress.values()):
                with suppress(LongtableError):
                    await self._save(running)

    async def _run_to_end(self, running: _RunInProgress) -> None:
        try:
            await self._run_steps(running)
            changes: dict[str, Any] = {"status": "completed", "result": _outcome(running)}
        except LongtableError as error:
            changes = _failed(running, error)
        except asyncio.CancelledError:
            await asyncio.shield(self._end(running, _failed(running, ShuttingDown("It was stopped in the middle."))))
            raise
        except Exception as bug:  # noqa: BLE001 - no caller awaits a run: its failure must be recorded
            logger.failed("playbook_failed", bug, tool=running.call.name)
            changes = _failed(running, InternalError("Something went wrong on our side."))
        await self._end(running, changes)

    async def _end(self, running: _RunInProgress, changes: Mapping[str, Any]) -> None:
        try:
            await self._save(running, **changes)
        except LongtableError as error:
            logger.warning("run_not_saved", execution_id=running.run.execution_id, code=error.code)

    async def _run_steps(self, running: _RunInProgress) -> None:
        names = await self._step_caller.names(running.caller, [step.tool for step in running.book.steps])
        for position, step in enumerate(running.book.steps):
            if step.tool not in names:
                # Before any of them is called: half of a piece of work is worse than none.
                await self._save(running, progress=_progress(running, position))
                raise NotFound(f"There is no tool {step.tool[:100]!r} that can be used now.", tool=step.tool)
        for position, step in enumerate(running.book.steps):
            await self._step(running, position, step, names[step.tool])
        running.updates.put_nowait((running.total, "done"))

    async def _step(self, running: _RunInProgress, position: int, step: Step, name: str) -> None:
        await self._save(running, progress=_progress(running, position))
        running.updates.put_nowait((position, f"step {position + 1} of {running.total}: {step.tool}"))
        arguments = {"inputs": render(dict(step.inputs), running.variables)}
        if running.call.workspace is not None:
            arguments["workspace_id"] = running.call.workspace
        # The approval of the playbook covers calls that depend on its inputs alone, not on an earlier result.
        covered_by: Confirm = running.approved_by if step.is_known_beforehand else "none"
        request = CallRequest(name, arguments, running.caller, covered_by=covered_by)
        result = await self._call_step(running, request)
        if result.is_error:
            raise UpstreamError(f"The tool of step {position + 1} failed.", detail=_text(result.content)[:_MAX_DETAIL])
        value = await self._execution_output(running, result) if result.status == "running" else _value(result)
        if step.save_as:
            running.variables[step.save_as] = value

    async def _call_step(self, running: _RunInProgress, request: CallRequest) -> CallResult:
        try:
            return await self._step_caller.call(request)
        except ConfirmationRequired as required:
            progress = running.run.progress
            decision_id, token = required.details["confirmation_id"], required.details["confirm_token"]
        await self._save(running, status="confirmation_required", progress={**progress, "confirmation_id": decision_id})
        running.updates.put_nowait(None)
        await self._step_caller.wait_for_decision(running.caller, decision_id)
        await self._save(running, status="running", progress=progress)
        confirmed = {**request.arguments, "confirm_token": token}
        return await self._step_caller.call(replace(request, arguments=confirmed))

    async def _execution_output(self, running: _RunInProgress, result: CallResult) -> Any:
        run = await self._step_caller.wait_for_execution(running.caller, result.meta["execution_id"])
        if run.status != "completed":
            raise UpstreamError("What the step began did not succeed.", status=run.status, detail=run.error)
        return run.result

    async def _save(self, running: _RunInProgress, **changes: Any) -> None:
        running.run = run = replace(running.run, **changes, updated_at=self._ledger.clock())
        await self._ledger.database.write(running.caller.tenant, lambda tx: run_store.update(tx, run))


def run_result(run: Run) -> UpstreamResult:
    """The state of a run as the result of a call."""
    structured: dict[str, Any] = {
        "status": run.status,
        "inputs": {},
        "outputs": run.result if run.result is not None else {},
        "logs": [],
        "execution_id": run.execution_id,
        "progress": dict(run.progress),
        "_metadata": {"tool": run.tool, "duration_ms": (run.updated_at - run.created_at) * 1000 // SECOND},
    }
    if run.error is not None:
        structured["error"] = dict(run.error)
    if run.status == "confirmation_required":
        structured["confirmation_id"] = run.progress["confirmation_id"]
    text = json.dumps(structured, ensure_ascii=False)
    return UpstreamResult(
        content=[{"type": "text", "text": text}],
        structured=structured,
        is_error=run.status == "failed",
        status=run.status,
        execution_id=run.execution_id,
    )


async def _report_progress(running: _RunInProgress) -> None:
    """A caller that can no longer be reached does not hold up the run."""
    progress = running.call.progress
    while (update := await running.updates.get()) is not None:
        if progress is None:
            continue
        try:
            await progress(update[0], running.total, update[1])
        except Exception as error:  # noqa: BLE001 - the client's transport reports its own failure
            logger.info("progress_not_told", error=type(error).__name__)
            progress = None


def _progress(running: _RunInProgress, position: int) -> dict[str, Any]:
    return {"step": position + 1, "steps": running.total, "tool": running.book.steps[position].tool}


def _failed(running: _RunInProgress, error: LongtableError) -> dict[str, Any]:
    failure = {**error.details, "code": error.code, "message": error.message, "step": running.run.progress["step"]}
    return {"status": "failed", "error": failure}


def _outcome(running: _RunInProgress) -> Any:
    saved = {name: value for name, value in running.variables.items() if name != "inputs"}
    result = saved if running.book.output is None else render(running.book.output, running.variables)
    if len(json.dumps(result)) > MAX_OUTPUT:
        return {"truncated": True, "note": f"It has more than {MAX_OUTPUT} bytes; output can name a part of it."}
    return result


def _value(result: CallResult) -> Any:
    """What a later step can refer to: the structured result, else the text, parsed where it is JSON."""
    if result.structured is not None:
        return result.structured
    text = _text(result.content)
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _text(content: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(str(block["text"]) for block in content if block.get("type") == "text" and "text" in block)
