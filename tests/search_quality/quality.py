"""A set of questions about texts such as agents write, and how well a way to search answers them.

Each question is about one text. Paraphrases share hardly a word with it, while other texts share several; names have
siblings that look almost the same. The first questions were there when the weights were chosen, by every second of
them; the last ones were written afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.table import Agent

GROUPS = ("paraphrase", "ordinary", "identifier")
Key = tuple[str, str | int]
MODES = ("keyword", "semantic", "hybrid")
PARTS = ("tuning", "checking", "fresh")
RECIPROCAL_RANKS = "reciprocal ranks"
"""Not a mode of ours: the sum of one over 60 and the place in each of the two orders, for comparison."""

_FRESH_FROM = 78
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class QualityQuery:
    group: str
    about: str
    text: str
    part: str


def _queries() -> list[QualityQuery]:
    lines = (_FOLDER / "queries.txt").read_text(encoding="utf-8").splitlines()
    queries = []
    for number, line in enumerate(lines):
        group, about, text = line.split(" ", 2)
        assert group in GROUPS
        queries.append(QualityQuery(group, about, text, "fresh" if number >= _FRESH_FROM else PARTS[number % 2]))
    return queries


QUERIES = _queries()


async def read_corpus(agent: Agent) -> dict[Key, str]:
    """Writes all texts, as notes, messages and cells; by kind and id, which of them each is."""
    await agent.calls("scratch_create", scratch_id="corpus")
    names: dict[Key, str] = {}
    for line in (_FOLDER / "corpus.txt").read_text(encoding="utf-8").splitlines():
        name, kind, text = line.split(" ", 2)
        names[await _writes(agent, kind, text.replace("\\n", "\n"))] = name
    return names


async def _writes(agent: Agent, kind: str, text: str) -> Key:
    if kind == "note":
        return "note", await agent.adds_note(text)
    if kind == "message":
        return "message", (await agent.calls("add_message", content=text))["message_id"]
    cell = {"language": kind, "content": text}
    pad = (await agent.calls("scratch_append_cell", scratch_id="corpus", cell=cell))["scratchpad"]
    return "cell", pad["cells"][-1]["cell_id"]


@dataclass(frozen=True)
class Ranks:
    """For each question and mode one over the place of its text among the hits, or 0."""

    reciprocal: Mapping[tuple[str, str], float]

    def mean(self, queries: Sequence[QualityQuery], mode: str) -> float:
        return sum(self.reciprocal[one.text, mode] for one in queries) / len(queries)

    def means(self, queries: Sequence[QualityQuery]) -> dict[str, float]:
        return {mode: self.mean(queries, mode) for mode in MODES}


async def ask_all(agent: Agent, names: Mapping[Key, str]) -> Ranks:
    reciprocal: dict[tuple[str, str], float] = {}
    for query in QUERIES:
        orders: dict[str, list[Key]] = {}
        for mode in MODES:
            arguments = {"query": query.text, "mode": mode, "limit": "100"}
            answer = (await agent.client.get("/search", params=arguments)).json()
            assert answer["mode"] == mode
            orders[mode] = [(hit["kind"], hit["id"]) for hit in answer["hits"] if hit["kind"] != "scratchpad"]
        orders[RECIPROCAL_RANKS] = _by_reciprocal_ranks(orders["keyword"], orders["semantic"])
        for way, order in orders.items():
            hits = [names[key] for key in order]
            reciprocal[query.text, way] = 1 / (hits.index(query.about) + 1) if query.about in hits else 0.0
    return Ranks(reciprocal)


def _by_reciprocal_ranks(*orders: Sequence[Key]) -> list[Key]:
    scores: dict[Key, float] = {}
    for order in orders:
        for place, key in enumerate(order, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (60 + place)
    return sorted(scores, key=lambda key: -scores[key])
