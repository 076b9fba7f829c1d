"""The checker of histories: it finds what is wrong, and nothing in what is right."""

import pytest

from tests.histories.versions import VersionOperation, anomalies


def write(value: str, version: int | None, began: float, ended: float, expected: int | None = None) -> VersionOperation:
    return VersionOperation("write", "section", value, version, began, ended, expected)


def read(value: str, version: int, began: float, ended: float) -> VersionOperation:
    return VersionOperation("read", "section", value, version, began, ended)


def refused(version: int, expected: int, began: float, ended: float) -> VersionOperation:
    return VersionOperation("refused", "section", "", version, began, ended, expected)


GOOD = [
    write("a", 1, 0, 1),
    read("a", 1, 2, 3),
    # Both at the same time as a read that sees the second.
    write("b", 2, 4, 8, 1),
    write("c", 3, 4, 9, 2),
    read("c", 3, 5, 8),
    refused(3, 1, 10, 11),
]


def test_what_is_right_has_no_anomaly() -> None:
    assert anomalies(GOOD) == []


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (write("d", 3, 12, 13), "written twice"),
        (read("b", 3, 12, 13), "read as 'b'"),
        (read("x", 9, 12, 13), "which nobody wrote"),
        (read("b", 2, 12, 13), "came after version 3"),
        (write("d", 2, 12, 13), "came after version 3"),
        (write("d", 5, 12, 13, 3), "meant for version 3"),
        (refused(3, 3, 12, 13), "was refused"),
        (refused(1, 0, 12, 13), "came after version 3"),
    ],
)
def test_what_is_wrong_is_found(broken: VersionOperation, found: str) -> None:
    assert [each for each in anomalies([*GOOD, broken]) if found in each]


def test_a_write_whose_result_was_lost_may_have_been_done_or_not() -> None:
    lost = write("d", None, 12, 20)

    assert anomalies([*GOOD, lost]) == []
    assert anomalies([*GOOD, lost, read("d", 4, 14, 15)]) == []


def test_things_are_checked_apart() -> None:
    other = VersionOperation("write", "other", "z", 1, 20, 21)

    assert anomalies([*GOOD, other]) == []
