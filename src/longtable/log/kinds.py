"""Every kind of event with its meaning and its payload. A slice adds a line here for each of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from longtable.kernel.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class EventKind:
    """`payload` maps every field that it may carry to its meaning."""

    name: str
    meaning: str
    payload: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class KindFilter:
    """Kinds by name or by pattern such as `scratchpad/*`; empty stands for all."""

    patterns: tuple[str, ...] = ()

    @classmethod
    def parse(cls, field: str, patterns: Iterable[str] | None) -> "KindFilter":
        """Raises InvalidArgument for a name that no event has."""
        chosen = tuple(patterns or ())
        for position, pattern in enumerate(chosen):
            area, _, name = pattern.partition("/")
            known = pattern == "*" or pattern in EVENT_KINDS or (name == "*" and area in AREAS)
            if not known:
                problem = "must be the kind of an event, or an area such as scratchpad/*"
                raise InvalidArgument.at(f"{field}.{position}", problem)
        return cls(() if "*" in chosen else chosen)

    def matches(self, kind: str) -> bool:
        return not self.patterns or any(
            kind == pattern or (pattern.endswith("*") and kind.startswith(pattern[:-1])) for pattern in self.patterns
        )

    def as_sql(self) -> tuple[str, dict[str, str]]:
        """The same as a condition on the column `kind`, and its parameters."""
        if not self.patterns:
            return "", {}
        tests = []
        for position, pattern in enumerate(self.patterns):
            name = f"kind_{position}"
            whole = f"SUBSTR(kind, 1, {len(pattern) - 1})" if pattern.endswith("*") else "kind"
            tests.append(f"{whole} = :{name}")
        parameters = {f"kind_{position}": pattern.removesuffix("*") for position, pattern in enumerate(self.patterns)}
        return f"AND ({' OR '.join(tests)})", parameters


ALL_KINDS = KindFilter()
AREAS = frozenset({"scratchpad", "message", "session", "notebook", "gateway", "decision", "reservation"})


def _kind(name: str, meaning: str, **payload: str) -> EventKind:
    return EventKind(name, meaning, payload)


EVENT_KINDS: Mapping[str, EventKind] = {
    kind.name: kind
    for kind in (
        _kind("session/created", "A session was created, or provisioned for callers that brought none."),
        _kind("session/closed", "A session was closed: it can be read but not changed any more."),
        _kind("session/expired", "The time of a session is over."),
        _kind(
            "session/imported",
            "A session was imported from a file.",
            origin="which store it was made in, as the file says",
        ),
        _kind(
            "session/forked",
            "A session began as a copy of another one.",
            forked_from="id of that session",
            fork_seq="the event after which it was copied",
        ),
        _kind("session/extended", "A session got more time.", expires_at="when it expires now"),
        _kind(
            "scratchpad/note_added",
            "A note was pinned to the corkboard.",
            note_id="id of the note",
            tags="its tags",
            content_preview="its first 200 characters",
        ),
        _kind("scratchpad/section_created", "A section of the draft was begun.", section_name="id of the section"),
        _kind(
            "scratchpad/section_updated",
            "A section of the draft was rewritten or reverted.",
            section_name="id of the section",
            version="the version that it has now",
            content_preview="its first 200 characters",
        ),
        _kind(
            "scratchpad/section_read",
            "An agent read a section of the draft; kept for an hour, and it ends no wait.",
            section_name="id of the section",
            reader_agent="who read it",
        ),
        _kind(
            "scratchpad/tasks_added",
            "Tasks were added to the plan.",
            task_ids="ids of the tasks",
            previews="the first 200 characters of each",
        ),
        _kind(
            "scratchpad/checklist_updated",
            "The status of a task changed.",
            item_id="id of the task",
            old_status="what it was",
            new_status="what it is now",
        ),
        _kind(
            "scratchpad/task_claimed",
            "An agent has claimed a task, or keeps one that it claimed.",
            item_id="id of the task",
            lease_expires_at="until when it is the agent's",
            renewed="true where it was the agent's before",
        ),
        _kind(
            "scratchpad/task_assigned",
            "A task was given to an agent, or to nobody in particular.",
            item_id="id of the task",
            assigned_to="whose it is now, or null",
            previously="whose it was, or null",
        ),
        _kind(
            "scratchpad/task_changed",
            "The description, the priority or the dependencies of a task changed.",
            item_id="id of the task",
            changed="which of description, priority, depends_on; lease, where one that had run out was taken off",
        ),
        _kind(
            "scratchpad/task_noted",
            "A remark was added to a task.",
            item_id="id of the task",
            note_preview="its first 200 characters",
        ),
        _kind(
            "scratchpad/question_added",
            "An agent asked the people of the session a question.",
            question_id="id of the question",
            question_preview="its first 200 characters",
            priority="high, medium or low",
            blocking="whether work must stop until it is answered",
        ),
        _kind(
            "scratchpad/question_answered",
            "A question was answered, or a person replaced an answer that was passed on.",
            question_id="id of the question",
            by_human="whether a person gave the answer here",
            answer_preview="its first 200 characters",
        ),
        _kind(
            "scratchpad/question_expired",
            "The time of a question ran out before anybody answered it.",
            question_id="id of the question",
        ),
        _kind(
            "scratchpad/question_withdrawn",
            "A question was withdrawn by its author.",
            question_id="id of the question",
        ),
        _kind(
            "scratchpad/checkpoint_created",
            "The work pauses for people.",
            checkpoint_id="id of the checkpoint",
            reasons="blocking_question, phase_boundary, agent_requested, threshold",
            question_ids="ids of the questions that were pending",
        ),
        _kind(
            "scratchpad/checkpoint_resumed",
            "The last question that the work paused for is settled, or the work was resumed.",
            checkpoint_id="id of the checkpoint",
        ),
        _kind(
            "scratchpad/redacted",
            "An owner took a text back: a tombstone stands in its place everywhere.",
            object_kind="note, message, section, title (of a section), question, answer, task, task_note, session (its "
            "purpose) or reservation (its reason)",
            object_id="its id; that of the question, the task or the session it belongs to; the path of a reservation",
            version="which version of a section, else null",
        ),
        _kind(
            "reservation/reserved",
            "An agent reserved files, or renewed its reservation.",
            paths="patterns of the files",
            mode="exclusive or shared",
            expires_at="when it runs out",
        ),
        _kind(
            "reservation/released",
            "Files were given back before the time of their reservation was over.",
            paths="patterns of the files",
            held_by="whose they were",
            forced="true where somebody else released them",
        ),
        _kind(
            "notebook/created",
            "A scratchpad was created, reset, restored or imported.",
            scratch_id="id of the scratchpad",
            reason="reset, restored or imported, where it was not simply new",
        ),
        _kind(
            "notebook/changed",
            "A scratchpad or one of its cells was changed.",
            scratch_id="id of the scratchpad",
            cell_id="id of the cell, where it was one",
            reason="what was done: append, replace, move, delete, update, schema, namespace or redact",
        ),
        _kind(
            "notebook/deleted",
            "A scratchpad went to the trash.",
            scratch_id="id of the scratchpad",
            reason="namespace, where its whole namespace was deleted",
        ),
        _kind(
            "notebook/evicted",
            "A scratchpad made room for others; it can be restored from the trash.",
            scratch_id="id of the scratchpad",
            reason="the policy: discard or preempt",
        ),
        _kind(
            "gateway/approval_requested",
            "An agent wants to make a call that a person must allow first.",
            decision_id="id of the decision",
            tool="name of the tool",
            requested_by="the agent",
        ),
        _kind(
            "gateway/approved",
            "A person has allowed a call, or the client of the agent that asked.",
            decision_id="id of the decision",
            tool="name of the tool",
            decided_by="the person, or that agent",
            relayed="true where the word came through that client",
        ),
        _kind(
            "gateway/denied",
            "A person has refused a call, or the client of the agent that asked.",
            decision_id="id of the decision",
            tool="name of the tool",
            decided_by="the person, or that agent",
            relayed="true where the word came through that client",
        ),
        _kind(
            "gateway/executed",
            "A tool of another server was called.",
            tool="name of the tool",
            upstream="where it comes from",
            outcome="SUCCESS, the code of the failure, or CANCELLED when the caller went away first",
            decision_id="the decision that allowed it, where it needed one",
            call_id="under which people can read what was in it, while that is kept",
        ),
        _kind(
            "gateway/tool_quarantined",
            "A tool has changed, or joined its upstream later, and waits for a person.",
            upstream="where it comes from",
            tool="what its upstream calls it",
            reason="changed or new",
        ),
        _kind("gateway/tools_changed", "The list of tools may be another one now.", upstream="whose tools"),
        _kind(
            "gateway/authorization_changed",
            "An owner has connected or disconnected an upstream, or its authorization counts no more.",
            upstream="which one",
            state="connected or needs authorization",
        ),
        _kind("decision/waiting", "How many calls wait for a person now.", count="how many"),
        _kind(
            "message/added",
            "A message was written; only its readers get this event.",
            message_id="number of the message",
            visibility="public, private or agent_only",
            to="the agent that a private one is for, where it is for one",
            control="pause, resume or stop, where a person asks that of the agent",
            content_preview="its first 200 characters",
        ),
        _kind(
            "message/acknowledged",
            "An agent has learnt that a person asks it to pause, to resume or to stop; for the two, and for people.",
            message_id="number of the message",
            control="pause, resume or stop",
        ),
    )
}
