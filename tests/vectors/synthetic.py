"""Vectors made up for tests, and a model that makes them up: texts that share words are near each other."""

import random
import secrets
from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from longtable.embedding.chunks import EmbeddedChunk
from longtable.fulltext import index
from longtable.fulltext.index import SearchDocument
from longtable.kernel.errors import SearchUnavailable
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.vectors.query import Candidates
from longtable.vectors.store import Embedded, VectorStore, as_text, compact

MODEL = "made-up@1"
_SIZE = 384


def candidates(condition: str, **parameters: int) -> Candidates:
    sql = f"SELECT document_id FROM documents WHERE tenant = :tenant AND ({condition})"
    return Candidates(sql, parameters, f"{sql} AND document_id IN (SELECT value FROM json_each(:among))")


EVERYTHING = candidates("true")


def vector(seed: str, near: bytes | None = None, spread: float = 0.0) -> bytes:
    """Always the same for a seed; with `near` at a little distance from that."""
    chance = random.Random(seed)
    values = [chance.gauss(0, 1) for _ in range(_SIZE)]
    if near is not None:
        centre = array("f", near)
        values = [value + spread * other / _SIZE**0.5 for value, other in zip(centre, values, strict=True)]
    length = sum(value * value for value in values) ** 0.5
    return array("f", [value / length for value in values]).tobytes()


def vector_of(text: str) -> bytes:
    words = text.lower().split() or ["nothing"]
    values = [0.0] * _SIZE
    for word in words:
        for place, value in enumerate(array("f", vector(word))):
            values[place] += value
    length = sum(value * value for value in values) ** 0.5
    return array("f", [value / length for value in values]).tobytes()


@dataclass
class MadeUpModel:
    """Stands for the process with the model. It breaks down on a text with the word `poison`."""

    version: str | None = MODEL
    state: str = "ready"
    problem: str | None = None
    embedded: list[str] = field(default_factory=list)
    memory_bytes: int = 0

    def start(self) -> None: ...

    async def embed_query(self, text: str) -> bytes | None:
        return vector_of(text)

    async def embed_documents(self, texts: Sequence[str]) -> list[list[EmbeddedChunk]]:
        if any("poison" in text for text in texts):
            raise SearchUnavailable("The model broke down on this text, twice.")
        self.embedded += texts
        return [[EmbeddedChunk(0, len(text), vector_of(text))] if text else [] for text in texts]


@dataclass
class StoredVectors:
    """Puts documents with given vectors into a store."""

    database: Database
    store: VectorStore = field(init=False)

    def __post_init__(self) -> None:
        self.store = VectorStore(self.database)

    async def put(self, tenant: str, scope: str, vectors: Sequence[bytes], version: str = MODEL) -> list[int]:
        """One document for each vector; answers their numbers."""
        return await self.put_parts(tenant, scope, [[one] for one in vectors], version)

    async def add(self, tenant: str, document: SearchDocument, one: bytes) -> int:
        """A document with its words, as slices add it, and a vector."""
        await self.store.prepare()
        embedder = await self.store.register(MODEL)
        await self.database.write(tenant, lambda tx: index.add(tx, document))

        async def body(tx: Transaction) -> int:
            (number,) = await _numbers(tx, tenant, document.session_id, [document.ref])
            await self.store.save(tx, embedder, [Embedded(tenant, number, [EmbeddedChunk(0, 10, one)])])
            return number

        return await self.database.write(SYSTEM, body)

    async def put_parts(
        self, tenant: str, scope: str, documents: Sequence[Sequence[bytes]], version: str = MODEL
    ) -> list[int]:
        await self.store.prepare()
        embedder = await self.store.register(version)
        refs = [secrets.token_hex(8) for _ in documents]
        cast = ":vector" if self.database.dialect == "sqlite" else f"CAST(:vector AS {self.store.schema}.halfvec)"

        async def body(tx: Transaction) -> list[int]:
            numbers = await _insert(tx, tenant, scope, refs, embedder)
            await tx.execute_many(
                f"""INSERT INTO vectors (tenant, session_id, document_id, embedder, part, first, last, vector)
                    VALUES (:tenant, :scope, :document_id, :embedder, :part, :first, :last, {cast})""",
                [
                    {
                        "tenant": tenant,
                        "scope": scope,
                        "document_id": number,
                        "embedder": embedder,
                        "part": part,
                        "first": 10 * part,
                        "last": 10 * part + 10,
                        "vector": compact(one) if tx.dialect == "sqlite" else as_text(one),
                    }
                    for number, parts in zip(numbers, documents, strict=True)
                    for part, one in enumerate(parts)
                ],
            )
            return numbers

        return await self.database.write(SYSTEM, body)


async def _insert(tx: Transaction, tenant: str, scope: str, refs: Sequence[str], embedder: int) -> list[int]:
    columns, words = ("", "") if tx.dialect == "sqlite" else (", words", ", ''")
    await tx.execute_many(
        f"""INSERT INTO documents (tenant, kind, session_id, ref, embedded{columns})
            VALUES (:tenant, 'cell', :scope, :ref, :embedder{words})""",
        [{"tenant": tenant, "scope": scope, "ref": ref, "embedder": embedder} for ref in refs],
    )
    return await _numbers(tx, tenant, scope, refs)


async def _numbers(tx: Transaction, tenant: str, scope: str, refs: Sequence[str]) -> list[int]:
    rows = await tx.all(
        "SELECT document_id, ref FROM documents WHERE tenant = :tenant AND session_id = :scope",
        tenant=tenant,
        scope=scope,
    )
    numbers = {row["ref"]: int(row["document_id"]) for row in rows}
    return [numbers[ref] for ref in refs]


@asynccontextmanager
async def in_bulk(stored: StoredVectors) -> AsyncIterator[None]:
    """PostgreSQL: the index of the vectors is made after them, which is ten times quicker than with each of them."""
    if stored.database.dialect == "sqlite":
        yield
        return
    await stored.store.prepare()
    await stored.database.write(SYSTEM, lambda tx: tx.execute("DROP INDEX vectors_by_meaning"))
    yield
    create = f"CREATE INDEX vectors_by_meaning ON vectors USING hnsw (vector {stored.store.schema}.halfvec_cosine_ops)"
    await stored.database.write(SYSTEM, lambda tx: tx.execute(create))
