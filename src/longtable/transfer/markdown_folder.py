"""An export as a folder of Markdown that people like to read, made from the lines of the other format."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final

from longtable.questions.rendering import quoted
from longtable.transfer import markdown_text as words
from longtable.transfer.markdown_text import Line, moment, plain

_RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(10))}
"""Names that are no files on Windows."""


class _Names:
    """File names that are all different, also where capitals do not count."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def of(self, id: str) -> str:
        base = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "_" for letter in id)
        base = base[:100].strip(".") or "_"
        name, number = (f"{base}_" if base.split(".")[0].lower() in _RESERVED else base), 1
        while name.lower() in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name.lower())
        return name


class MarkdownFolder:
    """Takes the lines of an export, one after the other, and writes files into `root`, which is empty."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._place = root
        self._index: list[str] = []
        self._session_names, self._pad_names, self._tenant_names = _Names(), _Names(), _Names("index.md")
        self._open: dict[str, IO[str]] = {}
        self._unit: Line = {}
        self._folder = root
        self._lines: dict[str, list[Line]] = {}
        self._cells = 0

    def write(self, encoded: bytes) -> None:
        line = json.loads(encoded)
        take = _TAKERS.get(line.get("type", ""))
        if take is not None:
            take(self, line)

    def finish(self) -> None:
        self._end_unit()
        text = "".join(["# What the table holds\n", *self._index]) if self._index else "# Nothing yet\n"
        (self._root / "index.md").write_text(text, encoding="utf-8")

    def take_tenant(self, line: Line) -> None:
        self._end_unit()
        name = self._tenant_names.of(line["name"])
        self._place = self._root / name
        self._session_names, self._pad_names = _Names(), _Names()
        self._index.append(f"\n## {plain(line['name'])}\n\n")

    def take_session(self, line: Line) -> None:
        self._end_unit()
        self._unit = line
        name = self._session_names.of(line["id"])
        self._folder = self._place / "sessions" / name
        self._folder.mkdir(parents=True)
        self._list(line["purpose"] or line["id"], self._folder / "README.md", line["status"], line["created_at"])

    def take_scratchpad(self, line: Line) -> None:
        self._end_unit()
        self._unit, self._cells = line, 0
        self._folder = self._place / "scratchpads"
        self._folder.mkdir(parents=True, exist_ok=True)
        file = f"{self._pad_names.of(line['id'])}.md"
        self._list(line.get("title") or line["id"], self._folder / file, "scratchpad", line["updated_at"])
        self._unit = {**line, "file": file}
        self._append(file, "", _pad_head(line))

    def take_cell(self, line: Line) -> None:
        self._cells += 1
        self._append(self._unit["file"], "", words.cell(line, self._cells))

    def take_note(self, line: Line) -> None:
        self._append("notes.md", "Notes", words.note(line, self._unit["origin"]))

    def take_question(self, line: Line) -> None:
        self._append("questions.md", "Questions and answers", words.question(line, self._unit["origin"]))

    def take_message(self, line: Line) -> None:
        self._append("messages.md", "Messages", words.message(line, self._unit["origin"]))

    def keep(self, line: Line) -> None:
        """Until the whole unit is there."""
        self._lines.setdefault(line["type"], []).append(line)

    def take_version(self, line: Line) -> None:
        current = next(each for each in self._lines["section"] if each["id"] == line["section"])
        if current["version"] == line["version"]:
            current |= {"title": line["title"], "content": line["content"]}

    def _end_unit(self) -> None:
        if self._unit.get("type") == "session":
            self._write_draft()
            self._write_plan()
            self._append("README.md", "", self._readme())
        for file in self._open.values():
            file.close()
        self._open, self._lines, self._unit = {}, {}, {}

    def _write_draft(self) -> None:
        for section in self._lines.get("section", ()):
            text = f"# {plain(section['title'])}\n\n{section['content'].rstrip()}\n\n"
            self._append("draft.md", "", text)

    def _write_plan(self) -> None:
        notes: dict[str, list[Line]] = {}
        for line in self._lines.get("task_note", ()):
            notes.setdefault(line["task"], []).append(line)
        for line in self._lines.get("task", ()):
            self._append("plan.md", "Plan", words.task(line, notes.get(line["id"], [])))

    def _readme(self) -> str:
        line = self._unit
        facts = [
            f"- Session `{line['id']}`, {line['status']}",
            f"- Opened by {plain(line['created_by'])}, {moment(line['created_at'])}",
            f"- Until {moment(line['expires_at'])}",
            f"- Made in the store {line['origin']}",
        ]
        titles = {"draft.md": "Draft", "plan.md": "Plan", "notes.md": "Notes", "questions.md": "Questions and answers"}
        files = [(file, title) for file, title in {**titles, "messages.md": "Messages"}.items() if file in self._open]
        links = "".join(f"- [{title}]({file})\n" for file, title in files) or "It is empty.\n"
        facts_text = "\n".join(facts)
        return f"# {plain(line['purpose'] or line['id'])}\n\n{facts_text}\n\n{links}"

    def _list(self, title: str, file: Path, about: str, when: str) -> None:
        self._index.append(f"- [{plain(title)}]({file.relative_to(self._root).as_posix()}), {about}, {moment(when)}\n")

    def _append(self, name: str, title: str, text: str) -> None:
        if name not in self._open:
            self._open[name] = (self._folder / name).open("x", encoding="utf-8", newline="\n")
            if title:
                self._open[name].write(f"# {title}\n\n")
        self._open[name].write(text)


def _pad_head(line: Line) -> str:
    parts = [f"# {plain(line.get('title') or line['id'])}", f"Scratchpad `{line['id']}`, {moment(line['updated_at'])}"]
    parts += [quoted(line[name]) for name in ("description", "summary") if line.get(name)]
    if line["tags"]:
        parts.append(f"Tags: {', '.join(map(plain, line['tags']))}")
    return "\n\n".join(parts) + "\n\n"


_TAKERS: Final[dict[str, Callable[[MarkdownFolder, dict[str, Any]], None]]] = {
    "tenant": MarkdownFolder.take_tenant,
    "session": MarkdownFolder.take_session,
    "scratchpad": MarkdownFolder.take_scratchpad,
    "cell": MarkdownFolder.take_cell,
    "note": MarkdownFolder.take_note,
    "question": MarkdownFolder.take_question,
    "message": MarkdownFolder.take_message,
    "section": MarkdownFolder.keep,
    "section_version": MarkdownFolder.take_version,
    "task": MarkdownFolder.keep,
    "task_note": MarkdownFolder.keep,
}
"""Types that are not for people, such as audit records, are left out."""
