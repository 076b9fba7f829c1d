"""How much code one call runs through: what a newcomer has to follow, and what every call pays for."""

from scripts.call_tour import tour_of

MOST_FUNCTIONS = 130
MOST_FILES = 40


async def test_the_way_of_a_note_can_be_followed() -> None:
    tour = await tour_of("add_note")

    assert "notes/service.py: Notes.add" in tour.functions, "the call arrives at its service"
    assert "log/chain.py: Chain.append" in tour.functions, "the writer thread is followed, too"
    assert len(tour.functions) <= MOST_FUNCTIONS, tour.summary()
    assert len(tour.files) <= MOST_FILES, tour.summary()
