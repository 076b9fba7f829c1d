"""Makes values fit for a JSON Schema library that takes nothing but JSON and overflows on deep ones."""

import math
from decimal import Decimal
from typing import Any

from longtable.checkers.positions import encodable

DEEPEST = 900
_ENDLESS = Decimal("1e400")
_LARGEST = 10**1000


class ValueTooDeep(Exception):
    """The value is nested deeper than DEEPEST."""


def fit(value: Any) -> Any:
    """A copy that has only what JSON has. What one value shares with itself stays shared, so a small YAML text that
    stands for a large value is not written out. Raises ValueTooDeep."""
    copies: dict[int, tuple[Any, int]] = {}
    waiting = [value]
    while waiting:
        node = waiting[-1]
        if id(node) in copies or not isinstance(node, dict | list):
            waiting.pop()
            continue
        inner = list(node.values()) if isinstance(node, dict) else node
        missing = [child for child in inner if isinstance(child, dict | list) and id(child) not in copies]
        if missing:
            waiting.extend(missing)
            continue
        copies[id(waiting.pop())] = _built(node, copies)
    return _fitted(value, copies)


def _built(node: Any, copies: dict[int, tuple[Any, int]]) -> tuple[Any, int]:
    inner = node.values() if isinstance(node, dict) else node
    height = 1 + max((copies[id(child)][1] for child in inner if isinstance(child, dict | list)), default=0)
    if height > DEEPEST:
        raise ValueTooDeep
    if isinstance(node, dict):
        return {encodable(str(key)): _fitted(child, copies) for key, child in node.items()}, height
    return [_fitted(child, copies) for child in node], height


def _fitted(value: Any, copies: dict[int, tuple[Any, int]]) -> Any:
    if isinstance(value, dict | list):
        return copies[id(value)][0]
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _finite(value)
    if isinstance(value, int | Decimal) and not -_LARGEST < value < _LARGEST:
        return _ENDLESS.copy_sign(Decimal(1 if value > 0 else -1))
    return value


def _finite(value: float) -> Decimal:
    """A number too large for a float stays a large number; what is no number at all has no better stand-in than 0."""
    return Decimal(0) if math.isnan(value) else _ENDLESS.copy_sign(Decimal(1 if value > 0 else -1))
