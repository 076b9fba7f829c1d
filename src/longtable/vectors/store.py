"""What the store needs for vectors, and which models have embedded its texts."""

import asyncio
import struct
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from longtable.embedding.chunks import EmbeddedChunk
from longtable.kernel.logs import logger
from longtable.storage.database import SYSTEM, Database, Transaction

DIMENSIONS: Final = 384
COMPACT_BYTES: Final = 4 + DIMENSIONS
"""A vector in SQLite: a scale, then each number as a byte. Earlier versions stored floats, which are read, too."""
_RETRY_SECONDS: Final = 60.0
_OLDEST: Final = (0, 8)
ABSENT: Final = "PostgreSQL has no extension vector (pgvector 0.8 or newer), so texts are found by keyword only."
REMEDY: Final = "Install it, and let an administrator run CREATE EXTENSION vector in this database."
# Quietly: a login without the right to, or a server without the files, is no fault. Not in our own schema: the
# extension belongs to the whole database, and must not go with one store of several.
_CREATE: Final = """
DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
EXCEPTION WHEN OTHERS THEN NULL;
END $$"""
_EXTENSION: Final = """
SELECT quote_ident(nspname) AS schema, extversion AS version
FROM pg_catalog.pg_extension JOIN pg_catalog.pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'"""
_COLUMN: Final = """
SELECT 1 AS there FROM pg_catalog.pg_attribute
WHERE attrelid = to_regclass('vectors') AND attname = 'vector' AND NOT attisdropped"""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A document as it was taken from the queue, and its chunks; none if it holds no words."""

    tenant: str
    document_id: int
    chunks: Sequence[EmbeddedChunk]


class VectorStore:
    """SQLite can always keep vectors. PostgreSQL needs pgvector, which may be installed later."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.problem: str | None = None
        self.schema = ""
        """PostgreSQL: where the extension's types and operators are, quoted."""
        self._is_prepared = database.dialect == "sqlite"
        self._tried_at: float | None = None
        self._trying = asyncio.Lock()
        self._embedders: dict[str, int] = {}

    async def prepare(self) -> bool:
        """Whether the store can keep vectors. If not, it is tried again, at most once a minute."""
        if self._is_prepared:
            return True
        # A call during an attempt waits for its result, instead of taking it for a failure.
        async with self._trying:
            if self._tried_at is None or time.monotonic() - self._tried_at >= _RETRY_SECONDS:
                await self._set_up()
        return self._is_prepared

    async def embedder(self, version: str) -> int | None:
        """The number of a model, if it has embedded anything here."""
        if version not in self._embedders:
            found = await self.database.read(SYSTEM, lambda tx: _embedder(tx, version))
            if found is None:
                return None
            self._embedders[version] = found
        return self._embedders[version]

    async def register(self, version: str) -> int:
        known = await self.embedder(version)
        return known if known is not None else await self.database.write(SYSTEM, lambda tx: _register(tx, version))

    async def save(self, tx: Transaction, embedder: int, texts: Iterable[Embedded]) -> None:
        """Replaces the vectors of each document that still waits; done in SYSTEM scope. A document that is being
        changed is skipped, so that no write waits for this."""
        lock = "FOR UPDATE SKIP LOCKED" if tx.dialect == "postgres" else ""
        for text in texts:
            key = {"tenant": text.tenant, "document_id": text.document_id}
            waits = await tx.first(
                f"""SELECT session_id FROM documents
                    WHERE tenant = :tenant AND document_id = :document_id AND embedded IS NULL {lock}""",
                **key,
            )
            if waits is not None:
                await self._replace(tx, key | {"session_id": waits["session_id"]}, embedder, text.chunks)

    async def _set_up(self) -> None:
        schema = await self.database.write(SYSTEM, _prepare)
        self._tried_at = time.monotonic()
        if schema is not None:
            self.schema, self.problem, self._is_prepared = schema, None, True
            return
        if self.problem is None:
            await asyncio.to_thread(partial(logger.warning, "vectors_unavailable", reason=f"{ABSENT} {REMEDY}"))
        self.problem = f"{ABSENT} {REMEDY}"

    async def _replace(
        self, tx: Transaction, key: dict[str, Any], embedder: int, chunks: Sequence[EmbeddedChunk]
    ) -> None:
        document = {name: key[name] for name in ("tenant", "document_id")}
        await tx.execute("DELETE FROM vectors WHERE tenant = :tenant AND document_id = :document_id", **document)
        vector = ":vector" if tx.dialect == "sqlite" else f"CAST(:vector AS {self.schema}.halfvec)"
        if chunks:
            await tx.execute_many(
                f"""INSERT INTO vectors (tenant, session_id, document_id, embedder, part, first, last, vector)
                    VALUES (:tenant, :session_id, :document_id, :embedder, :part, :first, :last, {vector})""",
                [key | _row(tx, embedder, part, chunk) for part, chunk in enumerate(chunks)],
            )
        await tx.execute(
            "UPDATE documents SET embedded = :embedder WHERE tenant = :tenant AND document_id = :document_id",
            embedder=embedder,
            **document,
        )


def compact(vector: bytes) -> bytes:
    """As SQLite stores it: a quarter of the size, and cosines differ by about a thousandth."""
    values = array("f", vector)
    scale = max(map(abs, values)) / 127 or 1.0
    return struct.pack("<f", scale) + array("b", [round(value / scale) for value in values]).tobytes()


def as_text(vector: bytes) -> str:
    """As pgvector reads it. Five digits are more than its half precision keeps."""
    return "[" + ",".join(f"{value:.5g}" for value in array("f", vector)) + "]"


def _row(tx: Transaction, embedder: int, part: int, chunk: EmbeddedChunk) -> dict[str, Any]:
    vector = compact(chunk.vector) if tx.dialect == "sqlite" else as_text(chunk.vector)
    return {"embedder": embedder, "part": part, "first": chunk.first, "last": chunk.last, "vector": vector}


def has_vectors(version: str) -> bool:
    """Whether this version of pgvector will do."""
    return tuple(int(part) for part in version.split(".")[:2]) >= _OLDEST


async def _prepare(tx: Transaction) -> str | None:
    """PostgreSQL: the schema of the extension, after which the table can keep vectors; None without it."""
    found = await tx.first(_EXTENSION)
    if found is None:
        await tx.execute(_CREATE)
        found = await tx.first(_EXTENSION)
    if found is None or not has_vectors(found["version"]):
        return None
    schema = str(found["schema"])
    if await tx.first(_COLUMN) is None:
        await tx.execute(f"ALTER TABLE vectors ADD COLUMN vector {schema}.halfvec({DIMENSIONS}) NOT NULL")
        # While the table is empty: later it would block all writes for as long as it takes.
        await tx.execute(f"CREATE INDEX vectors_by_meaning ON vectors USING hnsw (vector {schema}.halfvec_cosine_ops)")
    return schema


async def _embedder(tx: Transaction, version: str) -> int | None:
    row = await tx.first("SELECT embedder FROM embedders WHERE version = :version", version=version)
    return int(row["embedder"]) if row else None


async def _register(tx: Transaction, version: str) -> int:
    # Writes in SYSTEM scope come one after the other, so no number is given twice.
    await tx.execute(
        """INSERT INTO embedders (embedder, version)
           SELECT COALESCE(MAX(embedder), 0) + 1, CAST(:version AS TEXT) FROM embedders WHERE true
           ON CONFLICT (version) DO NOTHING""",
        version=version,
    )
    found = await _embedder(tx, version)
    assert found is not None
    return found
