"""Texts of agents in Markdown that people read: none of them can pass for a heading, a link or a part of the page."""

import re
from typing import Any

from longtable.questions.rendering import quoted

Line = dict[str, Any]

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~])")
_RUN = re.compile("`+")


def plain(text: str, most: int = 300) -> str:
    """On one line, and without a meaning in Markdown."""
    short = " ".join(text.split())
    return _SPECIAL.sub(r"\\\1", short if len(short) <= most else f"{short[:most]}…")


def moment(iso: str) -> str:
    return f"{iso[:16].replace('T', ' ')} UTC"


def marked(line: Line, origin: str) -> str:
    """Says of what came from elsewhere that it did."""
    return f", imported from {line['origin']}" if line.get("origin", origin) != origin else ""


def note(line: Line, origin: str) -> str:
    tags = "".join(f" `{tag.replace('`', chr(39))}`" for tag in line["tags"])
    facts = [
        f"replaces {line['supersedes']}" if "supersedes" in line else "",
        f"replaced by {line['superseded_by']}" if "superseded_by" in line else "",
        f"source: {plain(line['source'])}" if "source" in line else "",
    ]
    about = "; ".join(fact for fact in facts if fact)
    head = f"## {line['id']}\n\n{plain(line['author'])}, {moment(line['created_at'])}{marked(line, origin)}{tags}\n\n"
    return f"{head}{about}\n\n{quoted(line['content'])}\n\n" if about else f"{head}{quoted(line['content'])}\n\n"


def task(line: Line, notes: list[Line]) -> str:
    box = "x" if line["status"] == "completed" else " "
    facts = [line["status"].replace("_", " "), f"{line['priority']} priority"]
    if "assigned_to" in line:
        facts.append(plain(line["assigned_to"]))
    if line["depends_on"]:
        facts.append(f"after {', '.join(line['depends_on'])}")
    text = f"- [{box}] **{line['id']}** {plain(line['description'], 10_000)} ({', '.join(facts)})\n"
    return text + "".join(f"  - {plain(each['author'])}: {plain(each['text'], 10_000)}\n" for each in notes)


def question(line: Line, origin: str) -> str:
    heading = f"{plain(line['asked_by'])}, {moment(line['asked_at'])}; {line['status']}, {line['priority']} priority"
    parts = [f"## {line['id']}", f"{heading}{', blocking' if line['blocking'] else ''}", quoted(line["question"])]
    if line.get("context"):
        parts += ["Context:", quoted(line["context"])]
    if line.get("options"):
        parts.append("\n".join(f"- {plain(option)}" for option in line["options"]))
    if "answer" in line:
        who = plain(line["answered_by"]) if line["by_human"] else f"{plain(line['answered_by'])}, who is no person"
        elsewhere = f", imported from {line['answer_origin']}" if "answer_origin" in line else ""
        when = moment(line["answered_at"])
        parts += [f"Answered by {who}, {when}{elsewhere}:", quoted(line["answer"])]
    return "\n\n".join(parts) + f"{marked(line, origin)}\n\n"


def message(line: Line, origin: str) -> str:
    to = f" to {plain(line['to'])}" if "to" in line else ""
    reply = f", in reply to {line['parent']}" if "parent" in line else ""
    about = f"{plain(line['sender'])}{to}, {moment(line['created_at'])}; {line['visibility'].replace('_', ' ')}{reply}"
    return f"## {line['id']}\n\n{about}{marked(line, origin)}\n\n{quoted(line['content'])}\n\n"


def fenced(text: str, language: str) -> str:
    """A fence that nothing in the text can close."""
    longest = max((len(run) for run in _RUN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    word = re.sub(r"[^A-Za-z0-9_+-]", "", language)
    return f"{fence}{word}\n{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{fence}\n"


def cell(line: Line, number: int) -> str:
    name = line["metadata"].get("filename")
    title = plain(name) if isinstance(name, str) else plain(line["language"])
    tags = "".join(f" `{tag.replace('`', chr(39))}`" for tag in line["tags"])
    return f"## {number}. {title}{tags}\n\n{fenced(line['content'], line['language'])}\n"
