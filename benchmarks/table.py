"""Tables in Markdown: the measures of one run, and the difference between two."""

from collections.abc import Sequence

from benchmarks.measure import Measure

_VERDICTS = {True: "met", False: "**missed**", None: ""}


def table(measures: Sequence[Measure]) -> str:
    rows = [
        [
            measure.group,
            measure.name,
            f"{number(measure.value)} {measure.unit}",
            "" if measure.p95 is None else number(measure.p95),
            "" if measure.cpu_ms is None else number(measure.cpu_ms),
            _ratio(measure.ratio, measure.floor),
            "" if measure.goal is None else str(measure.goal),
            _VERDICTS[measure.meets_goal],
            _ratio(measure.fair, measure.fair_floor),
        ]
        for measure in measures
    ]
    return _markdown(["", "measure", "value", "p95", "CPU ms/call", "ratio", "goal", "", "to its own floor"], rows)


def comparison(before: Sequence[Measure], after: Sequence[Measure]) -> str:
    """Ratios of new to old. Where a measure has a floor, its ratio is what to look at: the machine may have changed."""
    earlier = {(measure.group, measure.name): measure for measure in before}
    rows = []
    for measure in after:
        old = earlier.get((measure.group, measure.name))
        if old is None:
            rows.append([measure.group, measure.name, "", number(measure.value), "new", ""])
            continue
        rows.append(
            [
                measure.group,
                measure.name,
                number(old.value),
                f"{number(measure.value)} {measure.unit}",
                _change(old.value, measure.value),
                _change(old.ratio, measure.ratio),
            ]
        )
    return _markdown(["", "measure", "before", "after", "value x", "ratio to floor x"], rows)


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _ratio(ratio: float | None, floor: str) -> str:
    return "" if ratio is None else f"{ratio:.2f} x {floor}"


def _change(before: float | None, after: float | None) -> str:
    return f"{after / before:.2f}" if before and after is not None else ""


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Padded, so that it reads well in a terminal too."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    cells = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
