"""Finds texts by words, by meaning or both, and reports which of them it was in the end."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from longtable.fulltext.snippet import MAX_SNIPPET, snippet, snippet_of_part
from longtable.fulltext.words import Query, parse_query
from longtable.kernel.errors import SearchUnavailable
from longtable.log.ledger import Ledger
from longtable.search import store
from longtable.search.fusion import Evidence, fuse, in_order, leaning
from longtable.search.keywords import LEAST, word_scores
from longtable.search.model import Mode
from longtable.search.store import PageRange, Reach
from longtable.storage.database import Row, Transaction
from longtable.vectors.query import Candidates, VectorMatch

MOST_COMPARED = 300
"""Texts that contain the words and are compared in full; of more, the store's own order picks these."""
MOST_NEAR = 100
TEXT_READ = 16_000
"""Characters of a text that count for its rank by words. What comes after them is found, too."""
_WHOLE = 2_000_000
LONGEST_LOADING = 20.0
_LOOK_AGAIN = 0.05


class NearestTexts(Protocol):
    async def find(
        self, tenant: str, scopes: Sequence[str], query: bytes, candidates: Candidates, limit: int
    ) -> list[VectorMatch]: ...


class SemanticSearch(Protocol):
    """The model and the vectors, which may be loading or missing."""

    @property
    def nearest(self) -> NearestTexts: ...

    @property
    def status(self) -> Literal["ready", "warming", "unavailable"]: ...

    @property
    def problem(self) -> str | None: ...

    @property
    def version(self) -> str | None: ...

    async def query(self, text: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class SearchRequest:
    text: str
    mode: Mode
    part: PageRange


@dataclass(frozen=True, slots=True)
class TextHit:
    """`row` has what the store knows about the text."""

    row: Row
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """Documents from the best on, after `skip` of them, `total` in all. `near` knows the best part of some."""

    scores: Sequence[tuple[int, float]]
    total: int
    near: dict[int, VectorMatch] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Findings:
    hits: list[TextHit]
    total: int
    mode: Mode
    warming: bool | None = None
    degraded: str | None = None


class Finder:
    def __init__(self, ledger: Ledger, meaning: SemanticSearch, max_hits: int) -> None:
        self._ledger = ledger
        self._meaning = meaning
        self.max_hits = max_hits

    @property
    def embedder(self) -> str | None:
        return self._meaning.version

    async def find(self, reach: Reach, request: SearchRequest) -> Findings:
        """Raises SearchUnavailable for a search by meaning alone that cannot be done."""
        reach = reach.narrowed()
        vector = await self._vector(request)
        searches = reach.kinds and request.text.strip()
        order = await self._order(reach, request, vector) if searches else RankedDocuments([], 0)
        hits = await self._hits(reach, request, order)
        if vector is not None or request.mode == "keyword":
            return Findings(hits, order.total, request.mode)
        if self._meaning.status == "unavailable":
            return Findings(hits, order.total, "keyword", degraded=f"By keyword only. {self._meaning.problem}")
        return Findings(hits, order.total, "keyword", warming=True)

    async def _vector(self, request: SearchRequest) -> bytes | None:
        if request.mode == "keyword":
            return None
        vector = await self._meaning.query(request.text)
        if request.mode == "semantic" and vector is None:
            vector = await self._vector_when_loaded(request.text)
        return vector

    async def _vector_when_loaded(self, text: str) -> bytes:
        """Waits for the model, which takes a second to load: a search by meaning alone has no results before."""
        ends = asyncio.get_running_loop().time() + LONGEST_LOADING
        while self._meaning.status != "unavailable" and asyncio.get_running_loop().time() < ends:
            await asyncio.sleep(_LOOK_AGAIN)
            vector = await self._meaning.query(text)
            if vector is not None:
                return vector
        problem = self._meaning.problem or "The model for search by meaning is still being loaded."
        raise SearchUnavailable(problem, hint="Mode 'keyword' works without it.")

    async def _order(self, reach: Reach, request: SearchRequest, vector: bytes | None) -> RankedDocuments:
        query = parse_query(request.text)
        if vector is None:
            return await self._by_words(reach, query, request.part)
        if request.mode == "semantic":
            return await self._by_meaning(reach, vector, request.part)
        return await self._by_both(reach, request, query, vector)

    async def _by_words(self, reach: Reach, query: Query, part: PageRange) -> RankedDocuments:
        if not query.terms:
            return RankedDocuments([], 0)

        async def body(tx: Transaction) -> RankedDocuments:
            order = await _words_order(tx, reach, query, part)
            return order if order.total else await _words_order(tx, reach, query.relaxed(), part)

        return await self._ledger.read(reach.caller, body)

    async def _by_meaning(self, reach: Reach, vector: bytes, part: PageRange) -> RankedDocuments:
        near = await self._near(reach, vector, None, max(MOST_NEAR, part.skip + part.limit))
        found = {one.document_id: one for one in near}
        scores = in_order({one.document_id: max(0.0, min(1.0, one.score)) for one in near if one.score > 0})
        return RankedDocuments(scores[part.skip : part.skip + part.limit], len(scores), found)

    async def _by_both(self, reach: Reach, request: SearchRequest, query: Query, vector: bytes) -> RankedDocuments:
        loose, part = query.relaxed(), request.part

        async def matching(tx: Transaction) -> list[int]:
            return (await _compared(tx, reach, loose))[0] if loose.terms else []

        matched = set(await self._ledger.read(reach.caller, matching))
        near = {one.document_id: one for one in await self._near(reach, vector, None, MOST_NEAR)}
        others = sorted(matched - near.keys())
        if others:
            near |= {one.document_id: one for one in await self._near(reach, vector, others, len(others))}
        documents = sorted(matched | near.keys())

        async def weigh(tx: Transaction) -> dict[int, Evidence]:
            rows = await store.read(tx, reach, documents, TEXT_READ)
            texts = [text_of(row) for row in rows.values()]
            words = word_scores(loose, texts)
            shown = _shown(list(rows), texts, words)
            return {
                document: Evidence(
                    shown.get(document, 0.0) if document in matched else score,
                    near[document].score if document in near else None,
                )
                for document, score in zip(rows, words, strict=True)
            }

        scores = in_order(fuse(query, await self._ledger.read(reach.caller, weigh)))
        return RankedDocuments(scores[part.skip : part.skip + part.limit], len(scores), near)

    async def _near(self, reach: Reach, vector: bytes, among: Sequence[int] | None, limit: int) -> list[VectorMatch]:
        candidates = replace(store.candidates(self._ledger.database.dialect, reach), among=among)
        return await self._meaning.nearest.find(reach.caller.tenant, reach.all_scopes, vector, candidates, limit)

    async def _hits(self, reach: Reach, request: SearchRequest, order: RankedDocuments) -> list[TextHit]:
        if not order.scores:
            return []
        documents = [document for document, _ in order.scores]
        rows = await self._ledger.read(reach.caller, lambda tx: store.read(tx, reach, documents, _WHOLE))
        query = parse_query(request.text)
        by_words = request.mode == "hybrid" and leaning(query) > 0.5
        hits = []
        for document, score in order.scores:
            if document in rows:
                row, near = rows[document], order.near.get(document)
                hits.append(TextHit(row, round(score, 6), _snippet(text_of(row), query, near, by_words)))
        return hits


async def _compared(tx: Transaction, reach: Reach, query: Query) -> tuple[list[int], bool]:
    """Documents that contain the words, and whether there are more."""
    found = await store.matching(tx, reach, query, MOST_COMPARED + 1)
    if len(found) <= MOST_COMPARED:
        return found, False
    return await store.best_matching(tx, reach, query, PageRange(MOST_COMPARED)), True


async def _words_order(tx: Transaction, reach: Reach, query: Query, part: PageRange) -> RankedDocuments:
    documents, has_more = await _compared(tx, reach, query)
    rows = await store.read(tx, reach, documents, TEXT_READ)
    texts = [text_of(row) for row in rows.values()]
    words = word_scores(query, texts)
    scores = list(in_order(_shown(list(rows), texts, words)))
    chosen = scores[part.skip : part.skip + part.limit]
    if not has_more:
        return RankedDocuments(chosen, len(scores))
    if len(chosen) < part.limit:
        rest = PageRange(part.limit - len(chosen), len(documents) + max(0, part.skip - len(scores)))
        chosen += [(document, LEAST) for document in await store.best_matching(tx, reach, query, rest)]
    return RankedDocuments(chosen, await store.count_matching(tx, reach, query) - len(documents) + len(scores))


def _shown(documents: Sequence[int], texts: Sequence[str], words: Sequence[float]) -> dict[int, float]:
    """Without false matches of the stemmed index, which contain none of the words."""
    return {
        document: max(score, LEAST)
        for document, text, score in zip(documents, texts, words, strict=True)
        if score > 0 or len(text) >= TEXT_READ
    }


def text_of(row: Row) -> str:
    """The text as it was indexed and embedded."""
    if row["kind"] == "scratchpad":
        return "\n".join(row[name] for name in ("title", "description", "summary") if row[name])
    return f"{row['title']}\n{row['content']}" if row["kind"] == "section" else str(row["content"])


def _snippet(text: str, query: Query, near: VectorMatch | None, by_words: bool) -> str:
    if len(text) <= MAX_SNIPPET:
        return text
    if near is None or by_words:
        return snippet(text, query)
    return snippet_of_part(text, near.first, near.last, query)
