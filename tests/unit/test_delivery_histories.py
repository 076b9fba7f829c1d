"""The checker of deliveries: it finds what is wrong, and nothing in what is right."""

from dataclasses import replace
from typing import Any

import pytest

from tests.histories.delivery import DeliveredItem, DeliveryHistory, Stored, Write, anomalies

GOOD = DeliveryHistory(
    writes=[
        Write("k1", "add_note", "one", "n1"),
        # Cut off, and repeated.
        Write("k2", "add_message", "two", None),
        Write("k2", "add_message", "two", "7"),
        # Never acknowledged: the one was done, the other not.
        Write("k3", "add_note", "three", None),
        Write("k4", "add_note", "four", None),
    ],
    stored=[Stored("add_note", "one"), Stored("add_message", "two"), Stored("add_note", "three")],
    heard=[
        DeliveredItem("ada", "message", "7"),
        DeliveredItem("ada", "message", "7"),
        DeliveredItem("bob", "event", "1"),
    ],
    due=[DeliveredItem("ada", "message", "7")],
    streams=[("bob", [1, 2, 5]), ("bob", [2, 5, 6])],
)


def test_what_is_right_has_no_anomaly() -> None:
    assert anomalies(GOOD) == []


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ({"stored": GOOD.stored[1:]}, "add_note 'one' was acknowledged and is lost"),
        ({"stored": [*GOOD.stored, GOOD.stored[0]]}, "add_note 'one' was done 2 times"),
        ({"stored": [*GOOD.stored, GOOD.stored[2]]}, "add_note 'three' was done 2 times"),
        ({"stored": [*GOOD.stored, Stored("add_note", "five")]}, "nobody wrote it"),
        ({"writes": [*GOOD.writes, Write("k1", "add_note", "one", "n2")]}, "key 'k1' has 2 results"),
        ({"heard": []}, "ada never heard message 7"),
        ({"heard": [*GOOD.heard, DeliveredItem("ada", "message", "8")]}, "heard message 8, which is not theirs"),
        ({"streams": [("bob", [1, 3, 2])]}, "out of order"),
        ({"streams": [("bob", [1, 1])]}, "out of order"),
    ],
)
def test_what_is_wrong_is_found(broken: dict[str, Any], found: str) -> None:
    assert [each for each in anomalies(replace(GOOD, **broken)) if found in each]
