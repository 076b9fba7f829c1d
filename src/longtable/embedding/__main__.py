"""The model process. It loads, reports that, and answers one request after the other until its parent has ended."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from longtable.embedding import frames
from longtable.kernel.errors import SearchUnavailable

if TYPE_CHECKING:
    from longtable.embedding.embedder import Embedder

_NICE = 5
"""Requests of the server have priority over embedding."""


def main() -> None:
    answers = _own_output()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    try:
        # Here, so that the server gets the error of a library that cannot be loaded.
        from longtable.embedding.embedder import Embedder

        embedder = Embedder(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
        embedder.load()
    except SearchUnavailable as error:
        _send(answers, {"failed": error.message})
        return
    except ImportError as error:
        _send(answers, {"failed": f"A library of the model cannot be loaded: {error}"})
        return
    _send(answers, {"ready": embedder.version})
    while (request := frames.read(sys.stdin.buffer)) is not None:
        _send(answers, *_answer(embedder, request[0]))


def _answer(embedder: "Embedder", request: dict[str, Any]) -> frames.Frame:
    if "query" in request:
        return {}, embedder.embed([request["query"]]).astype("<f4").tobytes()
    if "ids" in request:
        return {}, embedder.embed_ids(request["ids"]).astype("<f4").tobytes()
    return {"chunks": [(chunk.start, chunk.end, chunk.ids) for chunk in embedder.chunks(request["cut"])]}, b""


def _own_output() -> BinaryIO:
    """Standard output for frames alone: what a library prints goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _send(answers: BinaryIO, message: dict[str, Any], body: bytes = b"") -> None:
    answers.write(frames.pack(message, body))
    answers.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
