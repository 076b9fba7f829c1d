"""Tables in Markdown: the measures of one run, and the difference between two."""

from collections.abc import Sequence

from benchmarks.measure import Measure, Verdict

_VERDICTS: dict[Verdict | None, str] = {"met": "met", "missed": "**missed**", "inconclusive": "inconclusive", None: ""}
_HEAD = [
    *("", "measure", "value", "p95", "CPU ms/call", "ratio", "CPU ratio", "floor", "goal", "verdict", "in CPU"),
    *("floor moved", "to another floor"),
]


def table(measures: Sequence[Measure]) -> str:
    rows = [
        [
            measure.group,
            measure.name,
            f"{number(measure.value)} {measure.unit}",
            _number(measure.p95),
            _number(measure.cpu_ms),
            _ratio(measure.ratio),
            _ratio(measure.cpu_ratio),
            measure.floor,
            "" if measure.goal is None else str(measure.goal),
            _VERDICTS[measure.verdict],
            _VERDICTS[measure.cpu_verdict],
            _moved(measure),
            f"{_ratio(measure.second_ratio)} {measure.second_floor}".strip(),
        ]
        for measure in measures
    ]
    return markdown(_HEAD, rows)


def comparison(before: Sequence[Measure], after: Sequence[Measure]) -> str:
    """Ratios of new to old. Where a measure has a floor, its ratio is what to look at: the machine may have changed."""
    earlier = {(measure.group, measure.name): measure for measure in before}
    rows = []
    for measure in after:
        old = earlier.pop((measure.group, measure.name), None)
        if old is None:
            rows.append([measure.group, measure.name, "", f"{number(measure.value)} {measure.unit}", "new", "", ""])
            continue
        rows.append(
            [
                measure.group,
                measure.name,
                number(old.value),
                f"{number(measure.value)} {measure.unit}",
                _change(old.value, measure.value),
                _change(old.cpu_ms, measure.cpu_ms),
                _change(old.ratio, measure.ratio),
            ]
        )
    rows += [[old.group, old.name, f"{number(old.value)} {old.unit}", "", "gone", "", ""] for old in earlier.values()]
    return markdown(["", "measure", "before", "after", "value x", "CPU x", "ratio to floor x"], rows)


def summary(measures: Sequence[Measure]) -> str:
    """How many goals are met. Where both were compared, processor time decides what the clock leaves open."""
    verdicts = [_final(measure) for measure in measures if measure.goal is not None]
    return ", ".join(f"{verdicts.count(one)} {one}" for one in ("met", "missed", "inconclusive"))


def _final(measure: Measure) -> Verdict | None:
    both = {measure.verdict, measure.cpu_verdict} - {None}
    if "missed" in both:
        return "missed"
    return "met" if "met" in both else "inconclusive"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _number(value: float | None) -> str:
    return "" if value is None else number(value)


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f} x"


def _moved(measure: Measure) -> str:
    moved = [f"{value:.2f} x{what}" for value, what in ((measure.moved, ""), (measure.cpu_moved, " in CPU")) if value]
    return ", ".join(moved)


def _change(before: float | None, after: float | None) -> str:
    return f"{after / before:.2f}" if before and after is not None else ""


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Padded, so that it reads well in a terminal too."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    cells = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
