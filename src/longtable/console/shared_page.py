"""The page behind a shared link, as text: no script, nothing that it loads, and every text of an agent as data."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from longtable.draft.model import SectionVersion
from longtable.kernel.clock import to_iso
from longtable.messages.model import Message
from longtable.notes.model import Note
from longtable.plan.model import STATUSES, Task, TaskNote, task_id
from longtable.sharing.model import MAX_ITEMS, SharedContent, SharedLink

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c1b1a; --paper: #fbfaf8; --line: #ddd8d0; --soft: #5f5952; --mark: #8a4b2a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceae6; --paper: #1a1918; --line: #3a3733; --soft: #b0a99f; --mark: #e0a37e; } }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .25rem 0; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem;
  border-bottom: 1px solid var(--line); padding-bottom: .25rem; } h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
h4 { font-size: 1rem; margin: 1rem 0 .25rem; }
.soft { color: var(--soft); font-size: .875rem; margin: .15rem 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; } a { color: inherit; }
ol, ul { padding-left: 1.25rem; } li { margin: .35rem 0; } .cards { list-style: none; padding: 0; }
.cards > li { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; margin: .6rem 0; }
.text { white-space: pre-wrap; unicode-bidi: isolate; margin: .35rem 0; } .one { unicode-bidi: isolate; }
.state { border: 1px solid var(--line); border-radius: 99px; padding: 0 .5rem; font-size: .8rem; color: var(--soft); }
pre { background: color-mix(in srgb, var(--ink) 6%, transparent); padding: .75rem 1rem; border-radius: 6px;
  overflow-x: auto; white-space: pre-wrap; font: .875rem/1.45 ui-monospace, monospace; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .75rem; }
@media print { body { max-width: none; padding: 0; background: #fff; color: #000; font-size: 11pt; }
  nav { display: none; }
  .cards > li, pre { break-inside: avoid; border-color: #999; } h2, h3 { break-after: avoid; } }
"""
STYLE_HASH: Final = f"sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}"
_WORDS: Final = {"in_progress": "in progress"}


def shared(link: SharedLink, content: SharedContent) -> str:
    if link.section_id is not None:
        (section,) = content.sections
        return _page(section.title, f"<h1>{_one(section.title)}</h1>{_about(section)}{_text(section.content)}", link)
    title = content.session.purpose or content.session.session_id
    parts = [
        ("draft", "Draft", "".join(_section(section) for section in content.sections)),
        ("plan", "Plan", _plan(content.tasks, content.task_notes)),
        ("notes", "Notes", _cards(map(_note, content.notes), len(content.notes))),
        ("messages", "Messages", _cards(map(_message, content.messages), len(content.messages))),
    ]
    filled = [part for part in parts if part[2]]
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words, _ in filled)
    menu = f'<nav aria-label="Parts"><ul>{links}</ul></nav>' if len(filled) > 1 else ""
    shown = "".join(f'<section id="{name}"><h2>{words}</h2>{html}</section>' for name, words, html in filled)
    facts = f'<p class="soft">Begun {_when(content.session.created_at)}. Read only.</p>'
    nothing = "" if filled else "<p>There is nothing in this session yet.</p>"
    return _page(title, f"<h1>{_one(title)}</h1>{facts}{menu}{nothing}{shown}", link)


NOT_FOUND: Final = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    f"<title>Nothing here</title><style>{_STYLE}</style></head><body><main><h1>This link opens nothing</h1>"
    "<p>It was mistyped, has expired, or was revoked. Ask whoever gave it to you for a new one.</p>"
    "</main></body></html>"
)
"""For every link that opens nothing: it does not tell why."""


def _page(title: str, body: str, link: SharedLink) -> str:
    end = f'<footer><p class="soft">Shared from Longtable, until {_when(link.expires_at)}.</p></footer>'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>{escape(title[:200])}</title><style>{_STYLE}</style></head><body><main>{body}</main>{end}</body></html>"
    )


def _section(section: SectionVersion) -> str:
    return f"<article><h3>{_one(section.title)}</h3>{_about(section)}{_text(section.content)}</article>"


def _about(section: SectionVersion) -> str:
    return f'<p class="soft">Version {section.version}, {_when(section.created_at)}</p>'


def _plan(tasks: Sequence[Task], notes: dict[int, list[TaskNote]]) -> str:
    """By status, in the order of the board."""
    html = ""
    for status in STATUSES:
        chosen = [task for task in tasks if task.status == status]
        if chosen:
            words = _WORDS.get(status, status).capitalize()
            items = "".join(_task(task, notes.get(task.number, [])) for task in chosen)
            html += f'<h3>{words} ({len(chosen)})</h3><ul class="cards">{items}</ul>'
    return html


def _task(task: Task, notes: Sequence[TaskNote]) -> str:
    who = f", {_one(task.assigned_to)}" if task.assigned_to else ""
    waits = f", after {', '.join(map(task_id, task.depends_on))}" if task.depends_on else ""
    remarks = "".join(f'<li><span class="soft">{_one(each.author)}:</span>{_text(each.text)}</li>' for each in notes)
    listed = f"<ul>{remarks}</ul>" if remarks else ""
    facts = f'<p class="soft">{task_id(task.number)}, {task.priority} priority{who}{waits}</p>'
    return f"<li>{facts}{_text(task.description)}{listed}</li>"


def _note(note: Note) -> str:
    tags = " ".join(f'<span class="state">{_one(tag)}</span>' for tag in note.tags)
    facts = f'<p class="soft">{_one(note.author)}, {_when(note.created_at)} {tags}</p>'
    return f"<li>{facts}{_text(note.content)}</li>"


def _message(message: Message) -> str:
    return f'<li><p class="soft">{_one(message.sender)}, {_when(message.created_at)}</p>{_text(message.content)}</li>'


def _cards(items: Iterable[str], count: int) -> str:
    if not count:
        return ""
    cut = f'<p class="soft">The newest {MAX_ITEMS}.</p>' if count == MAX_ITEMS else ""
    return f'{cut}<ul class="cards">{"".join(items)}</ul>'


def _when(moment: int) -> str:
    iso = to_iso(moment)
    return f'<time datetime="{iso}">{iso[:16].replace("T", " ")} UTC</time>'


def _one(text: str) -> str:
    return f'<span class="one" dir="auto">{escape(text)}</span>'


def _text(text: str | None) -> str:
    """Headings and fenced code of Markdown, which make a long text readable; everything else as it was written."""
    html, plain, code = [], list[str](), list[str]()
    in_code = False
    for line in (text or "").split("\n"):
        if line.lstrip().startswith("```"):
            html.append(_code(code) if in_code else _paragraphs(plain))
            in_code = not in_code
        elif in_code:
            code.append(line)
        elif line.startswith("#") and line.lstrip("#").startswith(" "):
            html += [_paragraphs(plain), f'<h4 dir="auto">{escape(line.lstrip("#").strip())}</h4>']
        else:
            plain.append(line)
    html.append(_code(code) if in_code else _paragraphs(plain))
    return "".join(html)


def _paragraphs(lines: list[str]) -> str:
    text = "\n".join(lines).strip("\n")
    lines.clear()
    return f'<div class="text" dir="auto">{escape(text)}</div>' if text.strip() else ""


def _code(lines: list[str]) -> str:
    text = "\n".join(lines)
    lines.clear()
    return f'<pre dir="ltr" tabindex="0">{escape(text)}</pre>' if text.strip() else ""
