"""The requirements of the notebooks are all listed, each with tests that exist."""

import re
from pathlib import Path

import pytest

from scripts import docs

TESTS = Path(__file__).parent.parent
PAGE = (docs.REFERENCE / "notebook-requirements.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (N?FR-\d{3}A?) \| .* \| (.*) \|$", PAGE.partition("## Where we differ")[0], re.MULTILINE))
NUMBERS = [
    *(f"FR-{number:03}" for number in range(1, 29)),
    *("FR-005A", "FR-007A", "NFR-017A"),
    *(f"NFR-{number:03}" for number in range(1, 27)),
]


def test_no_requirement_is_missing() -> None:
    assert sorted(ROWS) == sorted(NUMBERS)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_requirement_names_tests_that_exist(number: str) -> None:
    named = re.findall(r"`([a-z_/0-9]+\.py)(?:::(test_\w+))?`", ROWS[number])

    missing = [(path, name) for path, name in named if not _exists(TESTS / path, name)]

    assert named
    assert missing == []


def test_agents_are_told_to_reuse_namespaces() -> None:
    tools = {tool.name: tool for tool in docs.every_tool()}

    description = tools["scratch_create"].input_schema()["properties"]["metadata"]["description"]

    assert "Reuse namespaces" in description
    assert "before you make a new one" in tools["scratch_namespace_list"].description


def _exists(path: Path, name: str) -> bool:
    return path.exists() and (not name or f"def {name}(" in path.read_text(encoding="utf-8"))
