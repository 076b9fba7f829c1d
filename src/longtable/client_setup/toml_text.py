"""Sets or removes one table of a TOML text, and leaves every other line as it is."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from longtable.client_setup.mistakes import MalformedFile


def load(text: str) -> Any:
    """Raises MalformedFile."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise MalformedFile(f"{str(error).rstrip('.')}.") from None


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """In place of the table, or as the last one."""
    new = render(path, value)
    if "\r\n" in text:
        new = new.replace("\n", "\r\n")
    span = _span(text, path)
    if span is not None:
        start, end = span
        return text[:start] + new + text[end:]
    if not text.strip("\ufeff \t\r\n"):
        return new
    line = "\r\n" if "\r\n" in text else "\n"
    return text + ("" if text.endswith("\n") else line) + line + new


def drop(text: str, path: Sequence[str]) -> str:
    """Without the table, which is there."""
    span = _span(text, path)
    if span is None:
        raise MalformedFile(f"There is no table [{'.'.join(path)}].")
    start, end = span
    head = text[:start].rstrip("\r\n")
    tail = text[end:]
    return f"{head}\n{tail}" if head else tail


def render(path: Sequence[str], value: Mapping[str, Any]) -> str:
    lines = [f"[{'.'.join(path)}]", *(f"{name} = {_written(each)}" for name, each in value.items())]
    return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_written(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_written(each) for each in value) + "]"
    # A string as in JSON, but for one character more that must not stand bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _span(text: str, path: Sequence[str]) -> tuple[int, int] | None:
    """The lines of the table and of those below it, without comments that belong to what follows."""
    headers = list(re.finditer(r"^[ \t]*\[[^\n]*", text, re.MULTILINE))
    own = _header(path)
    ours = [number for number, found in enumerate(headers) if own.fullmatch(found[0].rstrip("\r"))]
    if not ours:
        return None
    if ours[-1] - ours[0] != len(ours) - 1:
        raise MalformedFile("The parts of the table stand apart.")
    start, after = headers[ours[0]].start(), ours[-1] + 1
    if after == len(headers):
        return start, len(text)
    block = text[start : headers[after].start()]
    kept = re.search(r"(?:^[ \t]*(?:#[^\n]*)?\r?\n)*\Z", block, re.MULTILINE)
    return start, start + (kept.start() if kept else len(block))


def _header(path: Sequence[str]) -> "re.Pattern[str]":
    """Matches the header of the table, or of one below it."""
    named = r"[ \t]*\.[ \t]*".join(rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in path)
    return re.compile(rf"[ \t]*\[[ \t]*{named}[ \t]*(?:\..*)?\][ \t]*(?:#.*)?")
