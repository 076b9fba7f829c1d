"""Brings an agent up to date: what the session is for, who is here, what waits for it, and what it could do next."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from longtable.brief import store
from longtable.brief.arguments import Brief
from longtable.brief.budget import fit
from longtable.brief.model import PURPOSE, BriefRead, headline
from longtable.draft import store as draft_store
from longtable.identity.model import EVERYONE
from longtable.inbox.service import Inboxes
from longtable.inbox.store import new_messages
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.content import moment_of
from longtable.kernel.control import Control, ControlAcknowledged
from longtable.kernel.errors import LongtableError
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger, Work
from longtable.messages import store as message_store
from longtable.messages.controls import acknowledge, asked_of
from longtable.messages.store import MessageFilter
from longtable.notes import store as note_store
from longtable.notes.model import Note, note_id
from longtable.notes.store import NoteFilter
from longtable.plan import store as plan_store
from longtable.plan.model import task_id
from longtable.questions import store as question_store
from longtable.questions.model import question_id
from longtable.questions.store import QuestionFilter
from longtable.reservations import store as reservation_store
from longtable.sessions import store as session_store
from longtable.sessions.service import not_found
from longtable.storage.database import Row, Transaction
from longtable.toolkit.tool import Route, tool
from longtable.workspace.store import agents as agents_of

PINNED = "pinned"
_SHOWN = 20
"""The most items that are read for each list, before the brief is made to fit."""
_NEWEST = 2**62

Decisions = Callable[[Transaction, Caller, int, int], Awaitable[Sequence[tuple[str, str, str]]]]
"""Id, tool and status of a caller's calls that wait for a person or were approved: at this moment, so many at most."""


class Briefs:
    def __init__(self, ledger: Ledger, inbox: Inboxes, decisions: Decisions) -> None:
        self._ledger = ledger
        self._inbox = inbox
        self._decisions = decisions

    @tool(
        "brief",
        title="Get up to date",
        description="Where the team stands: what waits for you, plan, questions, agents, draft, notes; call it first.",
        group="workspace",
        roles=EVERYONE,
        audited_as="brief_read",
        routes=(Route("GET", "/sessions/{session_id}/brief"),),
    )
    async def read(self, call: Call, arguments: Brief) -> BriefRead:
        """Headlines only: it does not count as having read what they stand for."""
        caller, now = call.caller, self._ledger.clock()
        since = moment_of(arguments.since, now) if arguments.since else None
        seen = await self._inbox.shown(caller)
        control = await self._control(call)

        async def body(tx: Transaction) -> dict[str, Any]:
            session = await session_store.find(tx, caller.session)
            if session is None:
                raise not_found()
            plan_and_agents = await _plan_and_agents(tx, caller, since, now)
            reservations, more = await _reservations(tx, caller, now)
            return {
                "session_id": session.session_id,
                "purpose": headline(session.purpose, PURPOSE),
                "you": caller.agent,
                "name_advice": caller.name_advice,
                "as_of": to_iso(now),
                "control": control and control.model_dump(mode="json"),
                "waiting": await self._waiting(tx, caller, seen, now),
                **plan_and_agents,
                "reservations": reservations,
                "more": {**plan_and_agents["more"], **more},
                "questions": await _questions(tx, caller, now),
                "draft": await _draft(tx, caller, since),
                "notes": await _notes(tx, caller, since),
            }

        found = _filled(await self._ledger.read(caller, body))
        fit(found, arguments.max_chars)
        return BriefRead(**found)

    async def _control(self, call: Call) -> Control | None:
        """What a person asks of the caller. That it has learnt of it is written down, where it can be."""
        caller = call.caller
        control, is_news = await self._ledger.read(caller, lambda tx: asked_of(tx, caller))
        if is_news and not call.as_resource:
            acknowledging = Call(caller, "acknowledge_control", "control_acknowledged")

            async def body(work: Work) -> ControlAcknowledged:
                return ControlAcknowledged(control=await acknowledge(work))

            with suppress(LongtableError):
                await self._ledger.write(acknowledging, ControlAcknowledged, body)
        return control

    async def _waiting(self, tx: Transaction, caller: Caller, seen: Fetched, now: int) -> dict[str, Any]:
        unread = await new_messages(tx, caller, seen.message, _NEWEST)
        newest = MessageFilter(_SHOWN, is_newest_first=True, after_id=seen.message, not_sender=caller.agent)
        messages = await message_store.page(tx, caller, newest) if unread else []
        answered = QuestionFilter("answered", asked_by=caller.agent, since=seen.answered_at + 1, limit=_SHOWN)
        answers = await question_store.select(tx, caller.session, answered, now)
        decisions = await self._decisions(tx, caller, now, _SHOWN)
        waiting: dict[str, Any] = {
            "messages": [
                {
                    "id": message.number,
                    "sender": message.sender,
                    "content": headline(message.content),
                    **_filled({"to": message.addressee}),
                }
                for message in messages
            ],
            "answers": [
                {
                    "id": question_id(answer.number),
                    "question": headline(answer.question),
                    "answer": headline(answer.answer or ""),
                    "answered_by": answer.answered_by or "",
                }
                for answer in answers
            ],
            "decisions": [dict(zip(("id", "tool", "status"), decision, strict=True)) for decision in decisions],
        }
        return {"unread": unread, **_filled(waiting)}


