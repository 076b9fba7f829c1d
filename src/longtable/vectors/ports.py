"""What this package needs of the model, which runs elsewhere."""

from collections.abc import Sequence
from typing import Protocol

from longtable.embedding.chunks import EmbeddedChunk


class TextEmbedder(Protocol):
    @property
    def state(self) -> str:
        """One of off, idle, loading, ready and failed."""

    @property
    def problem(self) -> str | None:
        """Why there are no vectors, with the remedy, when the state is `off` or `failed`."""

    @property
    def version(self) -> str | None:
        """Name and digest of the model, once they are known."""

    @property
    def memory_bytes(self) -> int:
        """What the process of the model occupies."""

    def start(self) -> None:
        """Begins to load the model if it is not loaded; after a failure not within a minute."""

    async def embed_query(self, text: str) -> bytes | None:
        """None while the model is not ready, which begins to load it. Raises SearchUnavailable."""

    async def embed_documents(self, texts: Sequence[str]) -> list[list[EmbeddedChunk]]:
        """The chunks of each text. Waits until the model is loaded. Raises SearchUnavailable."""
