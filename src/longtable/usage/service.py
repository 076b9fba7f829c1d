"""Takes what agents report of their models, and adds it up for people."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from longtable.identity.agent_names import known_spelling
from longtable.identity.model import OVERSEERS, WORKERS
from longtable.kernel.background import BackgroundTask
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.clock import DAY
from longtable.kernel.content import moment_of
from longtable.kernel.errors import InvalidArgument, LongtableError, NotFound
from longtable.kernel.ids import number_of
from longtable.log.ledger import Ledger, Work
from longtable.plan import store as plan_store
from longtable.plan.model import PREFIX as TASK
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, Scope, tool
from longtable.usage import store
from longtable.usage.arguments import GetUsage, ReportUsage
from longtable.usage.model import (
    MILLION,
    ReportedUsage,
    UsageFilter,
    UsagePlace,
    UsageRead,
    UsageReported,
    usage_in,
)

SAVED_AFTER = 0.5
MAX_UNSAVED = 10_000

_Key = tuple[str, UsagePlace, str]
"""Tenant, place and model."""


class UsageReports:
    def __init__(self, ledger: Ledger, sessions: Sessions) -> None:
        self._ledger = ledger
        self._sessions = sessions

    @tool(
        "report_usage",
        title="Report usage",
        description="Report what your model used.",
        group="workspace",
        roles=WORKERS,
        audited_as="usage_reported",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/usage", 201),),
    )
    async def report(self, call: Call, arguments: ReportUsage) -> UsageReported:
        cost = None if arguments.cost is None else round(arguments.cost * MILLION)
        usage = ReportedUsage(arguments.model, arguments.input_tokens, arguments.output_tokens, cost)

        async def body(work: Work) -> UsageReported:
            await self._sessions.open_for_writing(work)
            caller = work.caller
            task = 0 if arguments.task_id is None else await _task(work, arguments.task_id)
            await store.add(work.tx, UsagePlace(work.now // DAY, caller.session, caller.agent, task), usage)
            work.touched("usage", model=usage.model, **({"task_id": arguments.task_id} if task else {}))
            return UsageReported(total=await store.of_agent(work.tx, caller.session, caller.agent))

        return await self._ledger.write(call, UsageReported, body)

    @tool(
        "get_usage",
        title="See what was used",
        description="Add up the tokens and costs that agents have reported, by agent, session or day.",
        group="workspace",
        roles=OVERSEERS - {Role.ORCHESTRATOR},
        audited_as="usage_read",
        scope=Scope.TENANT,
        over_mcp=False,
        routes=(Route("GET", "/usage"),),
    )
    async def read(self, call: Call, arguments: GetUsage) -> UsageRead:
        agent = await known_spelling(self._ledger.database, call.caller.tenant, arguments.agent)
        chosen = UsageFilter(
            since=moment_of(arguments.since, self._ledger.clock()) // DAY if arguments.since else 0,
            session_id=arguments.session_id,
            agent=agent,
        )
        rows, total = await self._ledger.read(
            call.caller, lambda tx: store.grouped(tx, arguments.by, chosen, arguments.limit)
        )
        return UsageRead(by=arguments.by, usage=rows, total=total)


async def _task(work: Work, id: str) -> int:
    number = number_of(TASK, id)
    if number is None:
        raise InvalidArgument.at("task_id", "must be the id of a task, such as t3")
    if await plan_store.find(work.tx, work.caller.session, number) is None:
        raise NotFound(f"task_id: there is no task {id} in this session.", hint="read_plan shows those there are.")
    return number


class CallUsage:
    """Usage that came beside the arguments of calls. It is added up and saved soon after, so that a call need not write
    for it: a crash loses that of half a second."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._unsaved: dict[_Key, tuple[ReportedUsage, int]] = {}
        self._saving: BackgroundTask | None = None

    def record(self, caller: Caller, meta: Mapping[str, Any]) -> None:
        usage = usage_in(meta)
        if usage is None or caller.role not in WORKERS or len(self._unsaved) >= MAX_UNSAVED:
            return
        place = UsagePlace(self._ledger.clock() // DAY, caller.session_id or "", caller.agent)
        key = (caller.tenant, place, usage.model)
        known = self._unsaved.get(key)
        self._unsaved[key] = (usage, 1) if known is None else (known[0].plus(usage), known[1] + 1)
        if self._saving is None or self._saving.done():
            self._saving = self._ledger.background.start("usage_flush", self._save_later)

    async def close(self) -> None:
        if self._saving is not None:
            self._saving.cancel()
        await self.save()

    async def save(self) -> None:
        while self._unsaved:
            key = next(iter(self._unsaved))
            tenant, place, _ = key
            usage, reports = self._unsaved.pop(key)

            async def body(
                tx: Transaction, place: UsagePlace = place, usage: ReportedUsage = usage, reports: int = reports
            ) -> None:
                await store.add(tx, place, usage, reports)

            try:
                await self._ledger.database.write(tenant, body)
            except LongtableError:
                self._unsaved.setdefault(key, (usage, reports))
                raise

    async def _save_later(self) -> None:
        while self._unsaved:
            await asyncio.sleep(SAVED_AFTER)
            with suppress(LongtableError):
                await self.save()
