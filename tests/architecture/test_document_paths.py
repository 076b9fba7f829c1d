"""The documents name files and folders that exist: a rename that forgets a page is noticed."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Guides and tutorials name files that their reader writes.
FOR_CONTRIBUTORS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md", "docs/decisions/*.md", "docs/explanation/*.md")
DOCUMENTS = sorted(path for pattern in FOR_CONTRIBUTORS for path in ROOT.glob(pattern) if "tutorial" not in path.name)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SOURCE_FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|tsx?|sql|sh))`")
FOLDER = re.compile(r"`((?:[\w-]+/)+)`")
NOT_THERE = ("storage/migrations/NNNN_name.sql", "benchmarks/results/", "src/api/schema.ts")
"""Placeholders, and what is made by a command."""
STARTS = ("", "src/longtable", "src", "web", "web/src", "tests")


@cache
def file_names() -> frozenset[str]:
    tops = ("src/longtable", "tests", "scripts", "benchmarks", "web/src")
    return frozenset(path.name for top in tops for path in (ROOT / top).rglob("*.*"))


def exists(name: str) -> bool:
    if "/" not in name:
        return name in file_names()
    return any((ROOT / start / name).exists() for start in STARTS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_source_file_that_a_document_names_exists(document: Path) -> None:
    prose = FENCED.sub("", document.read_text("utf-8"))

    named = [*SOURCE_FILE.findall(prose), *FOLDER.findall(prose)]

    assert [name for name in named if name not in NOT_THERE and not exists(name)] == []


def test_every_decision_says_first_whether_it_holds() -> None:
    records = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    begins = {path.name: path.read_text("utf-8").splitlines()[2] for path in records}

    assert [name for name, line in begins.items() if not line.startswith(("Accepted", "Superseded"))] == []


def test_a_decision_names_the_later_ones_that_changed_it() -> None:
    records = {path.name: path.read_text("utf-8") for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    named = {
        name: set(re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", text.partition("\n## ")[0])) for name, text in records.items()
    }

    silent = [
        f"{earlier} does not name {later}"
        for later in named
        for earlier in named[later]
        if earlier < later and later not in named[earlier]
    ]

    assert silent == []
