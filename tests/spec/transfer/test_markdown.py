"""The export that people read: a folder of Markdown, the same for the same content, and nothing written beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from longtable.transfer.markdown_folder import MarkdownFolder
from tests.spec.transfer.generated import GeneratedExport
from tests.spec.transfer.transfers import exported
from tests.table import Table

pytestmark = pytest.mark.slow


def folder_of(root: Path, content: bytes) -> dict[str, str]:
    """The files by their names."""
    root.mkdir()
    folder = MarkdownFolder(root)
    for line in content.splitlines(keepends=True):
        folder.write(line)
    folder.finish()
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*") if path.is_file()}


async def test_a_table_is_a_folder_for_each_session_and_a_file_for_each_scratchpad(
    filled: Table, tmp_path: Path
) -> None:
    files = folder_of(tmp_path / "out", await exported(filled.app))

    at = "sessions/sess_one"
    assert sorted(files) == [
        "index.md",
        "scratchpads/pad.md",
        f"{at}/README.md",
        f"{at}/draft.md",
        f"{at}/messages.md",
        f"{at}/notes.md",
        f"{at}/plan.md",
        f"{at}/questions.md",
    ]
    assert f"- [Write \\# the post]({at}/README.md), active" in files["index.md"]
    assert "- [T](scratchpads/pad.md)" in files["index.md"]
    assert "- [Plan](plan.md)" in files[f"{at}/README.md"]
    assert files[f"{at}/draft.md"] == "# Introduction\n\nsecond\n\n"
    assert "> the shop\n> ## is closed" in files[f"{at}/notes.md"]
    assert "- [ ] **t2** write (pending, medium priority, after t1)" in files[f"{at}/plan.md"]
    assert "Answered by human:owner" in files[f"{at}/questions.md"]
    assert "> for me alone" in files[f"{at}/messages.md"]
    assert "```json\n{}\n```" in files["scratchpads/pad.md"]


def test_the_same_content_makes_the_same_folder(tmp_path: Path) -> None:
    export = GeneratedExport(5)
    for number in range(5):
        export.add_session(f"session-{number}")
        export.add_scratchpad(f"pad-{number}")
    content = export.encoded("tenant")

    assert folder_of(tmp_path / "one", content) == folder_of(tmp_path / "two", content)


HOSTILE = ("../../etc/passwd", "CON", "con", "nul.md", "..", ".", "a/b", "A/b", "\\..\\x", "x" * 500, "é\n", "index.md")


def test_no_name_leads_out_of_the_folder_and_none_hides_another(tmp_path: Path) -> None:
    export = GeneratedExport(6)
    for number, name in enumerate(HOSTILE):
        export.lines.append({"type": "tenant", "name": name})
        export.add_scratchpad(f"pad-{number}")
        export.lines[-1 - _after_pad(export.lines)] |= {"id": name, "title": f"[{name}](javascript:x)"}

    files = folder_of(tmp_path / "out", export.encoded("all"))

    assert len(files) == len(HOSTILE) + 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert "](javascript:" not in files["index.md"]


def _after_pad(lines: list[dict[str, Any]]) -> int:
    return next(count for count, line in enumerate(reversed(lines)) if line["type"] == "scratchpad")


def test_a_cell_cannot_end_its_fence(tmp_path: Path) -> None:
    export = GeneratedExport(1)
    seed = next(seed for seed in range(50) if any(line["type"] == "cell" for line in pad_lines(seed)))
    export.lines = pad_lines(seed)
    for line in export.lines:
        if line["type"] == "cell":
            line["content"] = "a\n````\n# not a heading\n"

    (text,) = [text for name, text in folder_of(tmp_path / "out", export.encoded("notebook")).items() if "pads" in name]

    assert "`````" in text
    assert json.dumps(text).count("`````") % 2 == 0


def pad_lines(seed: int) -> list[dict[str, Any]]:
    export = GeneratedExport(seed)
    export.add_scratchpad("pad")
    return export.lines
