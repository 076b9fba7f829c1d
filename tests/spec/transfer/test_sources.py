"""What other programs keep comes to the table: notes, tasks, messages and memory, marked with where they are from."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.clock import DAY
from longtable.kernel.errors import LongtableError, ValidationFailed
from longtable.transfer.foreign_import import ForeignChoice, as_export, recognised
from longtable.transfer.model import ImportChoice, Imported
from longtable.transfer.sources.foreign import NewSession
from tests.browser import signed_in
from tests.spec.transfer.transfers import operator
from tests.table import Table

pytestmark = pytest.mark.slow

SHARED_CONTEXT = Path(__file__).parent / "shared_context.db"


async def brought(table: Table, path: Path, *, is_dry_run: bool = False, notebook: str | None = None) -> Imported:
    now = table.clock()
    session = NewSession("new-one", "human:operator", now, now + DAY, 65_536)
    with as_export(path, ForeignChoice(session, scratch_id=notebook)) as file:
        choice = ImportChoice(is_dry_run=is_dry_run)
        return await table.app.slices.transfers.importer.import_file(file, choice, operator)


def written(path: Path, lines: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


async def test_entities_and_relations_of_the_memory_server_become_notes(table: Table, tmp_path: Path) -> None:
    file = written(
        tmp_path / "memory.jsonl",
        [
            {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", "writes\0code"]},
            {"type": "relation", "from": "Ada", "to": "Longtable", "relationType": "maintains"},
        ],
    )

    summary = await brought(table, file)

    notes = await table.agent("ada", "new-one").reads_notes()
    assert summary.sessions == ["new-one"]
    assert [(note["content"], note["tags"], note["imported"]) for note in notes] == [
        ("Ada (person)\n- likes tea\n- writes\ufffdcode", ["entity", "person", "Ada"], True),
        ("Ada maintains Longtable", ["relation", "Ada", "Longtable"], True),
    ]


ISSUES = [
    {
        "id": "bd-a1",
        "title": "Build the shop",
        "description": "All of it",
        "status": "open",
        "priority": 0,
        "issue_type": "epic",
        "labels": ["web"],
        "created_at": "2026-01-19T22:12:48.942352085Z",
        "created_by": "ada",
        "dependencies": [
            {"issue_id": "bd-a1", "depends_on_id": "bd-b2", "type": "blocks"},
            {"issue_id": "bd-a1", "depends_on_id": "bd-gone", "type": "blocks"},
            {"issue_id": "bd-a1", "depends_on_id": "bd-b2", "type": "related"},
        ],
    },
    {
        "id": "bd-b2",
        "title": "Rent a server",
        "status": "closed",
        "priority": 3,
        "issue_type": "task",
        "assignee": "bob",
        "created_at": "2026-01-18T10:00:00Z",
        "close_reason": "rented",
        "comments": [{"author": "human:grace", "text": "cheap one", "created_at": "2026-01-18T11:00:00Z"}],
    },
    {"id": "bd-c3", "title": "gone", "status": "tombstone", "priority": 2, "issue_type": "task"},
]


async def test_issues_of_beads_become_tasks_with_their_dependencies(table: Table, tmp_path: Path) -> None:
    await brought(table, written(tmp_path / "issues.jsonl", ISSUES))

    rent, build = (await table.agent("ada", "new-one").calls("read_plan"))["tasks"]

    assert (rent["description"], rent["status"], rent["priority"], rent["assigned_to"]) == (
        "Rent a server",
        "completed",
        "low",
        "bob",
    )
    assert [(each["author"], each["text"], each["imported"]) for each in rent["notes"]] == [
        ("beads", "Closed: rented", True),
        ("human:grace", "cheap one", True),
    ]
    assert (build["description"], build["priority"], build["depends_on"]) == (
        "Build the shop\n\nAll of it",
        "high",
        ["t1"],
    )
    assert build["ready"] is True
    assert build["metadata"] == {
        "beads_id": "bd-a1",
        "issue_type": "epic",
        "labels": ["web"],
        "related": [{"id": "bd-b2", "type": "related"}],
    }


async def test_issues_that_wait_for_each_other_are_refused(table: Table, tmp_path: Path) -> None:
    circle = [
        {"id": one, "title": one, "priority": 1, "dependencies": [{"depends_on_id": other, "type": "blocks"}]}
        for one, other in (("bd-1", "bd-2"), ("bd-2", "bd-1"))
    ]

    with pytest.raises(ValidationFailed, match="run in a circle"):
        await brought(table, written(tmp_path / "issues.jsonl", circle))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "deep").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "a.md").write_text("---\ntitle: A\ntags: [price, 'the shop']\n---\n\n# Heading\n")
    (root / "b.md").write_text("---\ntags:\n  - one\n  - two\n---\ntext\n")
    (root / "deep" / "c.md").write_text("no front matter\n---\ntags: not these\n---\n")
    (root / ".git" / "hidden.md").write_text("hidden")
    (root / "link.md").symlink_to("/etc/passwd")
    return root


async def test_a_folder_of_markdown_becomes_notes_with_the_tags_of_their_front_matter(
    table: Table, folder: Path
) -> None:
    await brought(table, folder)

    notes = await table.agent("ada", "new-one").reads_notes()
    assert [(note["source"], note["content"], note.get("tags", [])) for note in notes] == [
        ("a.md", "# Heading\n", ["price", "the shop"]),
        ("b.md", "text\n", ["one", "two"]),
        ("deep/c.md", "no front matter\n---\ntags: not these\n---\n", []),
    ]


async def test_a_folder_of_markdown_becomes_a_scratchpad(table: Table, folder: Path) -> None:
    summary = await brought(table, folder, notebook="vault")

    pad = (await table.agent("ada").calls("scratch_read", scratch_id="vault"))["scratchpad"]
    assert summary.scratchpads == ["vault"]
    assert [(cell["metadata"]["filename"], cell["tags"]) for cell in pad["cells"]] == [
        ("a.md", ["price", "the shop"]),
        ("b.md", ["one", "two"]),
        ("deep/c.md", []),
    ]


async def test_a_database_of_shared_context_server_becomes_its_sessions(table: Table) -> None:
    summary = await brought(table, SHARED_CONTEXT)

    session_id = "session_0123456789abcdef"
    async with signed_in(table.http) as browser:
        messages = (await browser.get(f"/sessions/{session_id}/messages")).json()["messages"]
    assert (summary.sessions, summary.memory) == ([session_id], 1)
    assert [(each["sender"], each["visibility"], each["parent_message_id"]) for each in messages] == [
        ("ada", "public", None),
        ("bob", "public", 1),
        ("ada", "private", None),
        ("root", "private", None),
    ]
    assert all(each["imported"] for each in messages)
    ada = table.agent("ada", session_id)
    assert (await ada.calls("get_memory", key="draft", session_id=session_id))["value"] == {"words": 300}
    assert (await table.agent("ada").calls("get_memory", key="style"))["value"] == "short"


async def test_a_dry_run_tells_what_would_be_made_and_makes_nothing(table: Table) -> None:
    summary = await brought(table, SHARED_CONTEXT, is_dry_run=True)

    assert (summary.dry_run, summary.records, len(summary.sessions)) == (True, 7, 1)
    with pytest.raises(LongtableError):
        await table.app.sessions.require(await operator("default"), summary.sessions[0], to_change=False)


def test_each_source_is_recognised_by_its_content(tmp_path: Path, folder: Path) -> None:
    entity = {"type": "entity", "name": "x", "entityType": "y", "observations": []}

    assert recognised(folder) == "markdown"
    assert recognised(SHARED_CONTEXT) == "shared-context"
    assert recognised(written(tmp_path / "one", [entity])) == "memory"
    assert recognised(written(tmp_path / "two", ISSUES)) == "beads"
    assert recognised(written(tmp_path / "three", [{"format": "longtable"}])) == "longtable"


@pytest.mark.parametrize("content", [b"{", b"[1]\n", b"\xff\xff\n", b'{"type":"entity","observations":1}\n[]\n'])
async def test_a_bad_file_of_another_program_is_refused(table: Table, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_bytes(content)

    with pytest.raises(ValidationFailed, match="Line "):
        await brought(table, file)
