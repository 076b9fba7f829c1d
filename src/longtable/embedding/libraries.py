"""Opens a model and its tokenizer: with what is built in, or for other kinds with the libraries that know all of them.

Those are large, and Longtable does not install them: its own model needs neither.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from longtable.embedding.inference import Inference
from longtable.embedding.onnx_file import Array
from longtable.embedding.wordpiece import EncodedText, WordPiece


class LoadedModel(Protocol):
    inputs: tuple[str, ...]

    def run(self, feed: Mapping[str, Array]) -> Array: ...


class LoadedTokenizer(Protocol):
    def encode(self, text: str) -> EncodedText: ...

    def framed(self, ids: list[int]) -> list[int]: ...


def open_model(path: Path) -> LoadedModel:
    """Raises ValueError, with the remedy, where neither can."""
    try:
        return Inference(path)
    except ValueError as error:
        _require("onnxruntime", error)
        return _OnnxRuntimeModel(path)


def open_tokenizer(path: Path) -> LoadedTokenizer:
    """Raises ValueError, with the remedy, where neither can."""
    try:
        return WordPiece(path)
    except ValueError as error:
        _require("tokenizers", error)
        return _LibraryTokenizer(path)


def _require(library: str, error: ValueError) -> None:
    if find_spec(library) is None:
        raise ValueError(f"{error} Install {library} beside Longtable, which knows all kinds.") from error


class _OnnxRuntimeModel:
    """Imported where it is needed: it is not there with most installations."""

    def __init__(self, path: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # it brings no types

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.inputs = tuple(declared.name for declared in self._session.get_inputs())

    def run(self, feed: Mapping[str, Array]) -> Array:
        result: Array = self._session.run(None, {name: feed[name] for name in self.inputs})[0]
        return result


class _LibraryTokenizer:
    """Imported where it is needed: it is not there with most installations."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        # A file may set them, and ours are cut before.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def encode(self, text: str) -> EncodedText:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        words = encoding.word_ids
        begins = [index == 0 or word is None or word != words[index - 1] for index, word in enumerate(words)]
        return EncodedText(encoding.ids, [start for start, _ in encoding.offsets], begins)

    def framed(self, ids: list[int]) -> list[int]:
        bare = self._tokenizer.encode("a", add_special_tokens=False).ids
        full = self._tokenizer.encode("a").ids
        first = full.index(bare[0])
        return [*full[:first], *ids, *full[first + len(bare) :]]
