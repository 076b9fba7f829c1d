"""Everything of a session, a scratchpad, a tenant or the store as lines of JSON, from one moment of the store.

The same content makes the same bytes, whichever store it lies in. Each line tells what it is (`type`). What belongs to
a session or a scratchpad follows the line of it. `origin` says in which store a thing was made: that of a session
stands in its line, that of what belongs to it only where it is another one.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

from longtable.kernel.errors import NotFound, SessionNotFound
from longtable.storage.database import SYSTEM, Row, Snapshot
from longtable.transfer import history_store, row_store
from longtable.transfer.history_records import AUDIT, EVENT, HISTORY, without_previews
from longtable.transfer.history_store import ScratchpadAudit
from longtable.transfer.model import FORMAT, VERSION, ExportScope, encoded_line
from longtable.transfer.notebook_records import IN_SCRATCHPAD, NAMESPACE, SCRATCHPAD
from longtable.transfer.record_type import RecordType
from longtable.transfer.session_records import IN_SESSION, MEMORY, QUESTION, SESSION

Line = dict[str, Any]


class Export:
    """What it has counted so far can be asked at any time."""

    def __init__(self, snapshot: Snapshot, scope: ExportScope, store_id: str) -> None:
        self._snapshot = snapshot
        self._scope = scope
        self._store_id = store_id
        self.tenants = [] if scope.tenant is None else [scope.tenant]
        self.sessions = self.scratchpads = self.records = self.bytes = 0
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    async def lines(self) -> AsyncIterator[bytes]:
        """Raises SessionNotFound or NotFound, before the first line."""
        body = self._body()
        first = await anext(body, None)
        yield self._encoded({"format": FORMAT, "version": VERSION, "scope": self._scope.name})
        if first is not None:
            yield self._counted(first)
        async for line in body:
            yield self._counted(line)
        yield self._encoded({"type": "end", "records": self.records, "sha256": self.sha256})

    def _counted(self, line: Line) -> bytes:
        self.records += 1
        self.sessions += line["type"] == SESSION.name
        self.scratchpads += line["type"] == SCRATCHPAD.name
        return self._encoded(line)

    def _encoded(self, line: Line) -> bytes:
        encoded = encoded_line(line)
        self._digest.update(encoded)
        self.bytes += len(encoded)
        return encoded

    async def _body(self) -> AsyncIterator[Line]:
        scope = self._scope
        if scope.tenant is None:
            for tenant in await self._snapshot.read(SYSTEM, row_store.tenants_with_content):
                self.tenants.append(tenant)
                yield {"type": "tenant", "name": tenant}
                async for line in self._tenant(tenant):
                    yield line
            return
        if scope.session_id is not None:
            unit = self._session(scope.tenant, scope.session_id)
        elif scope.scratch_id is not None:
            unit = self._scratchpad(
                scope.tenant, scope.scratch_id, await ScratchpadAudit.of(self._snapshot, scope.tenant)
            )
        else:
            unit = self._tenant(scope.tenant)
        async for line in unit:
            yield line

    async def _tenant(self, tenant: str) -> AsyncIterator[Line]:
        async for line in self._plain(tenant, MEMORY, {"session_id": ""}):
            yield line
        for session_id in await self._snapshot.read(tenant, row_store.sessions_in):
            async for line in self._session(tenant, session_id):
                yield line
        async for line in self._plain(tenant, NAMESPACE, {}):
            yield line
        pads = await self._snapshot.read(tenant, row_store.scratchpads_in)
        audit = await ScratchpadAudit.of(self._snapshot, tenant) if pads else ScratchpadAudit()
        for scratch_id in pads:
            async for line in self._scratchpad(tenant, scratch_id, audit):
                yield line

    async def _plain(self, tenant: str, record: RecordType, place: Mapping[str, Any]) -> AsyncIterator[Line]:
        async for row in row_store.rows_of(self._snapshot, tenant, record, place):
            yield record.shown(row)

    async def _session(self, tenant: str, session_id: str) -> AsyncIterator[Line]:
        row = await self._snapshot.read(tenant, partial(row_store.session_row, record=SESSION, session_id=session_id))
        if row is None:
            raise SessionNotFound("There is no such session.", hint="'longtable sessions list' shows them.")
        origin = self._origin(row["origin"])
        yield {**SESSION.shown(row), "origin": origin}
        place = {"session_id": session_id}
        for record in IN_SESSION:
            async for each in row_store.rows_of(self._snapshot, tenant, record, place):
                yield self._marked(record, each, origin)
        since = row["imported_at"] or 0
        for record in HISTORY:
            async for line in self._imported(tenant, f"session:{session_id}", record, origin):
                yield line
            if record is AUDIT:
                history = history_store.audit_of_session(self._snapshot, tenant, session_id, since)
            else:
                history = row_store.rows_of(self._snapshot, tenant, record, place, since)
            async for each in history:
                yield self._historical(record, each, origin)

    async def _scratchpad(self, tenant: str, scratch_id: str, audit: ScratchpadAudit) -> AsyncIterator[Line]:
        find = partial(row_store.scratchpad_row, record=SCRATCHPAD, scratch_id=scratch_id)
        row = await self._snapshot.read(tenant, find)
        if row is None:
            raise NotFound("There is no such scratchpad.", scratch_id=scratch_id)
        origin = self._origin(row["origin"])
        yield {**SCRATCHPAD.shown(row), "origin": origin}
        for record in IN_SCRATCHPAD:
            async for line in self._plain(tenant, record, {"pad": row["pad"]}):
                yield line
        async for line in self._imported(tenant, f"pad:{row['pad']}", AUDIT, origin):
            yield line
        since = row["imported_at"] or row["created_at"]
        async for each in audit.records(self._snapshot, tenant, scratch_id, since):
            yield self._historical(AUDIT, each, origin)

    def _origin(self, stored: str | None) -> str:
        return self._store_id if stored is None else stored

    def _marked(self, record: RecordType, row: Row, origin: str) -> Line:
        """With its origin where that is not the session's."""
        if record is QUESTION:
            row = {**row, "answer_origin": self._answer_origin(row, origin)}
        line = record.shown(row)
        if record.has_origin and (own := self._origin(row["origin"])) != origin:
            line["origin"] = own
        return line

    def _answer_origin(self, question: Row, origin: str) -> str | None:
        own = self._origin(question["answer_origin"])
        return None if question["answer"] is None or own == origin else own

    def _historical(self, record: RecordType, row: Row, origin: str) -> Line:
        if record is EVENT:
            row = {**row, "payload": without_previews(row["payload"])}
        line = record.shown(row)
        return line if self._store_id == origin else {**line, "origin": self._store_id}

    async def _imported(self, tenant: str, owner: str, record: RecordType, origin: str) -> AsyncIterator[Line]:
        """What an import has kept: it was before anything that happened here."""
        async for own, fields in history_store.imported_records(self._snapshot, tenant, owner, record.name):
            line = {"type": record.name, **fields}
            yield line if own == origin else {**line, "origin": own}
