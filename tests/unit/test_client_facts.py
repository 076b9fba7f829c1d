"""What a client says of itself when it connects is kept within bounds."""

from longtable.connections.model import MAX_CLIENT_BYTES, ClientFacts

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
