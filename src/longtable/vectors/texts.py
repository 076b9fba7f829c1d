"""What a slice declares about its texts, so that they can be indexed, embedded, and indexed again."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from longtable.fulltext.index import DocumentKey, SearchDocument
from longtable.storage.database import Transaction

ReadDocuments = Callable[[Transaction, str, Sequence[str]], Awaitable[Mapping[str, SearchDocument]]]


@dataclass(frozen=True, slots=True)
class IndexedTexts:
    """The texts of one kind. `read` takes a session and refs in it and returns by ref what is indexed of each, without
    those that belong in no index; `refs` is SQL that yields `session_id` and `ref` of all that may. In a tenant's
    scope."""

    read: ReadDocuments
    refs: str


async def read_documents(
    tx: Transaction, texts: Mapping[str, IndexedTexts], keys: Sequence[DocumentKey]
) -> dict[DocumentKey, SearchDocument]:
    """Those of the documents that belong in the index."""
    refs: dict[tuple[str, str], list[str]] = {}
    for kind, session_id, ref in keys:
        refs.setdefault((kind, session_id), []).append(ref)
    found: dict[DocumentKey, SearchDocument] = {}
    for (kind, session_id), some in refs.items():
        documents = await texts[kind].read(tx, session_id, some) if kind in texts else {}
        found |= {DocumentKey(kind, session_id, ref): document for ref, document in documents.items()}
    return found
