"""Checks Python with the interpreter's own compiler, and with ruff when that fails: the interpreter may be older than
the grammar of the text."""

import ast
import json
import os
import subprocess
import sys
import warnings
from typing import Any

from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.positions import Lines, encodable, without_mark

CHECKER = "python"
_NEWEST = "py314"
# Syntax errors are always reported; the others are those that the compiler finds after the grammar.
_RULES = "E9,F404,F407,F621,F622,F701,F702,F704,F706,PLE0117,PLE0118"
_SECONDS = 5


def check(text: str) -> Report:
    plain = encodable(without_mark(text))
    report = Report(checker=CHECKER)
    if "\0" in plain:
        line, column = Lines(plain).position(plain.index("\0"))
        return Report(CHECKER, errors=[Finding("A null character may not stand in Python", line=line, column=column)])
    try:
        _compile(plain, 0)
    except SyntaxError as error:
        report.errors.extend(_confirmed(error, plain))
    except (RecursionError, MemoryError):
        return _too_deep(plain)
    except ValueError as error:
        report.errors.append(Finding(f"Not Python: {error}"))
    return report


def _compile(text: str, flags: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(text, "<cell>", "exec", flags=flags, dont_inherit=True)


def _confirmed(error: SyntaxError, text: str) -> list[Finding]:
    own = _finding(error)
    if _is_grammatical(text):
        return [own]
    by_ruff = _run_ruff(text, _NEWEST)
    if by_ruff is None:
        return [own]
    if not by_ruff:
        return []
    if by_ruff[0].line != own.line and _is_newer_grammar(text, by_ruff):
        return by_ruff
    return [own]


def _is_grammatical(text: str) -> bool:
    """Whether the text is grammatical. If it is and the compiler refuses it all the same, so will later versions."""
    try:
        _compile(text, ast.PyCF_ONLY_AST)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return False
    return True


def _is_newer_grammar(text: str, newest: list[Finding]) -> bool:
    """Whether the text has more faults for this interpreter's version than for the newest one."""
    version = f"py3{sys.version_info.minor}"
    here = _run_ruff(text, version)
    return here is not None and len(here) > len(newest)


def _too_deep(text: str) -> Report:
    faults = _run_ruff(text, _NEWEST)
    if faults:
        return Report(checker=CHECKER, errors=faults)
    failed = Finding("Nested too deeply to be checked", code="CHECKER_FAILED")
    return Report(checker=CHECKER, warnings=[failed])


def _finding(error: SyntaxError) -> Finding:
    message = error.msg or "invalid syntax"
    return Finding(
        f"{message[:1].upper()}{message[1:]}",
        line=max(error.lineno or 1, 1),
        column=max(error.offset or 1, 1),
    )


def _run_ruff(text: str, version: str) -> list[Finding] | None:
    """What ruff finds; None when it cannot be run."""
    from ruff import find_ruff_bin  # type: ignore[import-untyped]  # it has no types

    options = ["--isolated", "--no-cache", "--output-format", "json", "--select", _RULES, "--target-version", version]
    try:
        done = subprocess.run(
            [find_ruff_bin(), "check", *options, "--stdin-filename", "cell.py", "-"],
            input=text.encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env=_environment(),
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return [_from_ruff(each) for each in found[:ENOUGH]]


def _environment() -> dict[str, str]:
    """Ruff reads options from variables of its own and starts as many threads as it is allowed."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP")}
    return {**kept, "RAYON_NUM_THREADS": "1"}


def _from_ruff(found: dict[str, Any]) -> Finding:
    place = found.get("location") or {}
    message = str(found.get("message", "invalid syntax"))
    return Finding(message, line=int(place.get("row", 1)), column=int(place.get("column", 1)))
