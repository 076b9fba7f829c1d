"""The title of a scratchpad counts for its cells."""

import pytest

from tests.spec.search.reading import pad, scratch_hits
from tests.table import Agent

pytestmark = pytest.mark.slow


async def test_a_cell_is_found_by_a_word_of_its_own_and_one_of_the_title(alice: Agent) -> None:
    restart, _ = await pad(alice, "deploy", "Restart nginx afterwards.", "Call Ann.", title="Deployment runbook")
    await pad(alice, "other", "Restart the kettle.", title="Kitchen")

    assert await scratch_hits(alice, "deployment nginx", mode="keyword") == [("deploy", restart)]
    assert await scratch_hits(alice, "runbook restart", mode="keyword") == [("deploy", restart)]


async def test_a_title_alone_finds_the_scratchpad_and_not_each_of_its_cells(alice: Agent) -> None:
    await pad(alice, "deploy", "Restart nginx.", "Call Ann.", title="Deployment runbook")

    assert await scratch_hits(alice, "deployment runbook", mode="keyword") == [("deploy", None)]


async def test_a_new_title_counts_at_once_and_the_old_one_no_longer(alice: Agent) -> None:
    (cell,) = await pad(alice, "a", "Restart nginx.", title="Deployment")
    await alice.calls("scratch_update", scratch_id="a", metadata={"title": "Kitchen"})

    assert await scratch_hits(alice, "kitchen nginx", mode="keyword") == [("a", cell)]
    assert (await scratch_hits(alice, "deployment nginx", mode="keyword"))[:1] == [("a", cell)], "by its own word"


async def test_of_cells_with_the_same_words_the_one_under_the_title_comes_first(alice: Agent) -> None:
    await pad(alice, "kitchen", "Restart nginx.", title="Kitchen")
    (cell,) = await pad(alice, "deploy", "Restart nginx.", title="Deployment")

    assert (await scratch_hits(alice, "how to restart nginx in a deployment", mode="keyword"))[0] == ("deploy", cell)
