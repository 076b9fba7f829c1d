"""Finds texts by words, by meaning or both, and reports which of them it was in the end."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from longtable.fulltext import waiting
from longtable.fulltext.notices import SearchNotices
from longtable.fulltext.snippet import MAX_SNIPPET, snippet, snippet_of_part
from longtable.fulltext.words import NO_WORDS, Query, parse_query
from longtable.kernel.errors import SearchUnavailable
from longtable.log.ledger import Ledger
from longtable.search import store
from longtable.search.fusion import Evidence, fuse, in_fused_order, in_order, leaning
from longtable.search.keywords import LEAST, word_scores
from longtable.search.model import Mode
from longtable.search.store import PageRange, Reach
from longtable.search.word_search import MOST_COMPARED, TEXT_READ, find_any_spelling, find_words, respelt, text_of
from longtable.storage.database import Row, Transaction
from longtable.vectors.query import Candidates, VectorMatch
from longtable.vectors.word_indexer import WordIndexer

MOST_NEAR = 100
MOST_WAITING = 1_000
"""Texts that are counted as not indexed or not embedded yet."""
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
    """Documents, the best first, without the first `skip`; `total` in all, or more. `near` has the best part of some.
    `query` is what was searched in the end, with other spellings if `corrected`."""

    scores: Sequence[tuple[int, float]]
    total: int
    near: dict[int, VectorMatch] = field(default_factory=dict)
    query: Query = NO_WORDS
    corrected: dict[str, str] = field(default_factory=dict)
    more: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    hits: list[TextHit]
    total: int
    mode: Mode
    notices: SearchNotices
    more: bool = False


class Finder:
    def __init__(self, ledger: Ledger, words: WordIndexer, meaning: SemanticSearch, max_hits: int) -> None:
        self._ledger = ledger
        self._words = words
        self._meaning = meaning
        self.max_hits = max_hits

    @property
    def embedder(self) -> str | None:
        return self._meaning.version

    async def find(self, reach: Reach, request: SearchRequest) -> Findings:
        """Raises SearchUnavailable for a search by meaning alone that cannot be done."""
        reach = reach.narrowed()
        vector = await self._vector(request)
        # Before the search: what is indexed in between is found, or counted as missing.
        missing = await self._missing(reach, request) if reach.kinds else (0, 0)
        # Of a query without a word, such as an emoji, the model makes noise.
        searches = reach.kinds and parse_query(request.text).terms
        order = await self._order(reach, request, vector) if searches else RankedDocuments([], 0)
        hits = await self._hits(reach, request, order)
        mode: Mode = request.mode if vector is not None else "keyword"
        bound = request.part.counted
        total, more = (bound, True) if 0 < bound < order.total else (order.total, order.more)
        return Findings(hits, total, mode, self._notices(request, mode, order, missing), more)

    async def _missing(self, reach: Reach, request: SearchRequest) -> tuple[int, int]:
        """How many texts within reach have no words, and how many no vector yet."""

        is_complete = await self._words.is_complete(reach.caller.tenant)

        async def body(tx: Transaction) -> tuple[int, int]:
            indexing = await store.unfilled(tx, reach, MOST_WAITING)
            if not is_complete:
                indexing = min(indexing + await waiting.count(tx, MOST_WAITING), MOST_WAITING)
            return indexing, await store.unembedded(tx, reach, MOST_WAITING) if self._has_vectors(request) else 0

        return await self._ledger.read(reach.caller, body)

    def _notices(
        self, request: SearchRequest, mode: Mode, order: RankedDocuments, missing: tuple[int, int]
    ) -> SearchNotices:
        """What the caller should know of how the search was done, and of what it could not find yet."""
        indexing, pending = missing
        notices = SearchNotices(corrected=order.corrected or None, indexing=indexing or None, pending=pending or None)
        if mode == request.mode:
            return notices
        has_vectors = self._has_vectors(request)
        problem = None if has_vectors else f"By keyword only. {self._meaning.problem}"
        return notices.model_copy(update={"warming": has_vectors or None, "degraded": problem})

    def _has_vectors(self, request: SearchRequest) -> bool:
        return request.mode != "keyword" and self._meaning.status != "unavailable"

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

        return await self._ledger.read(reach.caller, lambda tx: _words_order(tx, reach, query, part))

    async def _by_meaning(self, reach: Reach, vector: bytes, part: PageRange) -> RankedDocuments:
        near = await self._near(reach, vector, max(MOST_NEAR, part.skip + part.limit))
        found = {one.document_id: one for one in near}
        scores = in_order({one.document_id: max(0.0, min(1.0, one.score)) for one in near if one.score > 0})
        return RankedDocuments(scores[part.skip : part.skip + part.limit], len(scores), found)

    async def _by_both(self, reach: Reach, request: SearchRequest, query: Query, vector: bytes) -> RankedDocuments:
        part = request.part
        words = await self._ledger.read(reach.caller, lambda tx: find_any_spelling(tx, reach, query))
        loose, matched = words.query, set(words.compared)
        near = await self._nearest(reach, vector, matched)
        if words.corrected:
            meant = await self._meaning.query(respelt(request.text, words.corrected))
            near = near if meant is None else _nearer(near, await self._nearest(reach, meant, matched))
        documents = sorted(matched | near.keys())

        async def weigh(tx: Transaction) -> dict[int, Evidence]:
            texts = await store.read_ranked(tx, reach, documents, TEXT_READ)
            scores = word_scores(loose, list(texts.values()))
            shown = _shown(texts, scores)
            return {
                document: Evidence(
                    shown.get(document, 0.0) if document in matched else score,
                    near[document].score if document in near else None,
                )
                for document, score in zip(texts, scores, strict=True)
            }

        evidence = await self._ledger.read(reach.caller, weigh)
        order = in_fused_order(fuse(query, evidence), evidence)
        chosen = order[part.skip : part.skip + part.limit]
        return RankedDocuments(chosen, len(order), near, loose, dict(words.corrected), bool(words.others))

    async def _nearest(self, reach: Reach, vector: bytes, also: Collection[int]) -> dict[int, VectorMatch]:
        return {one.document_id: one for one in await self._near(reach, vector, MOST_NEAR, sorted(also))}

    async def _near(self, reach: Reach, vector: bytes, limit: int, also: Sequence[int] = ()) -> list[VectorMatch]:
        candidates = replace(store.candidates(self._ledger.database.dialect, reach), also=also)
        return await self._meaning.nearest.find(reach.caller.tenant, reach.all_scopes, vector, candidates, limit)

    async def _hits(self, reach: Reach, request: SearchRequest, order: RankedDocuments) -> list[TextHit]:
        if not order.scores:
            return []
        documents = [document for document, _ in order.scores]
        rows = await self._ledger.read(reach.caller, lambda tx: store.read(tx, reach, documents, _WHOLE))
        query = order.query if order.query.terms else parse_query(request.text)
        by_words = request.mode == "hybrid" and leaning(query) > 0.5
        hits = []
        for document, score in order.scores:
            if document in rows:
                row, near = rows[document], order.near.get(document)
                hits.append(TextHit(row, round(score, 6), _snippet(text_of(row), query, near, by_words)))
        return hits


async def _words_order(tx: Transaction, reach: Reach, query: Query, part: PageRange) -> RankedDocuments:
    most = max(part.counted, part.skip + part.limit) + MOST_COMPARED
    found = await find_words(tx, reach, query, most)
    texts = await store.read_ranked(tx, reach, found.compared, TEXT_READ)
    scores = [*in_order(_shown(texts, word_scores(found.query, list(texts.values()))))]
    scores += [(document, LEAST) for document in found.others]
    chosen = scores[part.skip : part.skip + part.limit]
    return RankedDocuments(chosen, len(scores), query=found.query, corrected=dict(found.corrected))


def _nearer(one: Mapping[int, VectorMatch], other: Mapping[int, VectorMatch]) -> dict[int, VectorMatch]:
    """Of each text the better match."""
    matches = sorted([*one.values(), *other.values()], key=lambda match: match.score)
    return {match.document_id: match for match in matches}


def _shown(texts: Mapping[int, str], words: Sequence[float]) -> dict[int, float]:
    """Without false matches of the stemmed index, which contain none of the words."""
    return {
        document: max(score, LEAST)
        for (document, text), score in zip(texts.items(), words, strict=True)
        if score > 0 or len(text) >= TEXT_READ
    }


def _snippet(text: str, query: Query, near: VectorMatch | None, by_words: bool) -> str:
    if len(text) <= MAX_SNIPPET:
        return text
    if near is None or by_words:
        return snippet(text, query)
    return snippet_of_part(text, near.first, near.last, query)
