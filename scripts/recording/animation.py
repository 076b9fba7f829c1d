"""Draws terminals as one animated SVG: every line appears at the moment at which it came."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from scripts.recording.terminals import COLUMNS, RecordedLine, Terminal

_SIZE, _ADVANCE, _LEADING, _PADDING, _HEAD, _GAP = 13, 7.83, 19, 12, 30, 12
_HELD = 5.0
"""Seconds for which the last picture stays before it begins again."""
_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
_COLOURS = {"31": "c1", "32": "c2", "33": "c3", "34": "c4", "35": "c5", "36": "c6", "1": "b", "2": "d"}
_STYLE = """
:root { --paper: #fbfaf8; --sheet: #fff; --line: #e2ddd5; --ink: #1c1b1a; --soft: #655f57; --mark: #8a4b2a;
  --c1: #a3262b; --c2: #2f6b3d; --c3: #855500; --c4: #2c5f86; --c5: #7a3b8f; --c6: #1f6f78; }
@media (prefers-color-scheme: dark) { :root { --paper: #171615; --sheet: #201e1d; --line: #383531;
  --ink: #eceae6; --soft: #aaa399; --mark: #e0a37e; --c1: #f0938f; --c2: #8fcb9b; --c3: #e3b866; --c4: #93c1e4;
  --c5: #d3a4e6; --c6: #86d0d8; } }
text { font: 13px ui-monospace, "SF Mono", "Cascadia Code", "Noto Sans Mono", "DejaVu Sans Mono", monospace;
  fill: var(--ink); white-space: pre; }
.t { font: 600 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.typed { fill: var(--mark); font-weight: 600; } .call { font-weight: 600; }
.d { fill: var(--soft); } .b { font-weight: 600; }
.c1 { fill: var(--c1); } .c2 { fill: var(--c2); } .c3 { fill: var(--c3); }
.c4 { fill: var(--c4); } .c5 { fill: var(--c5); } .c6 { fill: var(--c6); }
@media (prefers-reduced-motion: reduce) { text { animation: none !important; } }
"""


def animated(title: str, columns: Sequence[Sequence[Terminal]]) -> str:
    """`columns` are terminals below each other."""
    lines = {terminal.title: _folded(terminal.lines) for column in columns for terminal in column}
    whole = max(line.moment for each in lines.values() for line in each) + _HELD
    width = _PADDING * 2 + COLUMNS * _ADVANCE
    bottom = max(sum(_height(lines[terminal.title]) + _GAP for terminal in column) for column in columns)
    moments: dict[float, str] = {}
    parts: list[str] = []
    for number, column in enumerate(columns):
        left, top = _GAP + number * (width + _GAP), _GAP
        for terminal in column:
            height = bottom - top if terminal is column[-1] else _height(lines[terminal.title])
            parts += _pane(terminal.title, lines[terminal.title], (left, top, width, height), moments)
            top += height + _GAP
    size = (_GAP + len(columns) * (width + _GAP), bottom + _GAP)
    frames = "\n".join(_frames(name, moment, whole) for moment, name in moments.items())
    return "\n".join([*_head(title, size, frames), *parts, "</svg>", ""])


def _height(lines: Sequence[RecordedLine]) -> int:
    return _HEAD + len(lines) * _LEADING + _PADDING


def _head(title: str, size: tuple[float, float], frames: str) -> list[str]:
    box = f'viewBox="0 0 {size[0]:.0f} {size[1]:.0f}" role="img" aria-label="{escape(title)}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        f"<style>{_STYLE}{frames}\n</style>",
        f'<rect width="{size[0]:.0f}" height="{size[1]:.0f}" rx="10" fill="var(--paper)"/>',
    ]


def _folded(lines: Sequence[RecordedLine]) -> list[RecordedLine]:
    """As a terminal of this width shows them."""
    folded = []
    for line in lines:
        plain = _ESCAPE.sub("", line.text)
        if len(plain) <= COLUMNS:
            folded.append(line)
        else:
            starts = range(0, len(plain), COLUMNS)
            folded += [RecordedLine(line.moment, plain[start : start + COLUMNS], line.typed) for start in starts]
    return folded


def _pane(
    title: str, lines: Sequence[RecordedLine], place: tuple[float, float, float, float], moments: dict[float, str]
) -> Iterator[str]:
    left, top, width, height = place
    yield (
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{height}" rx="8" fill="var(--sheet)" '
        f'stroke="var(--line)"/>'
    )
    yield f'<text class="t" x="{left + _PADDING:.1f}" y="{top + 20}">{escape(title)}</text>'
    for number, line in enumerate(lines):
        name = moments.setdefault(round(line.moment, 2), f"m{len(moments)}")
        y = top + _HEAD + number * _LEADING + _SIZE
        yield f'<text class="{name}{_kind(line)}" x="{left + _PADDING:.1f}" y="{y}">{_coloured(line.text)}</text>'


def _kind(line: RecordedLine) -> str:
    return " typed" if line.typed else " call" if line.text.startswith("→ ") else ""


def _coloured(text: str) -> str:
    pieces, classes = [], ""
    for number, piece in enumerate(_ESCAPE.split(text)):
        if number % 2:
            # A bright colour is 9x, the plain one 3x.
            codes = [code.replace("9", "3", 1) if len(code) == 2 else code for code in piece.split(";")]
            classes = " ".join(_COLOURS[code] for code in codes if code in _COLOURS)
        elif piece:
            pieces.append(f'<tspan class="{classes}">{escape(piece)}</tspan>' if classes else escape(piece))
    return "".join(pieces)


def _frames(name: str, moment: float, whole: float) -> str:
    begins = 100 * moment / whole
    turns = f"0%, {begins:.2f}% {{ opacity: 0 }} {begins + 0.4:.2f}%, 99% {{ opacity: 1 }} 100% {{ opacity: 0 }}"
    return f"@keyframes {name} {{ {turns} }}\n.{name} {{ animation: {name} {whole:.1f}s linear infinite }}"
