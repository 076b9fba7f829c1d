"""What an event says in words: who did what, with the beginning of the text that it is about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

LONGEST_TITLE: Final = 90
LONGEST_PREVIEW: Final = 120

EventFields = Mapping[str, Any]
"""A flat event, as every listener gets it."""


@dataclass(frozen=True, slots=True)
class Titles:
    """What the ids of tasks and questions in events stand for, as far as it is known."""

    tasks: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)


NO_TITLES: Final = Titles()
_REMEMBERED: Final = 1_000


class SeenTitles:
    """Titles from the events that a listener was shown, by session."""

    def __init__(self) -> None:
        self._tasks: dict[object, dict[str, str]] = {}
        self._questions: dict[object, dict[str, str]] = {}

    def of(self, event: EventFields) -> Titles:
        session_id = event.get("session_id")
        tasks, questions = self._tasks.setdefault(session_id, {}), self._questions.setdefault(session_id, {})
        tasks.update(zip(event.get("task_ids", ()), event.get("previews", ()), strict=False))
        if event["kind"] == "scratchpad/question_added":
            questions[event["question_id"]] = event["question_preview"]
        for known in (tasks, questions):
            while len(known) > _REMEMBERED:
                del known[next(iter(known))]
        return Titles(tasks, questions)


def sentence(event: EventFields, titles: Titles = NO_TITLES) -> str:
    """The sentence with who did it, unless it happened by itself."""
    phrase = action(event, titles)
    return phrase if event["kind"] in _BY_ITSELF else f"{event['actor']} {phrase}"


def action(event: EventFields, titles: Titles = NO_TITLES) -> str:
    """The sentence without who did it."""
    describe = _ACTIONS.get(event["kind"])
    return f"did something new: {event['kind']}" if describe is None else describe(event, titles)


def one_line(text: str, most: int = LONGEST_TITLE) -> str:
    """The text in one line, cut at so many characters."""
    # Four times as many: of a megabyte the rest need not be looked at.
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def quoted(text: str, most: int = LONGEST_TITLE) -> str:
    return f"“{one_line(text, most)}”"


def _with_preview(phrase: str, preview: object) -> str:
    return f"{phrase}: {quoted(preview, LONGEST_PREVIEW)}" if isinstance(preview, str) and preview else phrase


def _task(event: EventFields, titles: Titles) -> str:
    id = str(event.get("item_id", ""))
    title = titles.tasks.get(id)
    return quoted(title) if title else f"task {id}"


def _question(event: EventFields, titles: Titles) -> str:
    id = str(event.get("question_id", ""))
    question = titles.questions.get(id)
    return quoted(question) if question else f"question {id}"


def _tasks_added(event: EventFields, _: Titles) -> str:
    previews: Sequence[str] = event.get("previews", ())
    if len(previews) == 1:
        return f"added the task {quoted(previews[0])}"
    return _with_preview(f"added {len(event.get('task_ids', ()))} tasks", " · ".join(previews[:5]))


_MOVED: Final[Mapping[str, str]] = {
    "in_progress": "began",
    "completed": "finished",
    "blocked": "is blocked at",
    "failed": "failed at",
    "cancelled": "cancelled",
    "pending": "put back",
}


def _task_moved(event: EventFields, titles: Titles) -> str:
    return f"{_MOVED.get(event.get('new_status', ''), 'changed')} {_task(event, titles)}"


def _task_claimed(event: EventFields, titles: Titles) -> str:
    return f"{'keeps' if event.get('renewed') else 'claimed'} {_task(event, titles)}"


def _task_assigned(event: EventFields, titles: Titles) -> str:
    assignee = event.get("assigned_to")
    return f"gave {_task(event, titles)} to {assignee}" if assignee else f"gave {_task(event, titles)} to nobody"


_CHANGED_FIELDS: Final[Mapping[str, str]] = {
    "description": "description",
    "priority": "priority",
    "depends_on": "dependencies",
    "lease": "lease",
}


def _task_changed(event: EventFields, titles: Titles) -> str:
    fields = [_CHANGED_FIELDS.get(name, name) for name in event.get("changed", ())]
    return f"changed the {' and the '.join(fields) or 'terms'} of {_task(event, titles)}"


def _asked(event: EventFields, _: Titles) -> str:
    return _with_preview("asked, and waits" if event.get("blocking") else "asked", event.get("question_preview"))


def _answered(event: EventFields, titles: Titles) -> str:
    verb = "answered" if event.get("by_human") else "passed on an answer to"
    return _with_preview(f"{verb} {_question(event, titles)}", event.get("answer_preview"))


def _released(event: EventFields, _: Titles) -> str:
    whose = f" of {event.get('held_by')} by force" if event.get("forced") else ""
    return f"released {_files(event)}{whose}"


def _files(event: EventFields) -> str:
    return one_line(", ".join(map(str, event.get("paths", ()))))


_REDACTED: Final[Mapping[str, str]] = {
    "title": "the title of {id}",
    "answer": "the answer to {id}",
    "task_note": "a note of task {id}",
    "session": "the purpose of the session",
    "reservation": "the reason of the reservation of {id}",
}
_CREATED: Final[Mapping[str, str]] = {"reset": "reset", "restored": "restored"}
_CHANGED: Final[Mapping[str, str]] = {
    "append": "added a cell to",
    "replace": "rewrote a cell of",
    "move": "moved a cell of",
    "delete": "deleted a cell of",
    "update": "described anew",
    "schema": "changed a schema of",
    "namespace": "moved to another namespace",
    "redact": "redacted a part of",
}


def _redacted(event: EventFields, _: Titles) -> str:
    kind = str(event.get("object_kind"))
    return f"redacted {_REDACTED.get(kind, kind + ' {id}').replace('{id}', one_line(str(event.get('object_id'))))}"


_SAID: Final[Mapping[str, str]] = {"private": "noted in private", "agent_only": "said to agents of the same type"}


def _said(event: EventFields, _: Titles) -> str:
    if event.get("control"):
        return f"asked {event.get('to')} to {event.get('control')}"
    if event.get("to"):
        return _with_preview(f"said to {event.get('to')}", event.get("content_preview"))
    return _with_preview(_SAID.get(event.get("visibility", ""), "said"), event.get("content_preview"))


def _executed(event: EventFields, _: Titles) -> str:
    outcome = event.get("outcome")
    return f"called {event.get('tool')}" + ("" if outcome == "SUCCESS" else f", which failed ({outcome})")


def _authorization(event: EventFields, _: Titles) -> str:
    state = "is connected" if event.get("state") == "connected" else "needs authorization"
    return f"The upstream {event.get('upstream')} {state}"


def _plain(words: str) -> Callable[[EventFields, Titles], str]:
    """The words with fields of the event in their places."""
    return lambda event, _: words.format_map(_Fields(event))


class _Fields(dict[str, Any]):
    """Leaves out a field that an older event does not have."""

    def __missing__(self, name: str) -> str:
        return ""


_BY_ITSELF: Final = frozenset(
    {
        "session/expired",
        "scratchpad/question_expired",
        "scratchpad/checkpoint_resumed",
        "notebook/evicted",
        "gateway/tool_quarantined",
        "gateway/tools_changed",
        "gateway/authorization_changed",
        "decision/waiting",
    }
)

_ACTIONS: Final[Mapping[str, Callable[[EventFields, Titles], str]]] = {
    "session/created": _plain("opened the session"),
    "session/closed": _plain("closed the session"),
    "session/expired": _plain("The time of the session is over"),
    "session/imported": _plain("imported the session from “{origin}”"),
    "session/forked": _plain("forked the session from “{forked_from}” after event {fork_seq}"),
    "session/extended": _plain("gave the session time until {expires_at}"),
    "scratchpad/note_added": lambda event, _: _with_preview(
        f"pinned note {event.get('note_id')}", event.get("content_preview")
    ),
    "scratchpad/section_created": _plain("began the section “{section_name}”"),
    "scratchpad/section_updated": lambda event, _: _with_preview(
        f"wrote version {event.get('version')} of “{event.get('section_name')}”", event.get("content_preview")
    ),
    "scratchpad/section_read": _plain("read “{section_name}”"),
    "scratchpad/tasks_added": _tasks_added,
    "scratchpad/checklist_updated": _task_moved,
    "scratchpad/task_claimed": _task_claimed,
    "scratchpad/task_assigned": _task_assigned,
    "scratchpad/task_changed": _task_changed,
    "scratchpad/task_noted": lambda event, titles: _with_preview(
        f"remarked on {_task(event, titles)}", event.get("note_preview")
    ),
    "scratchpad/question_added": _asked,
    "scratchpad/question_answered": _answered,
    "scratchpad/question_expired": lambda event, titles: f"Nobody answered {_question(event, titles)} in time",
    "scratchpad/question_withdrawn": lambda event, titles: f"took back {_question(event, titles)}",
    "scratchpad/checkpoint_created": lambda event, _: (
        f"paused the work for people: {', '.join(event.get('reasons', ())).replace('_', ' ')}"
    ),
    "scratchpad/checkpoint_resumed": _plain("The work can go on: what it paused for is settled"),
    "scratchpad/redacted": _redacted,
    "reservation/reserved": lambda event, _: f"reserved {_files(event)}",
    "reservation/released": _released,
    "notebook/created": lambda event, _: (
        f"{_CREATED.get(event.get('reason', ''), 'created')} the scratchpad {event.get('scratch_id')}"
    ),
    "notebook/changed": lambda event, _: (
        f"{_CHANGED.get(event.get('reason', ''), 'changed')} the scratchpad {event.get('scratch_id')}"
    ),
    "notebook/deleted": _plain("moved the scratchpad {scratch_id} to the trash"),
    "notebook/evicted": _plain("The scratchpad {scratch_id} made room for others and lies in the trash"),
    "gateway/approval_requested": _plain("wants to call {tool} and waits for a person"),
    "gateway/approved": _plain("allowed the call of {tool}"),
    "gateway/denied": _plain("refused the call of {tool}"),
    "gateway/executed": _executed,
    "gateway/tool_quarantined": _plain("The tool {tool} of {upstream} is {reason} and waits for a person"),
    "gateway/tools_changed": _plain("The tools of {upstream} may be others now"),
    "gateway/authorization_changed": _authorization,
    "decision/waiting": _plain("Calls that wait for a person: {count}"),
    "message/added": _said,
    "message/acknowledged": _plain("knows that it is to {control}"),
}
DESCRIBED: Final = frozenset(_ACTIONS)
"""The kinds that have words of their own: a test holds them together with those there are."""
