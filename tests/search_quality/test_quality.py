"""Hybrid search never loses to words or meaning alone on their home ground, and beats both over all.

`pytest tests/search_quality -s` prints the table of the decision record."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from tests.schemas import PostgresLogin, administer
from tests.search_quality.quality import (
    MODES,
    PARTS,
    QUERIES,
    RECIPROCAL_RANKS,
    QualityQuery,
    Ranks,
    ask_all,
    read_corpus,
)
from tests.stores import Store, anyio_backend, login, postgres, store
from tests.table import open_table
from tests.vectors.conftest import WITH_VECTORS

__all__ = ["anyio_backend", "login", "postgres", "store"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PROSE = [asked for asked in QUERIES if asked.group != "identifier"]
NAMES = [asked for asked in QUERIES if asked.group == "identifier"]
EVEN_IF_ROUNDED = 1e-9


@pytest.fixture
async def ranks(store: Store, login: PostgresLogin | None, tmp_path: Path) -> AsyncIterator[Ranks]:
    if login is not None:
        await administer(login.admin_url, WITH_VECTORS)
    async with open_table(store, tmp_path, enable_semantic_search="true") as table:
        agent = table.agent("ann", await table.session("sess_one"))
        names = await read_corpus(agent)
        await table.app.slices.indexer.drain(lambda _: None)
        ranks = await ask_all(agent, names)
        _print(ranks)
        yield ranks


async def test_hybrid_loses_to_neither_mode_and_beats_both_over_all(ranks: Ranks) -> None:
    for asked in (PROSE, NAMES, *(_part(half, part) for half in (PROSE, NAMES) for part in PARTS)):
        means = ranks.means(asked)
        assert means["hybrid"] >= max(means["keyword"], means["semantic"]) - EVEN_IF_ROUNDED, means
    for asked in (QUERIES, *(_part(QUERIES, part) for part in PARTS)):
        means = ranks.means(asked)
        assert means["hybrid"] > max(means["keyword"], means["semantic"]), means
    assert ranks.mean(NAMES, "keyword") > 0.95, "what is written is found as it is written"


def test_the_set_is_as_large_as_it_claims() -> None:
    groups = [asked.group for asked in QUERIES]
    corpus = (Path(__file__).parent / "corpus.txt").read_text(encoding="utf-8").splitlines()
    names = [line.split(" ", 1)[0] for line in corpus]

    assert min(groups.count("paraphrase") - 24, groups.count("ordinary") - 20, groups.count("identifier") - 20) >= 0
    assert names.count("D") >= 150
    assert {asked.about for asked in QUERIES} <= set(names)


def _part(asked: Sequence[QualityQuery], part: str) -> list[QualityQuery]:
    return [one for one in asked if one.part == part]


def _print(ranks: Ranks) -> None:
    """Mean reciprocal ranks, as a Markdown table."""
    rows = {
        "paraphrases": [asked for asked in QUERIES if asked.group == "paraphrase"],
        "ordinary questions": [asked for asked in QUERIES if asked.group == "ordinary"],
        "prose (both)": PROSE,
        "names and quotes": NAMES,
        "all": QUERIES,
        **{f"all, {part}": _part(QUERIES, part) for part in PARTS},
    }
    ways = (*MODES, RECIPROCAL_RANKS)
    print(f"\n| | queries | {' | '.join(ways)} |\n| --- |{' --- |' * (len(ways) + 1)}")
    for title, asked in rows.items():
        print(f"| {title} | {len(asked)} | {' | '.join(f'{ranks.mean(asked, way):.3f}' for way in ways)} |")
