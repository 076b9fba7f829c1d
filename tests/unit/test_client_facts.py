"""What a client says of itself when it connects, and where its stream ended, is taken within bounds."""

import pytest

from longtable.connections.model import MAX_CLIENT_BYTES, ClientFacts, Position

INFO = {"name": "ada", "version": "1.2"}


def test_what_a_client_says_of_itself_is_kept_whole() -> None:
    said = ClientFacts("2025-11-25", INFO, {"roots": {"listChanged": True}})

    assert ClientFacts.from_text(said.to_text()) == said


def test_of_a_client_that_says_too_much_the_name_is_kept() -> None:
    said = ClientFacts("2025-11-25", INFO, {"experimental": {"long": "x" * MAX_CLIENT_BYTES}})

    kept = ClientFacts.from_text(said.to_text())

    assert (kept.protocol_version, kept.name, kept.capabilities) == ("2025-11-25", "ada", {})


def test_a_name_that_is_too_long_is_cut() -> None:
    kept = ClientFacts.from_text(ClientFacts("2025-11-25", {"name": "n" * MAX_CLIENT_BYTES}).to_text())

    assert kept.name == "n" * 200


@pytest.mark.parametrize("event_id", ["0-0", "7-12", "999999999-9999999999999999999"])
def test_an_event_id_of_ours_is_a_position(event_id: str) -> None:
    assert str(Position.parse(event_id)) == event_id


@pytest.mark.parametrize(
    "event_id", [None, "", "7", "-", "7-", "-7", "a-1", "1-b", "٣-1", "1000000000-1", "1-10000000000000000000"]
)
def test_any_other_is_none(event_id: str | None) -> None:
    assert Position.parse(event_id) is None
