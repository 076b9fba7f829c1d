"""The vectors are those of all-MiniLM-L6-v2, whatever they are computed with. See scripts/reference_vectors.py."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtable.embedding.embedder import Embedder
from longtable.kernel.errors import SearchUnavailable

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "reference.json").read_text("utf-8"))
TEXTS: list[str] = REFERENCE["texts"]


def cosine(one: Any, other: Any) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.mark.parametrize("place", range(len(TEXTS)), ids=lambda place: repr(TEXTS[place][:30]))
def test_each_vector_is_that_of_the_published_model(embedder: Embedder, place: int) -> None:
    reference = np.frombuffer(base64.b64decode(REFERENCE["vectors"][place]), "<f2").astype(np.float32)

    vector = embedder.embed([TEXTS[place]])[0]

    assert cosine(vector, reference) >= 0.99


@pytest.mark.slow
def test_a_text_has_the_same_vector_in_any_company_and_order(embedder: Embedder) -> None:
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]

    assert min(cosine(one, other) for one, other in zip(alone, together, strict=True)) >= 0.9999
    assert min(cosine(one, other) for one, other in zip(alone, backwards, strict=True)) >= 0.9999


def test_the_same_text_gives_the_same_bytes(embedder: Embedder) -> None:
    first, second = embedder.embed(TEXTS[:8]), embedder.embed(TEXTS[:8])

    assert first.tobytes() == second.tobytes()


def test_a_vector_has_384_numbers_and_the_length_1(embedder: Embedder) -> None:
    vectors = embedder.embed([*TEXTS[:8], ""])

    assert (str(vectors.dtype), vectors.shape) == ("float32", (9, 384))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_nothing_gives_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


@pytest.mark.parametrize(
    ("query", "meant", "unrelated"),
    [
        ("out of disk", "No space was left on the volume.", "My cat sleeps on the windowsill."),
        ("who signed off on the invoice change?", "The new billing rules were approved by Ada.", "The disk is full."),
        ("the meeting was moved", "We will gather on Thursday instead of Monday.", "Boil potatoes for twenty minutes."),
    ],
)
def test_a_text_that_means_the_same_is_nearer_than_one_that_does_not(
    embedder: Embedder, query: str, meant: str, unrelated: str
) -> None:
    query_vector, near, far = embedder.embed([query, meant, unrelated])

    assert cosine(query_vector, near) > cosine(query_vector, far) + 0.1


def test_a_lone_surrogate_is_only_an_unknown_character(embedder: Embedder) -> None:
    assert embedder.embed(["broken \ud800 text"]).shape == (1, 384)


def test_a_file_that_is_no_model_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")

    assert Embedder(tmp_path).available() is None
    with pytest.raises(SearchUnavailable, match=r"model\.onnx cannot be used"):
        Embedder(tmp_path).load()


def test_without_files_it_is_said_before_loading(tmp_path: Path) -> None:
    embedder = Embedder(tmp_path / "nowhere")

    assert "model.onnx is missing" in (embedder.available() or "")
    with pytest.raises(SearchUnavailable, match=r"needs model\.onnx and tokenizer\.json"):
        embedder.load()
