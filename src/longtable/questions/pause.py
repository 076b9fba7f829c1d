"""When the work should pause for people: four rules, each on its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from longtable.questions.model import Question, Reason


@dataclass(frozen=True, slots=True)
class Situation:
    """What the caller says about the work. More than `threshold` pending questions are too many to go on with."""

    at_phase_boundary: bool
    agent_requested: bool
    threshold: int


def pause_reasons(pending: Sequence[Question], situation: Situation) -> tuple[Reason, ...]:
    """Every rule that asks for a pause, in the order of their weight; none when the work goes on."""
    rules: dict[Reason, bool] = {
        "blocking_question": any(question.blocking and question.priority == "high" for question in pending),
        "phase_boundary": situation.at_phase_boundary and bool(pending),
        "agent_requested": situation.agent_requested,
        "threshold": len(pending) > situation.threshold,
    }
    return tuple(reason for reason, applies in rules.items() if applies)
