"""Runs the graph of a model: arrays in, arrays out. What does not depend on the input is computed once."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from longtable.embedding.onnx_file import Array, GraphOperation, ModelGraph, read_graph
from longtable.embedding.operators import OPERATORS


class Inference:
    """A model that is loaded. Raises ValueError for one that cannot be read or has operations that are not known."""

    def __init__(self, path: Path) -> None:
        graph = read_graph(path)
        unknown = sorted({operation.kind for operation in graph.operations} - set(OPERATORS))
        if unknown:
            raise ValueError(f"Operations of it are not known here: {', '.join(unknown)}.")
        self.inputs = graph.inputs
        self._output = graph.outputs[0]
        self._constants, self._steps = _folded(graph)
        self._dropped = _last_uses(self._steps, {*self._constants, self._output})

    def run(self, feed: Mapping[str, Array]) -> Array:
        """The first output of the model."""
        values: dict[str, Any] = {name: feed[name] for name in self.inputs}
        for step, dropped in zip(self._steps, self._dropped, strict=True):
            _do(step, values, self._constants)
            for name in dropped:
                del values[name]
        result: Array = _value(self._output, values, self._constants)
        return result


def _do(step: GraphOperation, values: dict[str, Any], constants: Mapping[str, Array]) -> None:
    inputs = [_value(name, values, constants) for name in step.inputs]
    result = OPERATORS[step.kind](inputs, step.attributes)
    results = result if isinstance(result, tuple) else (result,)
    values.update((name, made) for name, made in zip(step.outputs, results, strict=False) if name)


def _value(name: str, values: Mapping[str, Any], constants: Mapping[str, Array]) -> Any:
    if not name:
        return None
    return values[name] if name in values else constants[name]


def _folded(graph: ModelGraph) -> tuple[dict[str, Array], list[GraphOperation]]:
    """Constants that something still needs, and the steps that depend on the input."""
    constants: dict[str, Any] = dict(graph.constants)
    steps: list[GraphOperation] = []
    for operation in graph.operations:
        if all(not name or name in constants for name in operation.inputs):
            _do(operation, constants, {})
        else:
            steps.append(operation)
    needed = {name for step in steps for name in step.inputs} | set(graph.outputs)
    return {name: np.asarray(array) for name, array in constants.items() if name in needed}, steps


def _last_uses(steps: list[GraphOperation], kept: Iterable[str]) -> list[list[str]]:
    """For each step the values that no later one needs: a long text would otherwise hold those of all layers."""
    seen = set(kept) | {""}
    dropped: list[list[str]] = []
    for step in reversed(steps):
        last = [name for name in dict.fromkeys((*step.inputs, *step.outputs)) if name not in seen]
        seen.update(last)
        dropped.append(last)
    return dropped[::-1]
