"""Sets or removes one entry of a block in a YAML text, and leaves every other line as it is."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from longtable.client_setup.mistakes import MalformedFile


def load(text: str) -> Any:
    """Raises MalformedFile. An empty text is an empty mapping."""
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise MalformedFile(f"{place}{getattr(error, 'problem', None) or 'not YAML'}.") from None
    return {} if found is None else found


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    block, name = path
    lines = text.splitlines(keepends=True)
    span = _span(lines, block, name)
    if span is not None:
        start, end = span
        indent = _indent(lines[start])
        return "".join([*lines[:start], *_entry(name, value, indent), *lines[end:]])
    head = _head(lines, block)
    if head is None:
        line = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{line}{render(path, value)}"
    lines[head] = _opened(lines[head], block)
    below = next(filter(None, map(_entry_indent, lines[head + 1 :])), "  ")
    return "".join([*lines[: head + 1], *_entry(name, value, below), *lines[head + 1 :]])


def _opened(line: str, block: str) -> str:
    """The line above a block: an empty mapping becomes one."""
    text = line.rstrip("\r\n")
    if re.match(r"[^\s:]+:\s*(#.*)?$", text):
        return line
    if re.match(r"[^\s:]+:\s*(\{\s*\}|null|~)\s*(#.*)?$", text):
        return f"{block}:\n"
    raise MalformedFile(f"{block} is not written as a block.")


def _entry_indent(line: str) -> str:
    return "" if not line.strip() or line.lstrip().startswith("#") else _indent(line)


def drop(text: str, path: Sequence[str]) -> str:
    block, name = path
    lines = text.splitlines(keepends=True)
    span = _span(lines, block, name)
    if span is None:
        raise MalformedFile(f"There is no {block}.{name} in a block.")
    start, end = span
    return "".join([*lines[:start], *lines[end:]])


def render(path: Sequence[str], value: Mapping[str, Any]) -> str:
    block, name = path
    return "".join([f"{block}:\n", *_entry(name, value, "  ")])


def _entry(name: str, value: Mapping[str, Any], indent: str) -> list[str]:
    written = yaml.safe_dump({name: dict(value)}, sort_keys=False, allow_unicode=True, default_flow_style=False)
    return [indent + line for line in written.splitlines(keepends=True)]


def _head(lines: Sequence[str], block: str) -> int | None:
    return next((number for number, line in enumerate(lines) if line.startswith(f"{block}:")), None)


def _span(lines: Sequence[str], block: str, name: str) -> tuple[int, int] | None:
    head = _head(lines, block)
    if head is None:
        return None
    for number in range(head + 1, len(lines)):
        line = lines[number]
        if line.strip() and not line[0].isspace() and not line.startswith("#"):
            return None
        if re.match(rf"\s+{re.escape(name)}:", line):
            depth = len(_indent(line))
            after = range(number + 1, len(lines))
            end = next(
                (each for each in after if lines[each].strip() and len(_indent(lines[each])) <= depth), len(lines)
            )
            return number, end
    return None


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]
