"""Values of a configuration file with their places, so that an error names place and line."""

import difflib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml

from longtable.kernel.errors import ConfigError

MAX_BYTES = 4 * 1024 * 1024
_MAX_DEPTH = 64


@dataclass(frozen=True)
class ConfigDocument:
    """`lines` has the line of each place."""

    file: str
    lines: Mapping[str, int] = field(repr=False)

    def error(self, place: str, problem: str) -> ConfigError:
        line = self._line(place)
        where = place or "the file"
        if line is not None:
            where += f" (line {line})"
        facts: dict[str, Any] = {"file": self.file, "place": place}
        return ConfigError(f"{self.file}: {where}: {problem}.", **(facts | ({"line": line} if line else {})))

    def _line(self, place: str) -> int | None:
        """For a missing value, the line of its parent."""
        while place and place not in self.lines:
            place = place[: max(place.rfind("."), place.rfind("["), 0)]
        return self.lines.get(place)


@dataclass(frozen=True)
class ConfigValue:
    """One value of the file. Its methods convert it, or raise ConfigError."""

    value: Any = field(repr=False)
    place: str
    document: ConfigDocument

    def error(self, problem: str) -> ConfigError:
        return self.document.error(self.place, problem)

    def at(self, key: str) -> "ConfigValue":
        return ConfigValue(self.value[key], f"{self.place}.{key}" if self.place else key, self.document)

    def keys(self, what: str, allowed: Sequence[str], ignored: Collection[str] = ()) -> dict[str, "ConfigValue"]:
        """An object with no other keys than these; null counts as missing."""
        inside = {key: child for key, child in self.entries(what).items() if key not in ignored}
        for key, child in inside.items():
            if key not in allowed:
                close = difflib.get_close_matches(key, allowed, 1)
                hint = f"did you mean {close[0]}?" if close else f"allowed: {', '.join(allowed)}"
                raise child.error(f"is not a key of {what}; {hint}")
        return {key: child for key, child in inside.items() if child.value is not None}

    def entries(self, what: str) -> dict[str, "ConfigValue"]:
        if not isinstance(self.value, Mapping):
            raise self.error(f"must be an object: {what}")
        return {str(key): self.at(key) for key in self.value}

    def items(self) -> list["ConfigValue"]:
        if not isinstance(self.value, list):
            raise self.error("must be a list")
        return [ConfigValue(value, f"{self.place}[{n}]", self.document) for n, value in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            raise self.error("must be a text that is not empty")
        return self._clean(self.value)

    def value_text(self) -> str:
        """A value of the environment or of a header: it may be empty."""
        if isinstance(self.value, bool) or not isinstance(self.value, str | int | float):
            raise self.error("must be a text")
        return self._clean(str(self.value))

    def _clean(self, text: str) -> str:
        if "\0" in text:
            raise self.error("must not contain the character NUL")
        return text

    def texts(self) -> tuple[str, ...]:
        return tuple(child.text() for child in self.items())

    def one_of(self, allowed: Sequence[str]) -> str:
        if self.value not in allowed or not isinstance(self.value, str):
            raise self.error(f"must be one of {', '.join(allowed)}")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.error("must be true or false")
        return self.value

    def whole(self, least: int, most: int) -> int:
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not least <= self.value <= most:
            raise self.error(f"must be a whole number from {least} to {most}")
        return self.value

    def seconds(self, least: float, most: float) -> float:
        """A number of seconds, or a text such as 45s or 2m."""
        value = self.value
        if isinstance(value, str) and (match := re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(s|m)", value.strip())):
            value = float(match[1]) * (60 if match[2] == "m" else 1)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.error(f"must be seconds from {least:g} to {most:g}, such as 45 or 2m")
        return float(value)

    def size(self, least: int, most: int) -> int:
        """A number of bytes, or a text such as 512M or 2G."""
        value = self.value
        if isinstance(value, str) and (match := re.fullmatch(r"([0-9]+)\s*([KMG])(i?B)?", value.strip())):
            value = int(match[1]) * 1024 ** (" KMG".index(match[2]))
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.error(f"must be bytes from {least} to {most}, such as 1048576 or 512M")
        return value


def read_text(path: Path) -> str:
    """Raises ConfigError when it cannot be read, is too large or is not UTF-8."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.", file=str(path)) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: must be UTF-8 text.", file=str(path)) from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path}: must not be larger than {MAX_BYTES} bytes.", file=str(path))
    return text


def read_document(path: Path) -> ConfigValue:
    """The whole file. Raises ConfigError when it cannot be read or is neither JSON nor YAML."""
    text, name = read_text(path), str(path)
    if path.suffix == ".json" or text.lstrip().startswith("{"):
        values = _json(text, name)
        # YAML does not allow tabs as spaces; inside a JSON string there is none.
        lines = _lines(_compose(text.replace("\t", " "), None))
    else:
        node = _compose(text, name)
        lines = _lines(node)
        values = _yaml(text, name)
    return ConfigValue({} if values is None else values, "", ConfigDocument(name, lines))


def _json(text: str, file: str) -> Any:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(found)
        if len(values) < len(found):
            keys = [key for key, _ in found]
            duplicate = next(key for key in keys if keys.count(key) > 1)
            raise ConfigError(f"{file}: the key {duplicate} is given twice.", file=file, place=duplicate)
        return values

    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        problem = f"{file}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}."
        raise ConfigError(problem, file=file, line=error.lineno) from None
    except RecursionError:
        raise ConfigError(f"{file}: too deep.", file=file) from None


def _yaml(text: str, file: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        _refuse_yaml(error, file)


def _compose(text: str, file: str | None) -> yaml.Node | None:
    """Without a file, only the lines are needed: errors are ignored."""
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if file is None:
            return None
        _refuse_yaml(error, file)
    if file is not None and node is not None:
        _refuse_duplicate_keys(node, file, 0)
    return node


def _refuse_yaml(error: Exception, file: str) -> NoReturn:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    facts = {"line": mark.line + 1} if mark is not None else {}
    problem = str(getattr(error, "problem", None) or "it cannot be read")[:200]
    raise ConfigError(f"{file}: {where}not YAML: {problem}.", file=file, **facts) from None


def _refuse_duplicate_keys(node: yaml.Node, file: str, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ConfigError(f"{file}: too deep.", file=file)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.value in seen:
                problem = f"{file}: line {line}: the key {key.value} is given twice."
                raise ConfigError(problem, file=file, place=str(key.value), line=line)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
            _refuse_duplicate_keys(value, file, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_duplicate_keys(value, file, depth + 1)


def _lines(root: yaml.Node | None) -> dict[str, int]:
    lines: dict[str, int] = {}

    def walk(node: yaml.Node, place: str, depth: int) -> None:
        if depth > _MAX_DEPTH:
            return
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = f"{place}.{key.value}" if place else str(key.value)
                lines[inner] = key.start_mark.line + 1
                walk(value, inner, depth + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                lines[f"{place}[{number}]"] = value.start_mark.line + 1
                walk(value, f"{place}[{number}]", depth + 1)

    if root is not None:
        walk(root, "", 0)
    return lines
