"""The plan as people read it: a checklist in Markdown."""

from longtable.plan.model import PlanRead, TaskView

_BOXES = {"completed": "x", "cancelled": "-"}


def as_markdown(plan: PlanRead) -> str:
    summary = plan.summary
    counts = ", ".join(
        f"{count} {status.replace('_', ' ')}" for status, count in dict(summary).items() if count and status != "total"
    )
    head = (
        f"# Plan\n\n{summary.total} tasks: {counts}. {plan.progress:.0%} done.\n" if counts else "# Plan\n\nNo tasks.\n"
    )
    return "\n".join([head, *map(_item, plan.tasks)]).rstrip() + "\n"


def _item(task: TaskView) -> str:
    facts = [task.status.replace("_", " "), f"{task.priority} priority"]
    if task.assigned_to is not None:
        facts.append(f"assigned to {task.assigned_to}")
    if task.depends_on:
        facts.append(f"after {', '.join(task.depends_on)}")
    if task.blocked_by:
        facts.append(f"waits for {', '.join(task.blocked_by)}")
    lines = [f"- [{_BOXES.get(task.status, ' ')}] **{task.id}** {_indented(task.description)} ({'; '.join(facts)})"]
    lines += [f"  - {note.author}: {_indented(note.text)}" for note in task.notes]
    return "\n".join(lines)


def _indented(text: str) -> str:
    """Further lines belong to the item that the first one begins."""
    return text.replace("\n", "\n  ")
