"""Runs playbooks: step after step, each under the same policy as a call by its own name, and on record."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from longtable.gateway import run_store
from longtable.gateway.expressions import filled
from longtable.gateway.playbook_file import UPSTREAM, Playbook, Step
from longtable.gateway.run_store import Run
from longtable.governance.model import ToolDefinition
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
from longtable.storage.database import Transaction
from longtable.upstreams.port import Health, Progress, UpstreamCall, UpstreamResult

ANSWER_WITHIN = 20.0
"""Seconds that a call waits for its playbook; one that takes longer goes on, and can be asked about."""
MAX_OUTPUT = 1_048_576
_BEAT_SECONDS = run_store.LOST_AFTER / SECOND / 4
_MOST_DETAIL = 1_000


@dataclass(frozen=True, slots=True)
class StepCall:
    """`covered` says that the approval of the playbook covers this call: nothing in it came from an earlier result."""

    caller: Caller
    tool: str
    inputs: Mapping[str, Any]
    workspace: str | None
    covered: bool
    confirm_token: str | None = None


class Steps(Protocol):
    """What a playbook needs to have its steps made."""

    async def names(self, caller: Caller, tools: Sequence[str]) -> Mapping[str, str]:
        """Of those that there are, by what the playbook calls them."""

    async def make(self, step: StepCall) -> Any:
        """Raises ConfirmationRequired when a person must allow it first."""

    async def until_decided(self, caller: Caller, decision_id: str) -> None: ...

    async def until_over(self, caller: Caller, execution_id: str) -> Run:
        """Of what an upstream goes on with after its answer."""


class PlaybookSource:
    """The playbooks of the folder, as a source of tools."""

    name = UPSTREAM
    health: Health = "ready"
    problem: str | None = None

    def __init__(self, playbooks: Sequence[Playbook]) -> None:
        self._definitions = tuple(book.definition for book in playbooks)
        self.by_remote = {book.definition.remote: book for book in playbooks}

    async def definitions(self) -> Sequence[ToolDefinition]:
        return self._definitions

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        raise UpstreamError("A playbook is run, not called.")

    def on_change(self, callback: Callable[[], None]) -> None:
        """They are read once, at start."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class PlaybookRequest:
    """`confirmed` says that a person has allowed this very call."""

    caller: Caller
    tool: str
    remote: str
    inputs: Mapping[str, Any]
    workspace: str | None
    progress: Progress | None
    confirmed: bool


@dataclass(slots=True)
class _Running:
    """A run while it lasts. `news` ends with None: there is no more to tell, or a person must be waited for."""

    order: PlaybookRequest
    book: Playbook
    known: dict[str, Any]
    run: Run
    news: "asyncio.Queue[tuple[float, str] | None]" = field(default_factory=asyncio.Queue)

    @property
    def total(self) -> int:
        return len(self.book.steps)


