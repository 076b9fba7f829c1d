"""`make fast` picks the tests of what was changed."""

from pathlib import Path

import longtable
from tests.parts import SQLITE_IS_ENOUGH
from tests.related import QUICK_FOLDERS, ROOT, TESTS_OF, all_test_files, related_tests

PACKAGES = sorted(path.parent.name for path in Path(longtable.__file__).parent.glob("*/__init__.py"))


def test_a_change_in_leases_is_tested_by_those_of_leases_first() -> None:
    picked = related_tests(["src/longtable/plan/leases.py"])

    assert picked[0] == "tests/spec/test_plan_leases.py"
    assert "tests/spec/test_plan.py" in picked


def test_every_package_has_tests_of_its_own() -> None:
    assert set(PACKAGES) - set(TESTS_OF) == set(), "name their tests in TESTS_OF of tests/related.py"


def test_no_name_of_a_package_or_test_is_out_of_date() -> None:
    assert set(TESTS_OF) <= set(PACKAGES)
    missing = [pattern for patterns in TESTS_OF.values() for pattern in patterns if not _matches(pattern)]
    assert missing == []


def test_every_test_in_the_process_of_pytest_belongs_to_a_package() -> None:
    found = set(related_tests([f"src/longtable/{package}/any.py" for package in ("app.py", *TESTS_OF)]))
    ours = {test for test in all_test_files() if test.startswith(QUICK_FOLDERS)}

    assert ours - found == set()


def test_a_test_and_what_only_some_tests_import_lead_to_those_tests() -> None:
    assert related_tests(["tests/spec/test_notes.py"]) == ["tests/spec/test_notes.py"]
    assert "tests/spec/test_plan.py" in related_tests(["tests/spec/plan_races.py"])
    assert related_tests(["tests/table.py", "README.md", "tests/spec/test_gone.py"]) == []


def test_the_tests_that_run_on_sqlite_alone_exist() -> None:
    named = [start.split("::")[0] for start in SQLITE_IS_ENOUGH]

    assert [path for path in named if not (ROOT / path).exists()] == []


def _matches(pattern: str) -> bool:
    return any(Path(test).match(pattern) for test in all_test_files())
