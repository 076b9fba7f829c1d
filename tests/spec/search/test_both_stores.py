"""The same texts on both stores: the same hits, with the same scores, in the same order."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.search_quality.quality import QUERIES, read_corpus
from tests.spec.search.reading import pad, searches
from tests.stores import STORES, Store
from tests.table import Agent, open_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not {"sqlite", "postgresql"} <= set(STORES), reason="compares both stores"),
]

_LISTED = """
foo bar foo_bar ERR-42 42 3.14 v2 src/app/main.py a.b.c naïve café Straße 日本語 مرحبا ½ the running runs organization
e-mail user@host AND NOT NEAR --flag 123abc abc123 0x1F İstanbul 한국어 हिन्दी ไทย 9f3c2ab 2024-01-01 10.20.30.41 a1-b2
日本語の検索エンジン 検索 サーバー 々 東京都 京都 𠮷野家 ภาษาไทย ไท 検索engine
หมี่ ใหม่ น้ำมัน ຂໍ້ມູນ ភាសាខ្មែរ မြန်မာစာ
007 generated generator __init__ VIII x² H₂O 1_000
"""
PIECES = _LISTED.split()


@pytest.fixture
async def pair(replicated: Store, tmp_path: Path) -> AsyncIterator[list[Agent]]:
    """An agent at a table on each store."""
    embedded = Store("sqlite", str(tmp_path / "embedded" / "longtable.db"))
    async with AsyncExitStack() as stack:
        agents = []
        for place in (embedded, replicated):
            table = await stack.enter_async_context(open_table(place, tmp_path))
            agents.append(table.agent("ann", await table.session("sess_one")))
        yield agents


async def found(agent: Agent, query: str) -> list[tuple[Any, ...]]:
    """Cells have ids of their own on each store, so a hit is known by its text."""
    hits = (await searches(agent, query=query, mode="keyword", limit=100))["hits"]
    return [(hit["kind"], hit["snippet"], hit["score"]) for hit in hits]


async def test_the_quality_set_is_found_alike(pair: list[Agent]) -> None:
    for agent in pair:
        await read_corpus(agent)

    differing = [
        asked.text for asked in QUERIES if await found(pair[0], asked.text) != await found(pair[1], asked.text)
    ]

    assert differing == []


async def test_names_numbers_and_scripts_are_found_alike(pair: list[Agent]) -> None:
    chance = random.Random(7)
    texts = [" ".join(chance.choices(PIECES, k=chance.randint(1, 6))) for _ in range(80)]
    queries = [*PIECES, *(" ".join(chance.choices(PIECES, k=3)) for _ in range(60))]
    for agent in pair:
        for text in texts:
            await agent.adds_note(text)

    differing = [query for query in queries if await found(pair[0], query) != await found(pair[1], query)]

    assert differing == []


async def test_a_short_text_comes_first_among_hundreds_of_long_ones(pair: list[Agent]) -> None:
    for agent in pair:
        await pad(agent, "long", *(f"harbour {'boat ' * 40} {number}" for number in range(350)))
        await pad(agent, "short", "the harbour")

    first = [(await found(agent, "harbour"))[0] for agent in pair]

    assert [text for _, text, _ in first] == ["the harbour"] * 2
    assert first[0] == first[1]
