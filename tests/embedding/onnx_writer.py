"""Writes an ONNX model of one operation, for the tests: the few messages of Protocol Buffers that it takes."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longtable.embedding.onnx_file import TYPES

NUMBERS = {np.dtype(kind): number for number, kind in TYPES.items()}
OPSET = 20


@dataclass(frozen=True)
class OnnxOperation:
    """An operation. `given` come when the model runs, `fixed` are in its file."""

    kind: str
    given: list[NDArray[Any]]
    fixed: list[NDArray[Any]] = field(default_factory=list)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""
    outputs: int = 1

    def feed(self) -> dict[str, NDArray[Any]]:
        return {f"given{place}": array for place, array in enumerate(self.given)}


def write_model(path: Path, step: OnnxOperation) -> Path:
    fixed = {f"fixed{place}": array for place, array in enumerate(step.fixed)}
    names = [*step.feed(), *fixed]
    node = b"".join(_bytes(1, name.encode()) for name in names)
    node += b"".join(_bytes(2, f"made{place}".encode()) for place in range(step.outputs))
    node += _bytes(4, step.kind.encode()) + _bytes(7, step.domain.encode())
    node += b"".join(_bytes(5, _attribute(name, value)) for name, value in step.attributes.items())
    graph = _bytes(1, node) + _bytes(2, b"one")
    graph += b"".join(_bytes(5, _tensor(array) + _bytes(8, name.encode())) for name, array in fixed.items())
    graph += b"".join(_bytes(11, _declared(name, array)) for name, array in step.feed().items())
    graph += _bytes(12, _bytes(1, b"made0"))
    opset = _bytes(1, b"") + _number(2, OPSET)
    extra = _bytes(8, _bytes(1, step.domain.encode()) + _number(2, 1)) if step.domain else b""
    path.write_bytes(_number(1, 9) + _bytes(7, graph) + _bytes(8, opset) + extra)
    return path


def _attribute(name: str, value: Any) -> bytes:
    head = _bytes(1, name.encode())
    if isinstance(value, float):
        return head + b"\x15" + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, 2)
    if isinstance(value, str):
        return head + _bytes(4, value.encode()) + _number(20, 3)
    if isinstance(value, np.ndarray):
        return head + _bytes(5, _tensor(value)) + _number(20, 4)
    return head + b"".join(_number(8, item) for item in value) + _number(20, 7)


def _tensor(array: NDArray[Any]) -> bytes:
    shape = b"".join(_number(1, size) for size in array.shape)
    return shape + _number(2, NUMBERS[array.dtype]) + _bytes(9, array.tobytes())


def _declared(name: str, array: NDArray[Any]) -> bytes:
    shape = b"".join(_bytes(1, _number(1, size)) for size in array.shape)
    kind = _bytes(1, _number(1, NUMBERS[array.dtype]) + _bytes(2, shape))
    return _bytes(1, name.encode()) + _bytes(2, kind)


def _bytes(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])
