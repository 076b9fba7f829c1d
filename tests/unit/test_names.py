"""Names of agents: which may be used, which are the same, and which pass for a person's."""

import pytest

from longtable.kernel.names import folded, name_problem, poses_as_person
from tests.forgeries import FORGED_NAMES, HONEST_NAMES, INVISIBLE


@pytest.mark.parametrize("name", FORGED_NAMES, ids=ascii)
def test_what_reads_as_a_person_is_known_as_such(name: str) -> None:
    assert poses_as_person(name)


@pytest.mark.parametrize("name", HONEST_NAMES, ids=ascii)
def test_other_names_may_be_used(name: str) -> None:
    assert not poses_as_person(name)
    assert name_problem(name) is None


@pytest.mark.parametrize("name", INVISIBLE, ids=ascii)
def test_what_nobody_sees_is_in_no_name(name: str) -> None:
    assert name_problem(name) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("ADA", "ada"),
        ("\uff21\uff44\uff41", "ada"),
        ("STRASSE", "straße"),
        ("ﬁx", "FIX"),
        ("Ⅻ", "xii"),
        ("ΣΑΣ", "σας"),
    ],
)
def test_spellings_of_one_name_are_the_same(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_other_letters_are_another_name() -> None:
    assert len({folded(name) for name in ("ada", "\u0430da", "adá", "ad a")}) == 4
