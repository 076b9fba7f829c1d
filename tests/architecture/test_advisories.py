"""No version that is locked has a known vulnerability, as far as the package index knew when it was asked."""

from typing import Any

from scripts.advisories import known, not_told, pins, problems

FLAW = {"id": "PYSEC-1-1", "aliases": ["CVE-1-1"], "fixed_in": ["1.1"]}


def stored(explained: dict[str, str], **packages: Any) -> dict[str, Any]:
    found = {name.replace("_", "=="): advisories for name, advisories in packages.items()}
    return {"checked": "2026-01-01", "explained": explained, "packages": found}


def test_no_locked_version_has_an_advisory_that_is_not_explained() -> None:
    assert list(problems(pins(), known())) == []


def test_the_index_has_told_of_most_versions() -> None:
    assert len(not_told(known())) < len(pins()) / 4


def test_an_affected_version_is_named_with_the_one_that_is_not() -> None:
    assert list(problems(["a==1"], stored({}, a_1=[FLAW]))) == ["a==1 has PYSEC-1-1, fixed in 1.1"]


def test_an_advisory_can_be_explained_by_any_of_its_ids() -> None:
    assert list(problems(["a==1"], stored({"CVE-1-1": "That part is not used."}, a_1=[FLAW]))) == []


def test_a_version_that_was_never_compared_is_named() -> None:
    assert list(problems(["a==2"], stored({}, a_1=[]))) == ["a==2 was not compared: run `make advisories`"]
