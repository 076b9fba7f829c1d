"""The operations of ONNX that models of texts are made of, each as what numpy does for it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from longtable.embedding.onnx_file import TYPES, Array

Attributes = dict[str, Any]
Operator = Callable[[Sequence[Any], Attributes], Any]

_ERF = (1.1283756976, 0.1027994481, -2.561164053e-4, -5.682902399e-4, 6.971966935e-5, -2.970480723e-6)
"""erf(x) = tanh(x * P(x * x)) to 5e-7 for |x| up to 3.9, from where on it is 1: a least-squares fit of P."""


def _erf(inputs: Sequence[Array], _: Attributes) -> Array:
    x = np.clip(inputs[0], -3.9, 3.9)
    square = x * x
    total = square * np.float32(_ERF[-1])
    for factor in _ERF[-2:0:-1]:
        total += np.float32(factor)
        total *= square
    total += np.float32(_ERF[0])
    total *= x
    result: Array = np.tanh(total, out=total)
    return result


def _gelu(inputs: Sequence[Array], attributes: Attributes) -> Array:
    x = inputs[0]
    if attributes.get("approximate") == "tanh":
        inner = np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x))
    else:
        inner = _erf([x * np.float32(0.7071067812)], {})
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.5)
    result: Array = inner
    return result


def _softmax(inputs: Sequence[Array], attributes: Attributes) -> Array:
    axis = attributes.get("axis", -1)
    x = inputs[0] - inputs[0].max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=axis, keepdims=True)
    result: Array = x
    return result


def _layer_normalization(inputs: Sequence[Array], attributes: Attributes) -> Array:
    """Over the last axis, as models of texts use it."""
    x = inputs[0] - inputs[0].mean(axis=-1, keepdims=True)
    variance = np.square(x).mean(axis=-1, keepdims=True)
    x /= np.sqrt(variance + x.dtype.type(attributes.get("epsilon", 1e-5)))
    x *= inputs[1]
    if len(inputs) > 2:
        x += inputs[2]
    result: Array = x
    return result


def _matmul(inputs: Sequence[Array], _: Attributes) -> Array:
    """One product of two matrices is faster than one for each text."""
    left, right = inputs
    if right.ndim == 2 and left.ndim > 2:
        rows: Array = left.reshape(-1, left.shape[-1]) @ right
        return rows.reshape(*left.shape[:-1], right.shape[-1])
    product: Array = left @ right
    return product


def _gemm(inputs: Sequence[Array], attributes: Attributes) -> Array:
    left = inputs[0].T if attributes.get("transA") else inputs[0]
    right = inputs[1].T if attributes.get("transB") else inputs[1]
    product: Array = left @ right * np.float32(attributes.get("alpha", 1.0))
    return product + inputs[2] * np.float32(attributes.get("beta", 1.0)) if len(inputs) > 2 else product


def _matmul_integer(inputs: Sequence[Array], _: Attributes) -> Array:
    """In floating point, which numpy multiplies fast, and rounded: sums of a layer are exact or nearly so."""
    left, right = (array.astype(np.float32) for array in inputs[:2])
    if len(inputs) > 2 and inputs[2] is not None:
        left -= inputs[2].astype(np.float32)
    if len(inputs) > 3 and inputs[3] is not None:
        right -= inputs[3].astype(np.float32)
    return np.rint(_matmul([left, right], {})).astype(np.int32)


def _dynamic_quantize(inputs: Sequence[Array], _: Attributes) -> tuple[Array, Array, Array]:
    x = inputs[0]
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    scale = np.float32((high - low) / 255 or 1.0)
    zero = np.uint8(np.clip(np.rint(-low / scale), 0, 255))
    quantized = np.clip(np.rint(x / scale) + np.float32(zero), 0, 255).astype(np.uint8)
    return quantized, np.asarray(scale), np.asarray(zero)


def _dequantize(inputs: Sequence[Array], attributes: Attributes) -> Array:
    x, scale = inputs[0].astype(np.float32), inputs[1]
    if len(inputs) > 2 and inputs[2] is not None:
        x = x - _along(inputs[2].astype(np.float32), x, attributes)
    return x * _along(scale, x, attributes)


def _along(values: Array, x: Array, attributes: Attributes) -> Array:
    """One value for each place on an axis."""
    if values.ndim != 1 or values.size == 1:
        return values
    shape = [1] * x.ndim
    shape[attributes.get("axis", 1)] = -1
    return values.reshape(shape)


def _slice(inputs: Sequence[Array], _: Attributes) -> Array:
    x, starts, ends = inputs[:3]
    axes = inputs[3] if len(inputs) > 3 and inputs[3] is not None else range(len(starts))
    steps = inputs[4] if len(inputs) > 4 and inputs[4] is not None else [1] * len(starts)
    chosen = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        # An end before the first place, going backwards, is no end for Python.
        last = None if step < 0 and end < -x.shape[axis] else int(end)
        chosen[int(axis)] = slice(int(start), last, int(step))
    return x[tuple(chosen)]


def _reshape(inputs: Sequence[Array], attributes: Attributes) -> Array:
    """A 0 keeps the length of that axis."""
    x, wanted = inputs[0], [int(size) for size in inputs[1]]
    if not attributes.get("allowzero"):
        wanted = [x.shape[place] if size == 0 else size for place, size in enumerate(wanted)]
    return x.reshape(wanted)


def _axes(inputs: Sequence[Array], attributes: Attributes) -> tuple[int, ...] | None:
    """Later versions of the format give axes as an input, earlier ones as an attribute."""
    if len(inputs) > 1 and inputs[1] is not None:
        return tuple(int(axis) for axis in inputs[1].reshape(-1))
    axes = attributes.get("axes")
    return tuple(axes) if axes else None


def _unsqueeze(inputs: Sequence[Array], attributes: Attributes) -> Array:
    return np.expand_dims(inputs[0], _axes(inputs, attributes) or (0,))


def _squeeze(inputs: Sequence[Array], attributes: Attributes) -> Array:
    return np.squeeze(inputs[0], _axes(inputs, attributes))


def _reduce(function: Callable[..., Any]) -> Operator:
    def reduced(inputs: Sequence[Array], attributes: Attributes) -> Any:
        keeps = bool(attributes.get("keepdims", 1))
        return function(inputs[0], axis=_axes(inputs, attributes), keepdims=keeps)

    return reduced


def _shape(inputs: Sequence[Array], attributes: Attributes) -> Array:
    shape = inputs[0].shape[attributes.get("start", 0) : attributes.get("end")]
    return np.array(shape, np.int64)


def _gather_nd(inputs: Sequence[Array], _: Attributes) -> Array:
    picked: Array = inputs[0][tuple(np.moveaxis(inputs[1], -1, 0))]
    return picked


def _cast(inputs: Sequence[Array], attributes: Attributes) -> Array:
    return inputs[0].astype(TYPES[attributes["to"]], copy=False)


def _constant(_: Sequence[Array], attributes: Attributes) -> Array:
    value = next(iter(attributes.values()))
    return (
        value
        if isinstance(value, np.ndarray)
        else np.asarray(value, np.float32 if isinstance(value, float) else np.int64)
    )


def _constant_of_shape(inputs: Sequence[Array], attributes: Attributes) -> Array:
    value = attributes.get("value", np.zeros(1, np.float32))
    return np.full([int(size) for size in inputs[0]], value.reshape(-1)[0])


def _expand(inputs: Sequence[Array], _: Attributes) -> Array:
    wanted = np.broadcast_shapes(inputs[0].shape, tuple(int(size) for size in inputs[1]))
    return np.broadcast_to(inputs[0], wanted)


def _range(inputs: Sequence[Array], _: Attributes) -> Array:
    start, end, step = (array.reshape(()).item() for array in inputs)
    return np.arange(start, end, step, dtype=inputs[0].dtype)


def _divide(inputs: Sequence[Array], _: Attributes) -> Any:
    left, right = inputs
    return left / right if np.issubdtype(left.dtype, np.floating) else left // right


def _of(function: Callable[..., Any]) -> Operator:
    """An operation that numpy has as it is."""
    return lambda inputs, _: function(*inputs)


OPERATORS: dict[str, Operator] = {
    "Abs": _of(np.abs),
    "Add": _of(np.add),
    "And": _of(np.logical_and),
    "Cast": _cast,
    "Clip": lambda inputs, _: np.clip(inputs[0], *[*inputs[1:], None, None][:2]),
    "Concat": lambda inputs, attributes: np.concatenate(list(inputs), axis=attributes["axis"]),
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "DequantizeLinear": _dequantize,
    "Div": _divide,
    "DynamicQuantizeLinear": _dynamic_quantize,
    "Equal": _of(np.equal),
    "Erf": _erf,
    "Exp": _of(np.exp),
    "Expand": _expand,
    "Flatten": lambda inputs, _: inputs[0].reshape(inputs[0].shape[0], -1),
    "Gather": lambda inputs, attributes: np.take(inputs[0], inputs[1], axis=attributes.get("axis", 0)),
    "GatherND": _gather_nd,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "Greater": _of(np.greater),
    "GreaterOrEqual": _of(np.greater_equal),
    "Identity": _of(np.asarray),
    "IsNaN": _of(np.isnan),
    "LayerNormalization": _layer_normalization,
    "Less": _of(np.less),
    "LessOrEqual": _of(np.less_equal),
    "MatMul": _matmul,
    "MatMulInteger": _matmul_integer,
    "Max": lambda inputs, _: np.maximum.reduce(np.broadcast_arrays(*inputs)),
    "Min": lambda inputs, _: np.minimum.reduce(np.broadcast_arrays(*inputs)),
    "Mul": _of(np.multiply),
    "Neg": _of(np.negative),
    "Not": _of(np.logical_not),
    "Or": _of(np.logical_or),
    "Pow": lambda inputs, _: np.power(inputs[0], inputs[1]).astype(inputs[0].dtype, copy=False),
    "Range": _range,
    "Reciprocal": _of(np.reciprocal),
    "ReduceMax": _reduce(np.max),
    "ReduceMean": _reduce(np.mean),
    "ReduceSum": _reduce(np.sum),
    "Relu": lambda inputs, _: np.maximum(inputs[0], 0),
    "Reshape": _reshape,
    "Shape": _shape,
    "Slice": _slice,
    "Softmax": _softmax,
    "Sqrt": _of(np.sqrt),
    "Squeeze": _squeeze,
    "Sub": _of(np.subtract),
    "Tanh": _of(np.tanh),
    "Transpose": lambda inputs, attributes: np.transpose(inputs[0], attributes.get("perm")),
    "Unsqueeze": _unsqueeze,
    "Where": _of(np.where),
}
