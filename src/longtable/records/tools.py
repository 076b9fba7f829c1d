"""The audit tools: their arguments, their words for the model, their routes."""

from typing import Any

from pydantic import Field

from longtable.identity.model import CONDUCTORS
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.clock import from_iso
from longtable.kernel.content import Moment, Text
from longtable.records.model import AuditPage, ChainState
from longtable.records.service import AuditQuery, Records
from longtable.toolkit.tool import Arguments, Envelope, Route, Scope, Tool


class GetAuditLog(Arguments):
    event_type: Text | None = Field(default=None, description="Only records of this type, such as note_added.")
    agent_id: Text | None = Field(default=None, description="Only what this agent did.")
    session_id: Text | None = Field(default=None, description="Only what was done in this session.")
    outcome: Text | None = Field(default=None, description="SUCCESS, or the code of a failure, such as FORBIDDEN.")
    since: Moment | None = None
    until: Moment | None = None
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class VerifyAudit(Arguments):
    pass


class RecordTools:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def read(self, call: Call, arguments: GetAuditLog) -> AuditPage:
        wanted = AuditQuery(
            limit=arguments.limit,
            cursor=arguments.cursor,
            event_type=arguments.event_type,
            agent_id=arguments.agent_id,
            session_id=arguments.session_id,
            outcome=arguments.outcome,
            since=from_iso(arguments.since) if arguments.since else None,
            until=from_iso(arguments.until) if arguments.until else None,
        )
        return await self._records.read(call, wanted)

    async def verify(self, call: Call, arguments: VerifyAudit) -> ChainState:
        return await self._records.verify(call)


def record_tools(tools: RecordTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="get_audit_log",
            title="Read the audit log",
            description="Show who did what in your tenant, newest first.",
            arguments=GetAuditLog,
            result=AuditPage,
            run=tools.read,
            group="messages",
            roles=CONDUCTORS,
            audited_as="audit_read",
            scope=Scope.TENANT,
            envelope=Envelope.SUCCESS,
            routes=(Route("GET", "/audit"),),
        ),
        Tool(
            name="verify_audit_log",
            title="Verify the audit log",
            description="Recompute the hash chain of your tenant's audit log.",
            arguments=VerifyAudit,
            result=ChainState,
            run=tools.verify,
            group="messages",
            roles=frozenset({Role.OWNER, Role.LOCAL}),
            audited_as="audit_verified",
            scope=Scope.TENANT,
            over_mcp=False,
            routes=(Route("POST", "/audit/verify"),),
        ),
    ]
