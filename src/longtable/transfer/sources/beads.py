"""Issues of beads (`bd export`, `.beads/issues.jsonl`): each becomes a task, and what blocks it a dependency."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from longtable.plan.model import MAX_DEPENDENCIES, MAX_DESCRIPTION, MAX_METADATA_BYTES, MAX_NOTE, MAX_NOTES
from longtable.transfer.model import refused
from longtable.transfer.sources.foreign import (
    Line,
    NewSession,
    json_lines,
    moment_of,
    name_of,
    object_of,
    pieces,
    tags_of,
    text_of,
)

ORIGIN = "beads"
AUTHOR = "beads"

_STATUS: Final = {
    "open": "pending",
    "in_progress": "in_progress",
    "blocked": "blocked",
    "deferred": "pending",
    "pinned": "pending",
    "hooked": "in_progress",
    "closed": "completed",
}
_BLOCKING: Final = ("blocks", "conditional-blocks")
_TEXTS: Final = {"design": "Design", "acceptance_criteria": "Accepted when", "notes": "Notes", "close_reason": "Closed"}


def recognise(line: Line) -> bool:
    return isinstance(line.get("id"), str) and "title" in line and ("issue_type" in line or "priority" in line)


def lines(path: Path, session: NewSession) -> Iterator[Line]:
    issues = _issues(path)
    numbers = {issue["id"]: number for number, issue in enumerate(issues, start=1)}
    yield session.line(f"Imported from beads: {path.name}", ORIGIN)
    notes = [_notes(issue) for issue in issues]
    for number, issue in enumerate(issues, start=1):
        yield _task(number, issue, numbers, len(notes[number - 1]))
    for number, written in enumerate(notes, start=1):
        for place, (author, text, moment) in enumerate(written, start=1):
            yield {
                "type": "task_note",
                "task": f"t{number}",
                "number": place,
                "author": author,
                "text": text,
                "created_at": moment,
            }


def _issues(path: Path) -> list[Line]:
    """The oldest first; without those that were deleted."""
    found: dict[str, Line] = {}
    for number, line in json_lines(path):
        if line.get("_type", "issue") != "issue" or line.get("status") == "tombstone":
            continue
        if not isinstance(line.get("id"), str) or not isinstance(line.get("title"), str):
            raise refused(number, "an issue of beads has an id and a title")
        found[line["id"]] = line
    return sorted(found.values(), key=lambda issue: (moment_of(issue.get("created_at")), issue["id"]))


def _task(number: int, issue: Line, numbers: Mapping[str, int], notes: int) -> Line:
    assignee = issue.get("assignee")
    needed = [numbers[id] for id in _blockers(issue) if id in numbers and numbers[id] != number]
    created = moment_of(issue.get("created_at"))
    return {
        "type": "task",
        "id": f"t{number}",
        "description": _description(issue)[0],
        "status": _STATUS.get(text_of(issue.get("status")), "pending"),
        **({"assigned_to": name_of(assignee, AUTHOR)} if assignee else {}),
        "priority": _priority(issue.get("priority")),
        "depends_on": [f"t{each}" for each in dict.fromkeys(needed)][:MAX_DEPENDENCIES],
        "metadata": dict(object_of(_facts(issue), MAX_METADATA_BYTES)),
        "notes": notes,
        "version": 1,
        "claims": 0,
        "created_by": name_of(issue.get("created_by"), AUTHOR),
        "created_at": created,
        "updated_at": moment_of(issue.get("updated_at"), created),
    }


def _priority(value: Any) -> str:
    if not isinstance(value, int) or value == 2:
        return "medium"
    return "high" if value < 2 else "low"


def _blockers(issue: Line) -> list[str]:
    listed = issue.get("dependencies")
    found = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return [
        text_of(each.get("depends_on_id") or each.get("id"))
        for each in found
        if (each.get("type") or each.get("dep_type") or "blocks") in _BLOCKING
    ]


def _facts(issue: Line) -> Line:
    kept: Line = {"beads_id": issue["id"], "issue_type": text_of(issue.get("issue_type"))}
    kept["labels"] = tags_of(issue.get("labels"))
    listed = issue.get("dependencies")
    related = [
        {"id": text_of(each.get("depends_on_id")), "type": text_of(each.get("type"))}
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict) and each.get("type", "blocks") not in _BLOCKING
    ]
    return {name: value for name, value in {**kept, "related": related[:50]}.items() if value}


def _description(issue: Line) -> list[str]:
    """Title and description; what is too long for a task becomes notes of it."""
    title, more = text_of(issue["title"]), text_of(issue.get("description"))
    return pieces(f"{title}\n\n{more}" if more else title, MAX_DESCRIPTION)


def _notes(issue: Line) -> list[tuple[str, str, str]]:
    """Author, text and moment of each."""
    author, moment = name_of(issue.get("created_by"), AUTHOR), moment_of(issue.get("created_at"))
    found = [(author, text, moment) for text in _description(issue)[1:]]
    for name, title in _TEXTS.items():
        if text := text_of(issue.get(name)):
            found += [(author, part, moment) for part in pieces(f"{title}: {text}", MAX_NOTE)]
    comments = issue.get("comments")
    for comment in comments if isinstance(comments, list) else []:
        if isinstance(comment, dict) and (text := text_of(comment.get("text"))):
            commenter, at = name_of(comment.get("author"), AUTHOR), moment_of(comment.get("created_at"), moment)
            found += [(commenter, part, at) for part in pieces(text, MAX_NOTE)]
    return found[:MAX_NOTES]
