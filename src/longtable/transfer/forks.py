"""Forks: a new session that begins where another one stood, now or after an earlier event.

It has the notes, the draft with its versions, the plan, the questions and the messages, with their authors and times.
What only holds in the moment stays behind: leases, waits, reservations, how far each agent has read; and so does the
memory that agents keep in a session, of which no history is stored."""

from dataclasses import replace

from pydantic import Field

from longtable.identity.model import OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.content import Text, check_characters
from longtable.kernel.ids import new_session_id
from longtable.log.ledger import Ledger, Work
from longtable.sessions.arguments import SessionId, Ttl
from longtable.sessions.model import MAX_PURPOSE, Session, SessionForked
from longtable.sessions.service import Sessions
from longtable.toolkit.durations import FORMS
from longtable.toolkit.tool import Envelope, Route, Scope, WriteArguments, tool
from longtable.transfer import events
from longtable.transfer.past_session import PastSession, session_at
from longtable.transfer.session_store import SessionInsert


class ForkSession(WriteArguments):
    session_id: SessionId | None = None
    seq: int | None = Field(default=None, ge=1, le=2**62, description="After which event. Default: as it is now.")
    purpose: Text | None = Field(default=None, description="What the new one is for. Default: the same.")
    ttl: Ttl | None = Field(default=None, description=f"Of the new one, in {FORMS}.")


class Forks:
    def __init__(self, ledger: Ledger, sessions: Sessions) -> None:
        self._ledger = ledger
        self._sessions = sessions

    @tool(
        "fork_session",
        title="Fork a session",
        description="Begin a new session with what another one had, now or after an earlier event.",
        group="messages",
        roles=OVERSEERS,
        audited_as="session_forked",
        scope=Scope.NAMED_SESSION,
        envelope=Envelope.SUCCESS,
        writes=True,
        reaches_archive=True,
        over_mcp=False,
        routes=(Route("POST", "/sessions/{session_id}/fork", 201),),
    )
    async def fork(self, call: Call, arguments: ForkSession) -> SessionForked:
        """Raises InvalidArgument for an event that is not one of the session's life, and Conflict for one from before
        enough was kept to know how the session was then, or where a text is redacted at this moment."""
        if arguments.purpose is not None:
            check_characters("purpose", arguments.purpose, MAX_PURPOSE)

        # Not in the transaction of the write: it holds changes of others that are not in the log yet.
        async with self._ledger.database.snapshot() as snapshot:
            past = await snapshot.read(
                call.caller.tenant, lambda tx: session_at(tx, call.caller.session, arguments.seq)
            )

        async def body(work: Work) -> SessionForked:
            await past.check_unredacted(work.tx)
            fork = self._new_session(work, past, arguments)
            await self._sessions.admit(work, fork, provision_key=None)
            inside = SessionInsert(work.tx, fork.session_id, origin=None)
            for record, row in past.records:
                await inside.add(record, row)
            await inside.finish()
            source, seq, count = past.session.session_id, past.seq, len(past.records)
            work.touched(f"session:{fork.session_id}", forked_from=source, fork_seq=seq, records=count)
            work.happened(events.forked(source, seq))
            return SessionForked(
                session_id=fork.session_id,
                forked_from=source,
                fork_seq=seq,
                records=count,
                expires_at=to_iso(fork.expires_at),
            )

        return await self._ledger.write(replace(call, size=past.size), SessionForked, body)

    def _new_session(self, work: Work, past: PastSession, arguments: ForkSession) -> Session:
        ttl = self._sessions.limits.ttl if arguments.ttl is None else arguments.ttl * SECOND
        return replace(
            past.session,
            session_id=new_session_id(),
            purpose=past.session.purpose if arguments.purpose is None else arguments.purpose,
            created_by=work.caller.agent,
            created_at=work.now,
            expires_at=work.now + ttl,
            status="active",
            origin=None,
            forked_from=past.session.session_id,
            fork_seq=past.seq,
        )
