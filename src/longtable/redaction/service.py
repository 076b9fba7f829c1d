"""Redacts a text by order of the owner, with nothing of it left behind."""

from collections.abc import Awaitable, Callable
from functools import partial

from longtable.fulltext import index
from longtable.identity.agent_names import find_spelling
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.errors import NotFound
from longtable.log.ledger import Ledger, Work
from longtable.memory.model import ACROSS_SESSIONS
from longtable.memory.store import MemoryScope
from longtable.notebooks.events import changed
from longtable.notebooks.model import check_scratch_id
from longtable.redaction import cell_store, events, place_store
from longtable.redaction.arguments import Redact, RedactCell, RedactMemory, RedactScratchpad
from longtable.redaction.model import Redacted, RedactedThing
from longtable.redaction.targets import statement_for
from longtable.sessions.store import count_redaction
from longtable.toolkit.tool import Route, Scope, tool

LOG_FILE = "longtable.db-wal"
"""Holds a copy for a while, when another process was reading the store."""
_redaction_tool = partial(
    tool,
    roles=frozenset({Role.OWNER}),
    audited_as="content_redacted",
    writes=True,
    destructive=True,
    frees=True,
    repeatable=True,
    over_mcp=False,
)


class Redaction:
    """`backups` names the copies of the store that exist."""

    def __init__(self, ledger: Ledger, backups: Callable[[], list[str]]) -> None:
        self._ledger = ledger
        self._backups = backups

    @_redaction_tool(
        "redact",
        title="Redact a secret",
        description="Replace a text of a session by a tombstone, everywhere.",
        group="workspace",
        reaches_archive=True,
        routes=(Route("POST", "/sessions/{session_id}/redact"),),
    )
    async def redact(self, call: Call, arguments: Redact) -> Redacted:
        """Also in an expired or closed session: a secret must go from an archive, too."""
        thing = RedactedThing(
            kind=arguments.kind, id=str(arguments.id), version=arguments.version, number=arguments.number
        )
        redact = statement_for(arguments)

        async def body(work: Work) -> None:
            if not await redact(work.tx, work.caller.session, work.now):
                raise NotFound(f"id: there is no {thing.kind} {thing.id[:100]} like that in this session.")
            await count_redaction(work.tx, work.caller.session)
            await index.compact(work.tx)
            place = {} if thing.number is None else {"number": thing.number}
            work.touched(f"{thing.kind}:{thing.id}", version=thing.version, **place)
            work.happened(events.redacted(thing))

        return await self._write(call, thing, body)

    @_redaction_tool(
        "redact_cell",
        title="Redact a cell",
        description="Replace a cell by a tombstone, with its tags, metadata and schema, everywhere.",
        group="notebooks",
        scope=Scope.TENANT,
        routes=(Route("POST", "/scratchpads/{scratch_id}/cells/{cell_id}/redact"),),
    )
    async def redact_cell(self, call: Call, arguments: RedactCell) -> Redacted:
        """Also in the trash, from which a scratchpad can come back."""
        scratch_id, cell_id = arguments.scratch_id, arguments.cell_id
        check_scratch_id(scratch_id)

        async def body(work: Work) -> None:
            work.concerns_tenant()
            if not await cell_store.redact_cell(work.tx, scratch_id, cell_id, work.now):
                raise NotFound("cell_id: there is no such cell in this scratchpad.", scratch_id=scratch_id)
            await index.compact(work.tx)
            work.touched(f"scratchpad:{scratch_id}", cell_id=cell_id)
            work.happened(changed(scratch_id, cell_id, "redact"))

        return await self._write(call, RedactedThing(kind="cell", id=cell_id), body)

    @_redaction_tool(
        "redact_scratchpad",
        title="Redact what describes a scratchpad",
        description="Replace what describes a scratchpad, its title and tags for example, by a tombstone.",
        group="notebooks",
        scope=Scope.TENANT,
        routes=(Route("POST", "/scratchpads/{scratch_id}/redact"),),
    )
    async def redact_scratchpad(self, call: Call, arguments: RedactScratchpad) -> Redacted:
        """In all of its lives: what lies in the trash under the same id, too."""
        scratch_id = check_scratch_id(arguments.scratch_id)

        async def body(work: Work) -> None:
            work.concerns_tenant()
            if not await place_store.redact_scratchpad(work.tx, scratch_id, work.now):
                raise NotFound("scratch_id: there is no such scratchpad.", scratch_id=scratch_id)
            await index.compact(work.tx)
            work.touched(f"scratchpad:{scratch_id}")
            work.happened(changed(scratch_id, None, "redact"))

        return await self._write(call, RedactedThing(kind="scratchpad", id=scratch_id), body)

    @_redaction_tool(
        "redact_memory",
        title="Redact what an agent keeps",
        description="Replace a value in the memory of an agent by a tombstone.",
        group="messages",
        scope=Scope.TENANT,
        routes=(Route("POST", "/memory/redact"),),
    )
    async def redact_memory(self, call: Call, arguments: RedactMemory) -> Redacted:
        """Without an event: memory is shown to nobody but its agent."""

        async def body(work: Work) -> None:
            agent = await find_spelling(work.tx, arguments.agent) or arguments.agent
            scope = MemoryScope(agent, arguments.session_id or ACROSS_SESSIONS)
            if not await place_store.redact_memory(work.tx, scope, arguments.key, work.now):
                raise NotFound("key: this agent keeps nothing under this key here.")
            work.touched("memory", agent=agent)

        return await self._write(call, RedactedThing(kind="memory", id=arguments.key), body)

    async def _write(self, call: Call, thing: RedactedThing, redact: Callable[[Work], Awaitable[None]]) -> Redacted:
        async def body(work: Work) -> Redacted:
            await redact(work)
            return Redacted(redacted=thing, backups=self._backups())

        result = await self._ledger.write(call, Redacted, body)
        self._ledger.pages.clear()
        if await self._ledger.database.erase_traces():
            return result
        # It is redacted all the same; the result names the file that still has a copy.
        return result.model_copy(update={"backups": [*result.backups, LOG_FILE]})
