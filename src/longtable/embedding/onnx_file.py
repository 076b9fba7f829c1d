"""Reads a model in the ONNX format: the operations of its graph, and the arrays that it was trained to.

The file is a message of Protocol Buffers. Of its fields only those are read that an inference needs.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TYPES: dict[int, type[np.generic]] = {
    1: np.float32,
    2: np.uint8,
    3: np.int8,
    6: np.int32,
    7: np.int64,
    9: np.bool_,
    10: np.float16,
    11: np.float64,
}
"""Numbers of the types of tensors, as the format counts them."""
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_SMALL_KINDS = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}


@dataclass(frozen=True, slots=True)
class GraphOperation:
    """One step of a graph: what it does with which values. A missing input has an empty name."""

    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelGraph:
    """Operations in an order in which each finds its inputs."""

    operations: tuple[GraphOperation, ...]
    constants: dict[str, Array]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def read_graph(path: Path) -> ModelGraph:
    """Raises ValueError for a file that is no such model."""
    try:
        model = _fields(memoryview(path.read_bytes()))
        return _graph(next(value for number, value in model if number == 7))
    except (StopIteration, IndexError, KeyError, TypeError, struct.error, UnicodeDecodeError) as error:
        raise ValueError("It is no ONNX model, or one of a kind that cannot be read.") from error


def _graph(message: memoryview) -> ModelGraph:
    operations: list[GraphOperation] = []
    constants: dict[str, Array] = {}
    inputs: list[str] = []
    outputs: list[str] = []
    for number, value in _fields(message):
        if number == 1:
            operations.append(_operation(value))
        elif number == 5:
            name, array = _tensor(value)
            constants[name] = array
        elif number == 11:
            inputs.append(_text(dict(_fields(value))[1]))
        elif number == 12:
            outputs.append(_text(dict(_fields(value))[1]))
    return ModelGraph(
        tuple(operations), constants, tuple(name for name in inputs if name not in constants), tuple(outputs)
    )


def _operation(message: memoryview) -> GraphOperation:
    kind = domain = ""
    inputs: list[str] = []
    outputs: list[str] = []
    attributes: dict[str, Any] = {}
    for number, value in _fields(message):
        if number == 1:
            inputs.append(_text(value))
        elif number == 2:
            outputs.append(_text(value))
        elif number == 4:
            kind = _text(value)
        elif number == 5:
            name, content = _attribute(value)
            attributes[name] = content
        elif number == 7:
            domain = _text(value)
    full = kind if domain in ("", "ai.onnx") else f"{domain}.{kind}"
    return GraphOperation(full, tuple(inputs), tuple(outputs), attributes)


def _attribute(message: memoryview) -> tuple[str, Any]:
    name = ""
    content: Any = None
    several: list[int] = []
    for number, value in _fields(message):
        if number == 1:
            name = _text(value)
        elif number == 2:
            content = struct.unpack("<f", value)[0]
        elif number == 3:
            content = _signed(value)
        elif number == 4:
            content = bytes(value).decode()
        elif number == 5:
            content = _tensor(value)[1]
        elif number == 8:
            several.extend(_integers(value))
    return name, several or content


def _tensor(message: memoryview) -> tuple[str, Array]:
    """Numbers in a file beside the model are not read: such a tensor has too few for its shape, a ValueError."""
    shape: list[int] = []
    numbers: list[int] = []
    floats = b""
    single: dict[int, Any] = {2: 1, 8: memoryview(b""), 9: b""}
    for number, value in _fields(message):
        if number == 1:
            shape.extend(_integers(value))
        elif number == 4:
            floats += bytes(value)
        elif number in (5, 7):
            numbers.extend(_integers(value))
        else:
            single[number] = value
    kind, name = TYPES[single[2]], _text(single[8])
    if len(single[9]):
        return name, np.frombuffer(single[9], kind).reshape(shape)
    array = np.frombuffer(floats, np.float32) if floats else np.array(numbers, kind)
    return name, array.reshape(shape)


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Number and value of each field: an integer, or the bytes of anything else."""
    at, end = 0, len(message)
    while at < end:
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        else:
            size = _SMALL_KINDS[kind]
        if at + size > end:
            raise IndexError("A field ends after its message.")
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """An integer, and where the next field begins: seven bits in a byte, the lowest first."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _integers(value: int | memoryview) -> list[int]:
    """A repeated field of integers comes one by one, or packed."""
    if isinstance(value, int):
        return [_signed(value)]
    found: list[int] = []
    at = 0
    while at < len(value):
        number, at = _varint(value, at)
        found.append(_signed(number))
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _text(value: memoryview) -> str:
    return bytes(value).decode()
