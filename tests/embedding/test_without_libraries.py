"""The model runs on numpy alone, and its tokenizer is ours: both give what the libraries give that they replace."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it brings no types
import pytest
from tokenizers import Tokenizer

from longtable.embedding import libraries
from longtable.embedding.embedder import Embedder
from longtable.embedding.files import OWN_FILES, model_files
from longtable.embedding.inference import Inference
from longtable.embedding.operators import OPERATORS
from longtable.embedding.wordpiece import EncodedText, WordPiece
from longtable.kernel.errors import SearchUnavailable
from tests.embedding.onnx_writer import OnnxOperation, write_model

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parent / "reference.json").read_text("utf-8"))
DOCS = Path(__file__).resolve().parents[2] / "docs"
PATH = OWN_FILES / "tokenizer.json"
WORLD = (
    "Straße, naïve café, ÀÉÎÕÜ; İstanbul ıŞĞ. ΑΣΣ ΟΔΟΣ ἀγαθός",
    "Привет, мир! Ёлка. Україна ї",
    "会议改到星期四。ひらがなカタカナ﨑 한국어 텍스트",
    "नमस्ते दुनिया। தமிழ் ไทยภาษา العربيّة עִבְרִית",
    "code_like.this(x=1) != [0]; // 🎉👩‍👩‍👧 ½ ﬁ ǅ ẞ \u00ad\u200b\ufeff",
    "[SEP] [CLS][MASK] [sep] [UNK]x " + "y" * 100 + " " + "z" * 101,
    "a\u0301\u0327e \u0301b \t\r\n\x00\x07\ufffd \u2028c\u00a0d\u3000e",
)


@pytest.fixture(scope="module")
def own() -> WordPiece:
    return WordPiece(PATH)


@pytest.fixture(scope="module")
def library() -> libraries.LoadedTokenizer:
    return libraries._LibraryTokenizer(PATH)


def test_vectors_are_those_of_the_runtime_of_onnx(embedder: Embedder) -> None:
    files = model_files(None)
    other = Embedder()
    other.load()
    assert files.model is not None
    other._model = libraries._OnnxRuntimeModel(files.model)
    texts = REFERENCE["texts"]

    assert np.abs(embedder.embed(texts) - other.embed(texts)).max() < 1e-5


@pytest.mark.parametrize("text", [*WORLD, *REFERENCE["texts"]], ids=lambda text: repr(text[:20]))
def test_tokens_are_those_of_the_library(own: WordPiece, library: libraries.LoadedTokenizer, text: str) -> None:
    assert own.encode(text) == library.encode(text)
    assert own.framed([7]) == library.framed([7])


def test_tokens_of_every_page_are_those_of_the_library(own: WordPiece, library: libraries.LoadedTokenizer) -> None:
    for page in sorted(DOCS.glob("howto/*.md")):
        text = page.read_text("utf-8")
        assert own.encode(text) == library.encode(text), page.name


def test_characters_in_any_company_make_the_tokens_of_the_library(
    own: WordPiece, library: libraries.LoadedTokenizer
) -> None:
    """Unicode has grown since the library took its tables: of what came later nothing is in the vocabulary."""
    chance = random.Random(7)
    ranges = (
        range(0x20, 0x590),
        range(0x5D0, 0x5EB),
        range(0x900, 0x93A),
        range(0x2010, 0x2E40),
        range(0x3041, 0xD7A4),
    )
    characters = [chr(code) for part in ranges for code in part]

    for _ in range(400):
        text = "".join(chance.choice((chance.choice(characters), " ", "ing", "Ta")) for _ in range(60))
        ours, theirs = own.encode(text), library.encode(text)
        assert ours.ids == theirs.ids, ascii(text)
        assert ours.begins == theirs.begins, ascii(text)


def _numbers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32) * 2


def _integers(*values: int) -> Any:
    return np.array(values, np.int64)


X = _numbers(2, 5, 6)
TRUE = X > 0
STEPS = [
    *(
        OnnxOperation(kind, [X])
        for kind in ("Abs", "Erf", "Exp", "Identity", "IsNaN", "Neg", "Reciprocal", "Relu", "Tanh", "Shape")
    ),
    *(OnnxOperation(kind, [X, _numbers(6)]) for kind in ("Add", "Div", "Mul", "Sub", "Max", "Min")),
    *(
        OnnxOperation(kind, [X, _numbers(5, 6)])
        for kind in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    ),
    *(OnnxOperation(kind, [TRUE, X < 1]) for kind in ("And", "Or")),
    *(
        OnnxOperation(kind, [X], [_integers(-1)], {"keepdims": keeps})
        for kind in ("ReduceMean", "ReduceMax")
        for keeps in (0, 1)
    ),
    OnnxOperation("ReduceSum", [X], [_integers(0, 2)], {"keepdims": 0}),
    OnnxOperation("Sqrt", [np.abs(X)]),
    OnnxOperation("Not", [TRUE]),
    OnnxOperation("Pow", [X], [np.array(2, np.float32)]),
    OnnxOperation("Div", [_integers(7, 9, 4)], [_integers(2, 3, 4)]),
    OnnxOperation("Where", [TRUE, X, -X]),
    OnnxOperation("Cast", [X], [], {"to": 7}),
    OnnxOperation("Clip", [X], [np.array(-1, np.float32), np.array(1, np.float32)]),
    OnnxOperation("Concat", [X, X], [], {"axis": -2}),
    OnnxOperation("Constant", [], [], {"value": _numbers(3)}),
    OnnxOperation("Constant", [], [], {"value_int": 5}),
    OnnxOperation("Constant", [], [], {"value_float": 0.5}),
    OnnxOperation("Constant", [], [], {"value_ints": [4, 5]}),
    OnnxOperation("ConstantOfShape", [_integers(2, 3)], [], {"value": np.array([4], np.int64)}),
    OnnxOperation("Expand", [_numbers(5, 1)], [_integers(2, 1, 6)]),
    OnnxOperation("Flatten", [X]),
    OnnxOperation("Gather", [X], [_integers(4, 0)], {"axis": 1}),
    OnnxOperation("Gather", [X], [_integers(-1)], {"axis": 1}),
    OnnxOperation("GatherND", [X], [np.array([[0, 1], [1, 4]], np.int64)]),
    OnnxOperation("Gelu", [X]),
    OnnxOperation("Gelu", [X], [], {"approximate": "tanh"}),
    OnnxOperation("Gemm", [_numbers(4, 3), _numbers(5, 3), _numbers(5)], [], {"transB": 1, "alpha": 0.5, "beta": 2.0}),
    OnnxOperation("Gemm", [_numbers(3, 4), _numbers(3, 5)], [], {"transA": 1}),
    OnnxOperation("LayerNormalization", [X], [_numbers(6), _numbers(6)], {"epsilon": 1e-6}),
    OnnxOperation("MatMul", [X, _numbers(6, 4)]),
    OnnxOperation("MatMul", [X, _numbers(2, 6, 4)]),
    OnnxOperation("Range", [np.array(value, np.int64) for value in (1, 9, 3)]),
    OnnxOperation("Reshape", [X], [_integers(0, -1)]),
    OnnxOperation("Slice", [X], [_integers(1, 0), _integers(4, 99), _integers(1, 2), _integers(1, 2)]),
    OnnxOperation("Slice", [X], [_integers(-1), _integers(-99), _integers(1), _integers(-1)]),
    OnnxOperation("Softmax", [X], [], {"axis": 1}),
    OnnxOperation("Squeeze", [_numbers(2, 1, 3, 1)], [_integers(1)]),
    OnnxOperation("Transpose", [X], [], {"perm": [1, 0, 2]}),
    OnnxOperation("Unsqueeze", [X], [_integers(0, -1)]),
    OnnxOperation("DynamicQuantizeLinear", [X], outputs=3),
    OnnxOperation(
        "DequantizeLinear", [np.arange(12, dtype=np.uint8).reshape(3, 4)], [_numbers(4), np.arange(4, dtype=np.uint8)]
    ),
    OnnxOperation(
        "MatMulInteger",
        [np.arange(6, dtype=np.uint8).reshape(2, 3), np.arange(12, dtype=np.int8).reshape(3, 4)],
        [np.array(3, np.uint8)],
    ),
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.kind)
def test_an_operation_gives_what_the_runtime_of_onnx_gives(tmp_path: Path, step: OnnxOperation) -> None:
    path = write_model(tmp_path / "model.onnx", step)
    runtime = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    ours, theirs = Inference(path).run(step.feed()), runtime.run(None, step.feed())[0]

    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert np.allclose(ours, theirs, rtol=1e-5, atol=2e-6)


def test_every_operation_is_compared() -> None:
    assert {step.kind for step in STEPS} == set(OPERATORS)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As installed: the libraries are only here for these tests."""
    monkeypatch.setattr(libraries, "find_spec", lambda _: None)


