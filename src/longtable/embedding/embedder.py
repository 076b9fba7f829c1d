"""The model itself: texts in, vectors out. Imported by the process of the model alone."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longtable.embedding.chunks import MAX_TOKENS, TokenChunk, batches, chunks_of, readable
from longtable.embedding.files import model_files
from longtable.embedding.libraries import LoadedModel, LoadedTokenizer, open_model, open_tokenizer
from longtable.kernel.errors import SearchUnavailable

DIMENSIONS = 384


class Embedder:
    """Uses one core where the environment of its process says so. The vector of a text does not depend on the other
    texts of its batch, and differs between machines only in the last digits. Not for several threads at once."""

    dimensions = DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        self._files = model_files(folder)
        self._model: LoadedModel | None = None
        self._tokenizer: LoadedTokenizer | None = None
        self.version = self._files.known_version() or self._files.name

    def available(self) -> str | None:
        """Why it cannot work, with the remedy, as far as that is known without loading."""
        return self._files.problem()

    def load(self) -> None:
        """Raises SearchUnavailable, with the remedy."""
        problem = self.available()
        if problem is not None:
            raise SearchUnavailable(problem)
        try:
            self._open()
            shape = self.embed(["A first text, to see that it works."]).shape
        except Exception as error:  # The libraries raise many kinds of errors for files that they cannot use.
            raise SearchUnavailable(f"The model in {self._files.model} cannot be used: {error}") from error
        if shape != (1, DIMENSIONS):
            raise SearchUnavailable(
                f"The model in {self._files.model} makes vectors of {shape[-1]} numbers.",
                hint=f"Take one that makes {DIMENSIONS}.",
            )
        self.version = self._files.version()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row for each text, of length 1. What exceeds 256 tokens is left out: cut long texts into chunks."""
        tokenizer = self._loaded()
        room = MAX_TOKENS - len(tokenizer.framed([]))
        return self.embed_ids([tokenizer.framed(tokenizer.encode(readable(text)).ids[:room]) for text in texts])

    def chunks(self, text: str) -> list[TokenChunk]:
        return chunks_of(text, self._loaded())

    def embed_ids(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        vectors = np.empty((len(ids), DIMENSIONS), np.float32)
        for batch in batches([len(row) for row in ids]):
            vectors[batch] = self._run([ids[index] for index in batch])
        return vectors

    def _run(self, rows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        assert self._model is not None, "load() comes first"
        longest = max(len(row) for row in rows)
        feed = {name: np.zeros((len(rows), longest), np.int64) for name in ("input_ids", "attention_mask")}
        for index, row in enumerate(rows):
            feed["input_ids"][index, : len(row)] = row
            feed["attention_mask"][index, : len(row)] = 1
        feed["token_type_ids"] = np.zeros_like(feed["input_ids"])
        hidden = self._model.run(feed)
        mask = feed["attention_mask"][:, :, None].astype(np.float32)
        mean = (hidden * mask).sum(axis=1) / mask.sum(axis=1)
        unit: NDArray[np.float32] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _open(self) -> None:
        assert self._files.model is not None, "available() has looked"
        self._model = open_model(self._files.model)
        self._tokenizer = open_tokenizer(self._files.tokenizer)

    def _loaded(self) -> LoadedTokenizer:
        assert self._tokenizer is not None, "load() comes first"
        return self._tokenizer
