"""What a playbook will call, as far as that is known before it runs: for the person who decides about it."""

import json
from collections.abc import Mapping
from typing import Any

from longtable.gateway.expressions import render
from longtable.gateway.playbook_file import Step
from longtable.kernel.errors import LongtableError

_MAX_CHARACTERS = 262_144


def planned_steps(body: Mapping[str, Any] | None, inputs: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """None for a tool without known steps. Where the inputs of a step come from an earlier result they are shown as the
    playbook has them, and are not `fixed`: if the step is governed, it is decided when they are known."""
    if body is None:
        return None
    steps = [Step(tool, step_inputs, save_as) for tool, step_inputs, save_as in body["steps"]]
    planned = [_planned(step, inputs) for step in steps]
    if len(json.dumps(planned)) > _MAX_CHARACTERS:
        # Inputs of the call, once for each step that takes them. They are among the arguments of the decision.
        return [{"tool": step.tool, "inputs": dict(step.inputs), "fixed": step.is_known_beforehand} for step in steps]
    return planned


def _planned(step: Step, inputs: Mapping[str, Any]) -> dict[str, Any]:
    shown: Any = dict(step.inputs)
    if step.is_known_beforehand:
        try:
            shown = render(shown, {"inputs": dict(inputs)})
        except LongtableError:
            # The run will fail at this step.
            return {"tool": step.tool, "inputs": shown, "fixed": False}
    return {"tool": step.tool, "inputs": shown, "fixed": step.is_known_beforehand}