@pytest.mark.usefixtures("alone")
def test_a_model_of_another_kind_is_refused_with_the_remedy(tmp_path: Path) -> None:
    write_model(tmp_path / "model.onnx", OnnxOperation("FusedAttention", [X], domain="com.example"))
    (tmp_path / "tokenizer.json").write_bytes(PATH.read_bytes())

    with pytest.raises(SearchUnavailable, match=r"com\.example\.FusedAttention\. Install onnxruntime beside Longtable"):
        Embedder(tmp_path).load()


@pytest.mark.parametrize("damage", [slice(0), slice(1), slice(100), slice(60_000)])
@pytest.mark.usefixtures("alone")
def test_a_damaged_model_is_refused(tmp_path: Path, damage: slice) -> None:
    files = model_files(None)
    assert files.model is not None
    (tmp_path / "model.onnx").write_bytes(files.model.read_bytes()[damage])

    with pytest.raises(ValueError, match="no ONNX model"):
        libraries.open_model(tmp_path / "model.onnx")


@pytest.mark.usefixtures("alone")
def test_a_tokenizer_of_another_kind_is_refused_with_the_remedy(tmp_path: Path) -> None:
    described = json.loads(PATH.read_text("utf-8"))
    described["model"]["type"] = "Unigram"
    (tmp_path / "tokenizer.json").write_text(json.dumps(described), "utf-8")

    with pytest.raises(ValueError, match=r"Install tokenizers beside Longtable"):
        libraries.open_tokenizer(tmp_path / "tokenizer.json")


def test_other_kinds_are_read_by_the_library_where_it_is_installed(tmp_path: Path) -> None:
    described = json.loads(PATH.read_text("utf-8"))
    described["pre_tokenizer"] = {"type": "WhitespaceSplit"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(described), "utf-8")

    tokens = libraries.open_tokenizer(tmp_path / "tokenizer.json").encode("herons wait")

    assert tokens == EncodedText(
        Tokenizer.from_file(str(PATH)).encode("herons wait").ids[1:4], [0, 5, 7], [True, False, True]
    )
