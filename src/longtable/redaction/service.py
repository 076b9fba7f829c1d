"""Redacts a text by order of the owner, with nothing of it left behind."""

from collections.abc import Awaitable, Callable

from longtable.fulltext import index
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.errors import InvalidArgument, NotFound
from longtable.kernel.ids import likely_id, number_of
from longtable.log.ledger import Ledger, Work
from longtable.notebooks.events import changed
from longtable.notebooks.model import check_scratch_id
from longtable.redaction import cell_store, events, store
from longtable.redaction.arguments import Redact, RedactCell
from longtable.redaction.model import Redacted, RedactedThing
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Route, Scope, tool

LOG_FILE = "longtable.db-wal"
"""Holds a copy for a while, when another process was reading the store."""


class Redaction:
    """`backups` names the copies of the store that exist."""

    def __init__(self, ledger: Ledger, backups: Callable[[], list[str]]) -> None:
        self._ledger = ledger
        self._backups = backups

    @tool(
        "redact",
        title="Redact a secret",
        description="Replace a note, a message or a version of a section by a tombstone, everywhere.",
        group="workspace",
        roles=frozenset({Role.OWNER}),
        audited_as="content_redacted",
        writes=True,
        destructive=True,
        frees=True,
        repeatable=True,
        reaches_archive=True,
        over_mcp=False,
        routes=(Route("POST", "/sessions/{session_id}/redact"),),
    )
    async def redact(self, call: Call, arguments: Redact) -> Redacted:
        """Also in an expired or closed session: a secret must go from an archive, too."""
        thing = RedactedThing(kind=arguments.kind, id=str(arguments.id), version=arguments.version)
        redact = _statement(arguments)

        async def body(work: Work) -> Redacted:
            if not await redact(work.tx, work.caller.session):
                raise NotFound(f"id: there is no {thing.kind} {thing.id} like that in this session.")
            await index.compact(work.tx)
            work.touched(f"{thing.kind}:{thing.id}", version=thing.version)
            work.happened(events.redacted(thing))
            return Redacted(redacted=thing, backups=self._backups())

        return await self._done(call, body)

    @tool(
        "redact_cell",
        title="Redact a cell",
        description="Replace a cell by a tombstone, with its tags, metadata and schema, everywhere.",
        group="notebooks",
        roles=frozenset({Role.OWNER}),
        audited_as="content_redacted",
        scope=Scope.TENANT,
        writes=True,
        destructive=True,
        frees=True,
        repeatable=True,
        over_mcp=False,
        routes=(Route("POST", "/scratchpads/{scratch_id}/cells/{cell_id}/redact"),),
    )
    async def redact_cell(self, call: Call, arguments: RedactCell) -> Redacted:
        """Also in the trash, from which a scratchpad can come back."""
        scratch_id, cell_id = arguments.scratch_id, arguments.cell_id
        check_scratch_id(scratch_id)

        async def body(work: Work) -> Redacted:
            work.concerns_tenant()
            if not await cell_store.redact_cell(work.tx, scratch_id, cell_id, work.now):
                raise NotFound("cell_id: there is no such cell in this scratchpad.", scratch_id=scratch_id)
            await index.compact(work.tx)
            work.touched(f"scratchpad:{scratch_id}", cell_id=cell_id)
            work.happened(changed(scratch_id, cell_id, "redact"))
            return Redacted(redacted=RedactedThing(kind="cell", id=cell_id), backups=self._backups())

        return await self._done(call, body)

    async def _done(self, call: Call, body: Callable[[Work], Awaitable[Redacted]]) -> Redacted:
        result = await self._ledger.write(call, Redacted, body)
        self._ledger.pages.clear()
        if await self._ledger.database.erase_traces():
            return result
        # It is redacted all the same; the result names the file that still has a copy.
        return result.model_copy(update={"backups": [*result.backups, LOG_FILE]})


def _statement(thing: Redact) -> Callable[[Transaction, str], Awaitable[bool]]:
    id = str(thing.id)
    if thing.kind == "section":
        version = thing.version
        if version is None:
            raise InvalidArgument.at("version", "is required for a section: each version is redacted by itself")
        return lambda tx, session_id: store.redact_version(tx, session_id, id, version)
    if thing.version is not None:
        raise InvalidArgument.at("version", "is for sections only")
    prefix = "n" if thing.kind == "note" else ""
    number = number_of(prefix, id)
    if number is None:
        raise InvalidArgument.at("id", f"must be the id of a {thing.kind}, such as {prefix}3{likely_id(prefix, id)}")
    if thing.kind == "note":
        return lambda tx, session_id: store.redact_note(tx, session_id, number)
    return lambda tx, session_id: store.redact_message(tx, session_id, number)