async def _plan_and_agents(tx: Transaction, caller: Caller, since: int | None, now: int) -> dict[str, Any]:
    session_id = caller.session
    counts = await plan_store.counts(tx, session_id, now)
    held = await store.held_tasks(tx, session_id, now, _SHOWN)
    total, ready = await store.ready_tasks(tx, session_id, caller.agent, now, _SHOWN)
    changed = [] if since is None else await store.changed_tasks(tx, session_id, since, now, _SHOWN)
    tasks = {
        "mine": [_task(row, "lease_expires_at") for row in held if row["holder"] == caller.agent],
        "ready": [_task(row, "assigned_to") for row in ready],
        "changed": [_task(row, "status", "assigned_to") for row in changed],
    }
    summary = {**{str(status): count for status, count in counts.items()}, "ready": total}
    return {
        "plan": {"tasks": summary, **_filled(tasks)} if counts else None,
        "agents": await _agents(tx, caller, held),
        "more": _filled({"plan.ready": total - len(ready)}),
    }


async def _reservations(tx: Transaction, caller: Caller, now: int) -> tuple[dict[str, Any], dict[str, int]]:
    """What the caller and others hold, and how many of each are not shown."""
    held = await reservation_store.active(tx, caller.session, now)
    lists: dict[str, list[dict[str, Any]]] = {"mine": [], "others": []}
    for each in held:
        facts = {"path": each.path, "mode": each.mode, "expires_at": to_iso(each.expires_at)}
        if each.holder == caller.agent:
            lists["mine"].append(facts)
        else:
            lists["others"].append({**facts, "agent": each.holder})
    more = {f"reservations.{name}": len(items) - _SHOWN for name, items in lists.items() if len(items) > _SHOWN}
    return _filled({name: items[:_SHOWN] for name, items in lists.items()}), more


async def _agents(tx: Transaction, caller: Caller, held: Sequence[Row]) -> list[dict[str, Any]]:
    """The others, with the task that each holds."""
    holds = {row["holder"]: task_id(row["number"]) for row in held}
    agents = (await agents_of(tx, caller, [caller.session])).get(caller.session, [])
    return [
        {"agent": each.agent, "last_active_at": each.last_active_at, **_filled({"task": holds.get(each.agent)})}
        for each in agents[:_SHOWN]
        if each.agent != caller.agent
    ]


async def _questions(tx: Transaction, caller: Caller, now: int) -> list[dict[str, Any]]:
    pending = await question_store.select(tx, caller.session, QuestionFilter("pending", limit=_SHOWN), now)
    return [
        {
            "id": question_id(question.number),
            "question": headline(question.question),
            "asked_by": question.asked_by,
            "priority": question.priority,
            **_filled({"blocking": question.blocking}),
        }
        for question in pending
    ]


async def _draft(tx: Transaction, caller: Caller, since: int | None) -> list[dict[str, Any]]:
    sections = await draft_store.outline(tx, caller.session)
    return [
        {
            "section_id": section.section_id,
            "title": headline(section.title),
            "version": section.version,
            "author": section.author,
        }
        for section in sections
        if since is None or section.created_at > since
    ]


async def _notes(tx: Transaction, caller: Caller, since: int | None) -> dict[str, Any] | None:
    total = await note_store.newest_number(tx, caller.session)
    if not total:
        return None
    newest = await note_store.page(tx, caller.session, NoteFilter(_SHOWN, before=_NEWEST))
    pinned = await note_store.page(tx, caller.session, NoteFilter(_SHOWN, (PINNED,), before=_NEWEST))
    lists = {"pinned": pinned, "newest": [note for note in newest if PINNED not in note.tags]}
    shown = {
        name: [_note(note) for note in notes if not note.superseded_by and (since is None or note.created_at > since)]
        for name, notes in lists.items()
    }
    return {"total": total, **_filled(shown)}


def _note(note: Note) -> dict[str, Any]:
    return {"id": note_id(note.number), "headline": headline(note.content), "author": note.author}


def _task(row: Row, *optional: str) -> dict[str, Any]:
    facts = {
        "status": row["status"],
        "assigned_to": row["assigned_to"],
        "lease_expires_at": to_iso(row["lease_expires_at"]) if row["lease_expires_at"] else None,
    }
    return {
        "id": task_id(row["number"]),
        "description": headline(row["description"]),
        "priority": store.priority_of(row),
        **_filled({name: facts[name] for name in optional}),
    }


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without those that are empty."""
    return {name: value for name, value in fields.items() if value}
