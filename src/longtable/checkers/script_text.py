"""Checks JavaScript and TypeScript with the parser of oxlint, a program that is run on files."""

import contextlib
import functools
import json
import math
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.source import Source, shown

CHECKER = "oxlint"
_SECONDS = 5.0
_PREFIX = "longtable-cell-"
_OUTDATED = 60.0
"""Seconds after which no check can be under way."""
_OPTIONS = ("--threads=1", "--allow=all", "--disable-nested-config", "--no-ignore", "--format=json")
_DIALECTS = {
    "js": ("js", "cjs"),
    "jsx": ("jsx",),
    "ts": ("ts", "mts", "d.ts"),
    "tsx": ("tsx",),
}
"""Endings of file names, each of which is read a little differently. A text is right if it is right in one of them."""
_NAMED = ("d.ts", "d.mts", "d.cts", "ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx")
_MEMORY = Path("/dev/shm")  # noqa: S108 - texts are better kept off the disk; the folder in it has a name of its own
_TOO_COMPLEX = "too complex to check"


def check(language: str, text: str, filename: str | None = None) -> Report:
    source = Source(text.removeprefix("\ufeff"))
    program = find_oxlint()
    if program is None:
        return Report(reason="Not checked: oxlint is not installed.")
    results = _run_oxlint(program, source, _dialects(language, filename))
    if results is None:
        return Report(CHECKER, warnings=[Finding(_TOO_COMPLEX, "CHECKER_FAILED")])
    errors = max(results, key=_first_place)
    return Report(CHECKER, errors=errors[:ENOUGH])


@functools.cache
def find_oxlint() -> str | None:
    folders = (sysconfig.get_path("scripts"), str(Path(sys.executable).parent))
    return next((path for folder in folders if (path := shutil.which("oxlint", path=folder))), shutil.which("oxlint"))


def _dialects(language: str, filename: str | None) -> tuple[str, ...]:
    named = next((ending for ending in _NAMED if (filename or "").lower().endswith(f".{ending}")), None)
    return (named,) if named is not None else _DIALECTS[language]


def _first_place(errors: list[Finding]) -> tuple[float, float]:
    """The dialect in which the parser comes furthest counts."""
    return (errors[0].line, errors[0].column) if errors else (math.inf, math.inf)


@functools.cache
def _swept_folder() -> str:
    """Where texts are written. A worker that was killed in a check has left its text there: that goes first."""
    folder = _MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir())
    for left in folder.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if left.stat().st_mtime < time.time() - _OUTDATED:
                shutil.rmtree(left)
    return str(folder)


def _run_oxlint(program: str, source: Source, dialects: tuple[str, ...]) -> list[list[Finding]] | None:
    """What is wrong in each dialect; None when the program failed."""
    names = [f"cell.{ending}" for ending in dialects]
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_swept_folder()) as folder:
        for name in names:
            Path(folder, name).write_bytes(source.data)
        try:
            done = subprocess.run(
                [program, *_OPTIONS, *names],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
                env={},
            )
            output = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError):
            return None
    if output["number_of_files"] != len(names):
        return None
    diagnostics = [each for each in output["diagnostics"] if each["severity"] == "error"]
    return [_findings(source, [each for each in diagnostics if each["filename"] == name]) for name in names]


def _findings(source: Source, diagnostics: list[dict[str, Any]]) -> list[Finding]:
    found = [_finding(source, each) for each in diagnostics]
    return sorted(found, key=lambda finding: (finding.line, finding.column))


def _finding(source: Source, diagnostic: dict[str, Any]) -> Finding:
    message = str(diagnostic["message"]).rstrip(".")
    # Of several places the last is where the text goes wrong; the others show what was opened or named before.
    *before, place = sorted(diagnostic.get("labels") or [{"span": {"offset": 0, "length": 0}}], key=_offset)
    start = min(_offset(place), source.last())
    end = min(start + place["span"]["length"], source.last())
    if message == "Unexpected token":
        message = f"Unexpected {shown(source.cut(start, end))}" if end > start else "Unexpected end of the text"
    for label in before:
        if "label" in label:
            message += f"; {label['label'].lower()}: line {source.position(_offset(label))[0]}"
    return source.finding(message, start, end)


def _offset(label: dict[str, Any]) -> int:
    return int(label["span"]["offset"])
