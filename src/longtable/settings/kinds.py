"""Kinds of option values: how each is read, what it allows, how it is written to a file and shown to people."""

import ipaddress
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from longtable.kernel.clock import DAY
from longtable.kernel.durations import format_duration, parse_duration
from longtable.settings.tokens import TokenEntry, drop_overridden, overlay, parse_entry

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MASK = "***"

_UNIT_NAMES = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_LONGEST = 36_500 * DAY
_LIST_OF = "a comma-separated list (in the file also a JSON list) of "


class Kind(ABC, Generic[T_co]):
    """`parse` takes text of a flag or variable, or a value of a JSON file. It raises ValueError for all that is not
    `allowed`; the loader knows the option and the source and names them."""

    allowed: str
    metavar: str = ""
    """How `--help` writes the value, where the name of the option does not say it."""
    secret: ClassVar[bool] = False
    overlays: ClassVar[bool] = False
    """True when the sources add to each other, entry by entry, instead of the highest one winning."""

    @abstractmethod
    def parse(self, raw: object) -> T_co: ...

    def combine(self, layers: Sequence[Any]) -> T_co:
        value: T_co = layers[0]
        return value

    def dump(self, value: Any) -> Any:
        return value

    def shown(self, value: Any) -> Any:
        return self.dump(value)


class Text(Kind[str]):
    allowed = "a text that is not empty"

    def parse(self, raw: object) -> str:
        text = _text(raw)
        if not text.isprintable():
            raise ValueError
        return text


class Secret(Text):
    allowed = "a secret that is not empty"
    secret = True

    def shown(self, value: Any) -> Any:
        return MASK


class EncryptionKey(Secret):
    allowed = "a secret of at least 32 characters"

    def parse(self, raw: object) -> str:
        text = super().parse(raw)
        if len(text) < 32:
            raise ValueError
        return text


class Choice(Kind[T_co]):
    def __init__(self, values: tuple[T_co, ...]) -> None:
        self._values = {str(value): value for value in values}
        *rest, last = self._values
        self.allowed = f"{', '.join(rest)} or {last}"
        self.metavar = "|".join(self._values)

    def parse(self, raw: object) -> T_co:
        return _find(self._values, _text(raw).lower())


class Boolean(Kind[bool]):
    allowed = "true or false (also 1/0, yes/no, on/off)"
    metavar = "true|false"
    _SPELLINGS: ClassVar = {
        **dict.fromkeys(("true", "1", "yes", "on"), True),
        **dict.fromkeys(("false", "0", "no", "off"), False),
    }

    def parse(self, raw: object) -> bool:
        return _find(self._SPELLINGS, _scalar(raw).lower())


class Number(Kind[int]):
    def __init__(self, low: int, high: int) -> None:
        self._range = range(low, high + 1)
        self.allowed = f"an integer from {low} to {high}"

    def parse(self, raw: object) -> int:
        text = _scalar(raw)
        if isinstance(raw, bool) or not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or int(text) not in self._range:
            raise ValueError
        return int(text)


class Duration(Kind[int]):
    """Microseconds."""

    def __init__(self, unit: str, least: int = 0) -> None:
        self._unit = unit
        self._least = least
        form = f"an integer with s, m, h or d, such as 90s or 24h; without a suffix {_UNIT_NAMES[unit]}"
        self.allowed = f"{form}; from {format_duration(least)} to {format_duration(_LONGEST)}"

    def parse(self, raw: object) -> int:
        if isinstance(raw, bool):
            raise ValueError
        value = parse_duration(_scalar(raw), self._unit)
        if not self._least <= value <= _LONGEST:
            raise ValueError
        return value

    def dump(self, value: Any) -> Any:
        return format_duration(value)


class FilePath(Kind[Path]):
    """Made absolute at once, so that a written configuration means the same from every folder."""

    allowed = "a path"

    def parse(self, raw: object) -> Path:
        text = _text(raw)
        if "\0" in text:
            raise ValueError
        try:
            return Path(text).expanduser().absolute()
        except RuntimeError as error:  # "~name" of an unknown user
            raise ValueError from error

    def dump(self, value: Any) -> Any:
        return str(value)


class TextList(Kind[tuple[str, ...]]):
    """In lower case, unless their case counts."""

    def __init__(self, item: str, pattern: str, *, case_counts: bool = False) -> None:
        self._pattern = re.compile(pattern)
        self._case_counts = case_counts
        self.allowed = _LIST_OF + item

    def parse(self, raw: object) -> tuple[str, ...]:
        parts = [part if self._case_counts else part.lower() for part in _parts(raw)]
        if not all(self._pattern.fullmatch(part) for part in parts):
            raise ValueError
        return tuple(dict.fromkeys(parts))

    def dump(self, value: Any) -> Any:
        return list(value)


