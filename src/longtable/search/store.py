"""SQL for search: what is found is narrowed by session and visibility inside the query, before rank and limit."""

from typing import Any

from longtable.fulltext import index
from longtable.fulltext.words import Query
from longtable.kernel.caller import Caller
from longtable.log.model import viewer
from longtable.messages.store import VISIBLE
from longtable.search.model import Kind
from longtable.storage.database import Row, Transaction

# CROSS JOIN makes SQLite start with the hits, instead of searching anew for every row of the other table.
_SOURCES: dict[Kind, str] = {
    "note": """SELECT hits.ref, hits.score, content, author, tags, notes.created_at AS at, NULL AS title,
                   NULL AS visibility
               FROM ({match}) AS hits CROSS JOIN notes
               WHERE number = CAST(SUBSTR(hits.ref, 2) AS BIGINT)
                 AND notes.tenant = :tenant AND notes.session_id = :session_id""",
    "message": f"""SELECT hits.ref, hits.score, content, sender AS author, NULL AS tags, messages.created_at AS at,
                   NULL AS title, visibility
               FROM ({{match}}) AS hits CROSS JOIN messages
               WHERE number = CAST(hits.ref AS BIGINT)
                 AND messages.tenant = :tenant AND messages.session_id = :session_id AND {VISIBLE}""",
    "section": """SELECT hits.ref, hits.score, section_versions.content, section_versions.author, NULL AS tags,
                   section_versions.created_at AS at, sections.title, NULL AS visibility
               FROM ({match}) AS hits CROSS JOIN sections CROSS JOIN section_versions
               WHERE sections.tenant = :tenant AND sections.session_id = :session_id
                 AND sections.section_id = hits.ref
                 AND section_versions.tenant = :tenant AND section_versions.session_id = :session_id
                 AND section_versions.section_id = hits.ref AND section_versions.version = sections.version""",
}


async def find(tx: Transaction, caller: Caller, kind: Kind, query: Query, limit: int) -> list[Row]:
    match = index.match(tx, kind, caller.session, query)
    parameters: dict[str, Any] = {**match.parameters, "session_id": caller.session, "limit": limit}
    if kind == "message":
        parameters |= viewer(caller)
    sql = _SOURCES[kind].replace("{match}", match.sql)
    return await tx.all(f"{sql} ORDER BY hits.score DESC, hits.ref LIMIT :limit", **parameters)
