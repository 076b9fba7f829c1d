"""Checks shell scripts with `bash -n`, which reads them and runs nothing."""

import functools
import re
import shutil
import subprocess

from longtable.checkers.findings import Finding, Report
from longtable.checkers.treesitter.grammars import TookTooLong

_SECONDS = 2.0
_MESSAGE = re.compile(r"^[^\n]*?: line (\d+): (.*)$", re.MULTILINE)
_BLOCKS = {"if": "fi", "for": "done", "while": "done", "until": "done", "select": "done", "case": "esac", "{": "}"}
_BLOCK_WORD = re.compile(
    r"(?:^|[;&|(){}]|\b(?:then|do|else)\b)[ \t]*(if|for|while|until|select|case|\{|fi|done|esac|\})(?=[\s;&|)]|$)",
    re.MULTILINE,
)
_SILENT = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|(?:^|(?<=\s))#[^\n]*|\\.", re.DOTALL)
_QUOTED = re.compile(r"`([^']*)'")


@functools.cache
def find_bash() -> str | None:
    return shutil.which("bash")


def check_with_bash(text: str) -> Report | None:
    """None when there is no bash."""
    bash = find_bash()
    if bash is None:
        return None
    output: str | None = None
    # Extended patterns change how a script is read, and only running it would switch them on.
    for options in ((), ("-O", "extglob")):
        try:
            output = _read([bash, "-n", *options], text)
        except subprocess.TimeoutExpired as error:
            raise TookTooLong from error
        if not output:
            break
    return _report(output, text) if output is not None else None


def _report(output: str, text: str) -> Report:
    report = Report("bash")
    found = _finding(output, text)
    if found is not None:
        # bash takes the end of the script for the end of a here-document, and warns.
        (report.warnings if "here-document" in found.message else report.errors).append(found)
    return report


def _read(command: list[str], text: str) -> str | None:
    """The messages of bash; empty when nothing is wrong, None when it cannot be started."""
    try:
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={},
            timeout=_SECONDS,
            check=False,
        )
    except OSError:
        return None
    output = done.stderr.decode("utf-8", "replace")
    return output if output or done.returncode == 0 else None


def _finding(output: str, text: str) -> Finding | None:
    every = list(_MESSAGE.finditer(output))
    if not every:
        return None
    found = next((each for each in every if not each[2].startswith("warning")), every[0])
    lines = text.split("\n")
    line = max(1, min(int(found[1]), len(lines)))
    if "unexpected end of file" in found[2]:
        line = max(1, len(text.rstrip().split("\n")))
        message = f"unexpected end of input; {_still_open(text)} is not closed"
        return Finding(message, line=line, column=len(lines[line - 1]) + 1)
    if "here-document" in found[2]:
        return _heredoc(found[2], lines)
    if "unexpected EOF" in found[2] and found[2].endswith("`)'"):
        line = _opened(lines, line)
    return Finding(_QUOTED.sub(r"'\1'", found[2]), line=line, column=_column(found[2], lines[line - 1]))


def _column(message: str, line: str) -> int:
    """Of the token that the message names."""
    quoted = _QUOTED.search(message)
    token = quoted[1] if quoted and "newline" not in quoted[1] else ""
    return max(1, line.find(token) + 1) if token else 1


def _still_open(text: str) -> str:
    """The innermost word that begins a block which is never ended."""
    begun: list[tuple[str, int]] = []
    for found in _BLOCK_WORD.finditer(_SILENT.sub(lambda each: re.sub(r"[^\n]", " ", each[0]), text)):
        word = found[1]
        if word in _BLOCKS:
            begun.append((word, text.count("\n", 0, found.start(1)) + 1))
        elif begun and _BLOCKS[begun[-1][0]] == word:
            begun.pop()
    return f"'{begun[-1][0]}' of line {begun[-1][1]}" if begun else "something"


def _opened(lines: list[str], last: int) -> int:
    """The last line that opens more parentheses than it closes."""
    for row in range(min(last, len(lines)) - 1, -1, -1):
        if lines[row].count("(") > lines[row].count(")"):
            return row + 1
    return last


def _heredoc(output: str, lines: list[str]) -> Finding:
    quoted = _QUOTED.search(output)
    word = quoted[1] if quoted else ""
    begins = re.compile(r"<<[-~]?\s*[\"'\\]?" + re.escape(word))
    for row, line in enumerate(lines):
        found = begins.search(line)
        if found:
            message = f"the here-document that ends with '{word}' is never ended"
            return Finding(message, line=row + 1, column=found.start() + 1)
    return Finding(output)
