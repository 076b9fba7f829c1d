"""When the work should pause for people: four rules, each on its own."""

from collections.abc import Sequence

from longtable.questions.arguments import CheckPause
from longtable.questions.model import Question, Reason


def pause_reasons(pending: Sequence[Question], work: CheckPause) -> tuple[Reason, ...]:
    """The rules that call for a pause, the weightiest first."""
    rules: dict[Reason, bool] = {
        "blocking_question": any(question.blocking and question.priority == "high" for question in pending),
        "phase_boundary": work.at_phase_boundary and bool(pending),
        "agent_requested": work.agent_requested,
        "threshold": len(pending) > work.threshold,
    }
    return tuple(reason for reason, applies in rules.items() if applies)
