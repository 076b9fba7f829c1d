"""The documents name files, folders and classes that exist: a rename that forgets a page is noticed."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.test_sources import ROOT, modules

# Guides and tutorials name files that their reader writes.
FOR_CONTRIBUTORS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md", "docs/decisions/*.md", "docs/explanation/*.md")
DOCUMENTS = sorted(path for pattern in FOR_CONTRIBUTORS for path in ROOT.glob(pattern) if "tutorial" not in path.name)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SOURCE_FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|tsx?|sql|sh))`")
FOLDER = re.compile(r"`((?:[\w-]+/)+)`")
IN_REPOSITORY = re.compile(r"`((?:src/longtable|tests|scripts|benchmarks|clients|docs|deploy|web/src)/[\w./-]+)`")
CLASS = re.compile(r"`(_?[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[A-Z][a-z]+(?=\.[a-z_]+[`(]))(?:\.(\w+))?[`(]")
NOT_THERE = (
    "storage/migrations/NNNN_name.sql",
    "benchmarks/results/",
    "src/api/schema.ts",
    "src/longtable/console/static",
)
"""Placeholders, and what is made by a command."""
NO_CLASSES = {"NoteManagerError", "ParameterStatus", "TypedDict", "HoldSeconds"}
"""An example of a bad name, a message of PostgreSQL, a class of Python, and a name of a type."""
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


def test_every_path_in_the_repository_that_any_page_names_exists() -> None:
    pages = [path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")) if path.name != "CHANGELOG.md"]
    named = {(path, name) for path in pages for name in IN_REPOSITORY.findall(FENCED.sub("", path.read_text("utf-8")))}

    assert named
    assert [
        f"{page.name}: {name}" for page, name in named if name not in NOT_THERE and not (ROOT / name).exists()
    ] == []


def test_every_class_and_method_that_a_document_names_is_in_the_code() -> None:
    classes = {
        node.name: node for _, module in modules() for node in ast.walk(module) if isinstance(node, ast.ClassDef)
    }
    named = {pair for path in DOCUMENTS for pair in CLASS.findall(FENCED.sub("", path.read_text("utf-8")))}

    assert named
    assert {name for name, _ in named} - NO_CLASSES - set(classes) == set()
    assert [
        f"{name}.{member}"
        for name, member in named
        if member and not re.search(rf"\b{member}\b", ast.unparse(classes[name]))
    ] == []


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