class Playbooks:
    def __init__(self, ledger: Ledger, playbook_source: PlaybookSource, steps: Steps) -> None:
        self._ledger = ledger
        self._source = playbook_source
        self._steps = steps
        self._going: dict[asyncio.Task[None], _Running] = {}
        self._beating: BackgroundTask | None = None

    async def run(self, order: PlaybookRequest) -> UpstreamResult:
        """Answers when it is over, when it needs a person, or when it takes long. Who gives up the call ends it."""
        going = self._begun(order)
        await self._ledger.database.write(order.caller.tenant, lambda tx: run_store.insert(tx, going.run))
        task = owned_task(self._go(going))
        self._going[task] = going
        task.add_done_callback(self._over)
        if self._beating is None or self._beating.done():
            self._beating = self._ledger.background.start("playbook_heartbeat", self._beat)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_WITHIN):
                    await _accompany(going)
        except asyncio.CancelledError:
            task.cancel()
            raise
        return answer_of(going.run)

    async def close(self) -> None:
        if self._beating is not None:
            await self._beating.stop()
        tasks = list(self._going)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begun(self, order: PlaybookRequest) -> _Running:
        book = self._source.by_remote[order.remote]
        now = self._ledger.clock()
        run = Run(
            execution_id=f"run_{secrets.token_hex(8)}",
            agent=order.caller.agent,
            session_id=order.caller.session_id,
            tool=order.tool,
            upstream=UPSTREAM,
            remote_id=None,
            status="running",
            progress={"step": 0, "steps": len(book.steps)},
            result=None,
            error=None,
            created_at=now,
            updated_at=now,
        )
        return _Running(order, book, {"inputs": dict(order.inputs)}, run)

    def _over(self, task: "asyncio.Task[None]") -> None:
        self._going.pop(task).news.put_nowait(None)

    async def _beat(self) -> None:
        """Tells the store that what runs here still does: what nobody tells it of for a while is lost."""
        while self._going:
            await asyncio.sleep(_BEAT_SECONDS)
            for going in list(self._going.values()):
                with suppress(LongtableError):
                    await self._save(going)

    async def _go(self, going: _Running) -> None:
        try:
            await self._take_steps(going)
            changes: dict[str, Any] = {"status": "completed", "result": _outcome(going)}
        except LongtableError as error:
            changes = _failed(going, error)
        except asyncio.CancelledError:
            await asyncio.shield(self._end(going, _failed(going, ShuttingDown("It was stopped in the middle."))))
            raise
        except Exception as bug:  # noqa: BLE001 - nobody awaits a run: what breaks it must be on record
            logger.failed("playbook_failed", bug, tool=going.order.tool)
            changes = _failed(going, InternalError("Something went wrong on our side."))
        await self._end(going, changes)

    async def _end(self, going: _Running, changes: Mapping[str, Any]) -> None:
        try:
            await self._save(going, **changes)
        except LongtableError as error:
            logger.warning("run_not_saved", execution_id=going.run.execution_id, code=error.code)

    async def _take_steps(self, going: _Running) -> None:
        names = await self._steps.names(going.order.caller, [step.tool for step in going.book.steps])
        for position, step in enumerate(going.book.steps):
            if step.tool not in names:
                # Before any of them is made: half of a piece of work is worse than none.
                await self._save(going, progress=_progress(going, position))
                raise NotFound(f"There is no tool {step.tool[:100]!r} that can be used now.", tool=step.tool)
        for position, step in enumerate(going.book.steps):
            await self._step(going, position, step, names[step.tool])
        going.news.put_nowait((going.total, "done"))

    async def _step(self, going: _Running, position: int, step: Step, name: str) -> None:
        await self._save(going, progress=_progress(going, position))
        going.news.put_nowait((position, f"step {position + 1} of {going.total}: {step.tool}"))
        call = StepCall(
            caller=going.order.caller,
            tool=name,
            inputs=filled(dict(step.inputs), going.known),
            workspace=going.order.workspace,
            covered=going.order.confirmed and step.is_known_beforehand,
        )
        made = await self._made(going, call)
        if made.is_error:
            raise UpstreamError(f"The tool of step {position + 1} failed.", detail=_text(made.content)[:_MOST_DETAIL])
        value = await self._awaited(going, made) if made.status == "running" else _value(made)
        if step.save_as:
            going.known[step.save_as] = value

    async def _made(self, going: _Running, call: StepCall) -> Any:
        try:
            return await self._steps.make(call)
        except ConfirmationRequired as required:
            held = going.run.progress
            decision_id, token = required.details["confirmation_id"], required.details["confirm_token"]
        await self._save(going, status="confirmation_required", progress={**held, "confirmation_id": decision_id})
        going.news.put_nowait(None)
        await self._steps.until_decided(call.caller, decision_id)
        await self._save(going, status="running", progress=held)
        return await self._steps.make(replace(call, confirm_token=token))

    async def _awaited(self, going: _Running, made: Any) -> Any:
        run = await self._steps.until_over(going.order.caller, made.meta["execution_id"])
        if run.status != "completed":
            raise UpstreamError("What the step began did not succeed.", status=run.status, detail=run.error)
        return run.result

    async def _save(self, going: _Running, **changes: Any) -> None:
        going.run = run = replace(going.run, **changes, updated_at=self._ledger.clock())

        async def body(tx: Transaction) -> None:
            await run_store.update(tx, run)

        await self._ledger.database.write(going.order.caller.tenant, body)


def answer_of(run: Run) -> UpstreamResult:
    """What is told of a run, while it goes on and when it is over."""
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


async def _accompany(going: _Running) -> None:
    """Tells the caller of each step. One who cannot be told any more does not hold up the run."""
    progress = going.order.progress
    while (news := await going.news.get()) is not None:
        if progress is None:
            continue
        try:
            await progress(news[0], going.total, news[1])
        except Exception as error:  # noqa: BLE001 - whatever keeps a client from hearing, its transport tells of it
            logger.info("progress_not_told", error=type(error).__name__)
            progress = None


def _progress(going: _Running, position: int) -> dict[str, Any]:
    return {"step": position + 1, "steps": going.total, "tool": going.book.steps[position].tool}


def _failed(going: _Running, error: LongtableError) -> dict[str, Any]:
    failure = {**error.details, "code": error.code, "message": error.message, "step": going.run.progress["step"]}
    return {"status": "failed", "error": failure}


def _outcome(going: _Running) -> Any:
    saved = {name: value for name, value in going.known.items() if name != "inputs"}
    result = saved if going.book.output is None else filled(going.book.output, going.known)
    if len(json.dumps(result)) > MAX_OUTPUT:
        return {"truncated": True, "note": f"It has more than {MAX_OUTPUT} bytes; output can name a part of it."}
    return result


def _value(made: Any) -> Any:
    """What a later step can refer to: the object of the answer, else its text; a text that is JSON counts as that."""
    if made.structured is not None:
        return made.structured
    text = _text(made.content)
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _text(content: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(str(block["text"]) for block in content if block.get("type") == "text" and "text" in block)
