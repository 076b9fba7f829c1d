"""Search by meaning as the rest of the program sees it: a vector for a query, the nearest texts, or why not."""

from typing import Literal

from longtable.kernel.errors import SearchUnavailable
from longtable.vectors.nearest import Nearest
from longtable.vectors.ports import TextEmbedder

Status = Literal["ready", "warming", "unavailable"]


class VectorSearch:
    def __init__(self, worker: TextEmbedder, nearest: Nearest) -> None:
        self.worker = worker
        self.nearest = nearest

    @property
    def status(self) -> Status:
        """Ask after `query`, which begins to load what is not loaded yet."""
        if self.problem is not None:
            return "unavailable"
        return "ready" if self.worker.state == "ready" else "warming"

    @property
    def problem(self) -> str | None:
        """Why nothing is found by meaning, with the remedy, when the status is `unavailable`."""
        return self.worker.problem or self.nearest.problem

    @property
    def version(self) -> str | None:
        """Name and digest of the model, once it is known."""
        return self.worker.version

    async def query(self, text: str) -> bytes | None:
        """The vector of a query, or None: `status` then says whether to wait or to do without. Never raises."""
        if self.worker.problem is None and not await self.nearest.available():
            return None
        try:
            return await self.worker.embed_query(text)
        except SearchUnavailable:
            return None