class Subset(TextList):
    """Some of a few names, at least one, always in the order of the table."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(", ".join(names), "|".join(names))
        self._names = names

    def parse(self, raw: object) -> tuple[str, ...]:
        chosen = super().parse(raw)
        if not chosen:
            raise ValueError
        return tuple(name for name in self._names if name in chosen)


class UrlPath(Kind[str]):
    allowed = "a path such as /mcp: it begins with /, has no / at its end, and letters, digits, . _ ~ - between"

    def parse(self, raw: object) -> str:
        text = _text(raw)
        if not re.fullmatch(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)+", text):
            raise ValueError
        return text


class Host(Kind[str]):
    allowed = "an IP address or a host name, such as 127.0.0.1, ::1 or localhost"

    def parse(self, raw: object) -> str:
        text = _text(raw)
        if re.fullmatch(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?", text):
            return text
        return str(ipaddress.IPv6Address(text.removeprefix("[").removesuffix("]")))


class StoreUrl(Kind[str]):
    """The address of a store may hold a password: it is hidden wherever it is shown."""

    allowed = "sqlite, or postgresql://user@host/database"
    secret = True

    def parse(self, raw: object) -> str:
        text = _text(raw)
        if text != "sqlite" and not re.fullmatch(r"postgres(ql)?://\S+", text):
            raise ValueError
        return text

    def shown(self, value: Any) -> Any:
        # Greedy up to the last @: a password with an unescaped @ or / must not leak its rest.
        without_user_password = re.sub(r"^([a-z]+://[^:/?#@]*):.*@", rf"\1:{MASK}@", value)
        return re.sub(r"(?i)([?&](?:ssl)?password=)[^&]*", rf"\1{MASK}", without_user_password)


class BackendUrl(Kind[str]):
    """Without a password, which has its own option, and without a slash at its end."""

    allowed = "an http:// or https:// URL without user, query and fragment"

    def parse(self, raw: object) -> str:
        text = _text(raw)
        if not re.fullmatch(r"https?://[A-Za-z0-9._:\[\]-]+(/[A-Za-z0-9._~/-]*)?", text):
            raise ValueError
        return text.rstrip("/")


class MatchingText(Text):
    def __init__(self, allowed: str, pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self.allowed = allowed

    def parse(self, raw: object) -> str:
        text = super().parse(raw)
        if not self._pattern.fullmatch(text):
            raise ValueError
        return text


class NameList(Kind[tuple[str, ...]]):
    """As they are written, capitals and all. The text may be a JSON list too."""

    allowed = "a comma-separated list or a JSON list of names"

    def parse(self, raw: object) -> tuple[str, ...]:
        if isinstance(raw, str) and raw.strip().startswith("["):
            raw = json.loads(raw)
        return tuple(dict.fromkeys(_parts(raw)))

    def dump(self, value: Any) -> Any:
        return list(value)


class KeySet(Kind[str]):
    allowed = "the path of a JWKS file, or an https:// URL (http:// on a loopback address)"

    def parse(self, raw: object) -> str:
        text = _text(raw)
        if re.fullmatch(r"https://[^\s/]\S*|http://(localhost|127\.0\.0\.1|\[::1\])[:/]\S*", text):
            return text
        if "://" in text:
            raise ValueError
        return str(FilePath().parse(text))


class TokenPairs(Kind[tuple[TokenEntry, ...]]):
    """`principal:token`: one for each repeated flag, comma-separated in the environment, a list in the file."""

    allowed = _LIST_OF + "principal:token, neither part empty; the flag takes one and may be repeated"
    metavar = "PRINCIPAL:TOKEN"
    secret = True
    overlays = True

    def parse(self, raw: object) -> tuple[TokenEntry, ...]:
        entries = raw.split(",") if isinstance(raw, str) else _strings(raw)
        return drop_overridden(parse_entry(entry) for entry in entries)

    def combine(self, layers: Sequence[Any]) -> tuple[TokenEntry, ...]:
        return overlay(*layers)

    def dump(self, value: Any) -> Any:
        return [f"{entry.principal}:{entry.token}" for entry in value]

    def shown(self, value: Any) -> Any:
        return [f"{entry.principal}:{MASK}" for entry in value]


def _text(raw: object) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise ValueError
    return raw.strip()


def _scalar(raw: object) -> str:
    return _text(str(raw) if isinstance(raw, bool | int) else raw)


def _strings(raw: object) -> list[str]:
    if not isinstance(raw, list):
        raise ValueError
    return [_text(item) for item in raw]


def _parts(raw: object) -> list[str]:
    if isinstance(raw, str):
        return [part.strip() for part in raw.split(",") if part.strip()]
    return _strings(raw)


def _find(known: dict[str, T], text: str) -> T:
    if text not in known:
        raise ValueError
    return known[text]
