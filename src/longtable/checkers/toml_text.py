"""Checks TOML 1.0 with the standard library."""

import re
import tomllib

from longtable.checkers.findings import Finding, Position, Report
from longtable.checkers.positions import Lines, without_mark

CHECKER = "tomllib"
_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_MOST_PARTS = 1000
_STRING = r'"(?:[^"\\\n]|\\.)*+"|' + r"'[^'\n]*+'"
_DOTTED = re.compile(rf"(?<![\w-])(?:(?:[A-Za-z0-9_-]++|{_STRING})[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")
_TOKEN = re.compile(
    r'#[^\n]*|"""(?:[^"\\]|\\.|"(?!""))*+("""+)?|' + r"'''(?:[^']|'(?!''))*+('''+)?|" + _STRING, re.DOTALL
)


def check(text: str) -> Report:
    plain = without_mark(text)
    if _DOTTED.search(plain):
        # The standard library takes a time that grows with the square of the parts, or worse.
        return Report(reason=f"a key has more than {_MOST_PARTS} parts")
    report = Report(checker=CHECKER)
    try:
        tomllib.loads(plain)
    except tomllib.TOMLDecodeError as error:
        report.errors.append(_finding(str(error), plain))
    except RecursionError:
        failed = Finding("Nested too deeply to be checked", "CHECKER_FAILED")
        return Report(warnings=[failed], reason="it is nested too deeply")
    except ValueError as error:
        # Such as an integer of thousands of digits or a date that no calendar has.
        report.errors.append(Finding(f"Not a valid value: {error}"))
    return report


def _finding(message: str, text: str) -> Finding:
    # Until Python 3.14 the position is only in the message.
    match = _AT.search(message)
    line, column = _position(match, text)
    return Finding(message[: match.start()] if match else message, line=line, column=column)


def _position(match: re.Match[str] | None, text: str) -> Position:
    if match and match.group(1):
        return int(match.group(1)), int(match.group(2))
    lines = Lines(text)
    opened = _open_string(text)
    return lines.position(len(text.rstrip()) if opened is None else opened)


def _open_string(text: str) -> int | None:
    """Where a string of several lines starts that never ends."""
    for match in _TOKEN.finditer(text):
        if match.group().startswith(('"""', "'''")) and not (match.group(1) or match.group(2)):
            return match.start()
    return None
