"""The measures that have a goal as bars in an SVG: how far each is from its limit."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from benchmarks.measure import Measure

_LINE = 24
_LEFT = 420
_WIDTH = 360
_LONGEST = 3.0
"""A bar of more than three times its limit is cut; the number is beside it."""
_COLOURS = {"met": "#2f8f5b", "missed": "#c8502d", "inconclusive": "#9a9a9a"}
"""Grey is what the run could not tell: its floor moved."""


def plot(title: str, measures: Sequence[Measure]) -> str:
    judged = [measure for measure in measures if measure.goal is not None]
    height = _LINE * (len(judged) + 3)
    limit = _LEFT + _WIDTH / _LONGEST
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 180} {height}"'
        ' font-family="system-ui, sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(12, _LINE, title, weight="bold"),
        *(_bar(measure, _LINE * (row + 2)) for row, measure in enumerate(judged)),
        f'<line x1="{limit}" x2="{limit}" y1="{_LINE * 1.6}" y2="{height - _LINE}" stroke="#333"/>',
        _text(limit - 12, height - 8, "limit; a bar that ends before it meets its goal"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _bar(measure: Measure, top: float) -> str:
    assert measure.goal is not None
    limit, judged = measure.goal.limit, measure.judged
    # Where more is better the inverse is drawn, so that to the left of the line is always the good side.
    share = judged / limit if measure.goal.at_most else limit / max(judged, limit / _LONGEST)
    width = _WIDTH * min(share, _LONGEST) / _LONGEST
    unit = measure.unit if measure.ratio is None else f"x {measure.floor}"
    colour = _COLOURS[measure.verdict or "inconclusive"]
    return (
        _text(12, top + 13, f"{measure.group}: {measure.name}")
        + f'<rect x="{_LEFT}" y="{top}" width="{width:.1f}" height="{_LINE - 8}" fill="{colour}"/>'
        + _text(_LEFT + width + 6, top + 13, f"{judged:.3g} {unit} ({measure.goal})")
    )


def _text(x: float, y: float, words: str, weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-weight="{weight}">{escape(words)}</text>'
