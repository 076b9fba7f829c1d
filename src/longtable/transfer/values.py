"""How a column is written in an export: each kind of value has a form in the file and one in the store."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from longtable.kernel.clock import from_iso, to_iso
from longtable.kernel.content import check_json
from longtable.kernel.errors import LongtableError
from longtable.kernel.ids import SESSION_ID, SESSION_ID_FORM, number_of
from longtable.kernel.names import HUMAN_PREFIX, name_problem

MANY: Final = 2**62
ORIGIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
ORIGIN_FORM: Final = "must have 1 to 64 letters, digits, '.', '_' or '-'"


@dataclass(frozen=True, slots=True)
class ValueKind:
    """`shown` makes of a stored value what the file has; `stored` the reverse, and raises ValueError with words that
    follow the name of the field."""

    shown: Callable[[Any], Any]
    stored: Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    if "\0" in value:
        raise ValueError("must not hold the character NUL")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode") from None
    return value


def text(limit: int | None = None, *, minimum: int = 0) -> ValueKind:
    """`limit` counts characters."""

    def stored(value: Any) -> str:
        read = _read_text(value)
        if limit is not None and not minimum <= len(read) <= limit:
            raise ValueError(f"must have {minimum} to {limit:,} characters")
        return read

    return ValueKind(_same, stored)


def pattern(form: re.Pattern[str], problem: str) -> ValueKind:
    def stored(value: Any) -> str:
        read = _read_text(value)
        if form.fullmatch(read) is None:
            raise ValueError(problem)
        return read

    return ValueKind(_same, stored)


def choice(*allowed: str) -> ValueKind:
    def stored(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value

    return ValueKind(_same, stored)


def position_in(names: Sequence[str]) -> ValueKind:
    """A name in the file, its place in the list in the store."""
    checked = choice(*names)
    return ValueKind(names.__getitem__, lambda value: names.index(checked.stored(value)))


def integer(least: int = 0, most: int = MANY) -> ValueKind:
    def stored(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return value

    return ValueKind(_same, stored)


def _read_moment(value: Any) -> int:
    problem = "must be a moment such as 2026-01-31T12:00:00.000000Z"
    try:
        moment = from_iso(_read_text(value))
    except (ValueError, OverflowError):
        raise ValueError(problem) from None
    if moment < 0 or to_iso(moment) != value:
        raise ValueError(problem)
    return moment


def _read_flag(value: Any) -> int:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return int(value)


def _read_name(value: Any) -> str:
    name = _read_text(value)
    problem = name_problem(name.removeprefix(HUMAN_PREFIX))
    if problem is not None:
        raise ValueError(problem)
    return name


def json_value(limit: int, *shape: type) -> ValueKind:
    """A JSON value of at most so many bytes, of one of the types where any is named; text in the store."""

    def stored(value: Any) -> str:
        if shape and not isinstance(value, shape):
            raise ValueError("must be a JSON object" if shape == (dict,) else "must be JSON of another type")
        try:
            check_json("", value, limit)
        except LongtableError as error:
            raise ValueError(error.message.removeprefix(":").strip().rstrip(".")) from None
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    return ValueKind(json.loads, stored)


def text_list(most: int, length: int) -> ValueKind:
    """A list of texts that are not empty; a JSON array in the store."""

    def stored(value: Any) -> str:
        if not isinstance(value, list) or len(value) > most:
            raise ValueError(f"must be a list of at most {most} texts")
        for each in value:
            if not 1 <= len(_read_text(each)) <= length:
                raise ValueError(f"must hold texts of 1 to {length:,} characters")
        return json.dumps(value, ensure_ascii=False)

    return ValueKind(json.loads, stored)


def unique_texts(most: int, length: int) -> ValueKind:
    listed = text_list(most, length)

    def stored(value: Any) -> str:
        kept: str = listed.stored(value)
        if len(set(value)) < len(value):
            raise ValueError("must not hold the same text twice")
        return kept

    return ValueKind(listed.shown, stored)


def numbered(prefix: str) -> ValueKind:
    """`n3` in the file, 3 in the store."""

    def stored(value: Any) -> int:
        number = number_of(prefix, value) if isinstance(value, str) else None
        if number is None:
            raise ValueError(f"must be an id such as {prefix}3")
        return number

    return ValueKind(lambda number: f"{prefix}{number}", stored)


def _all_numbers(value: Any, prefix: str, most: int) -> list[int]:
    one = numbered(prefix)
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(f"must be a list of at most {most} ids such as {prefix}3")
    numbers = [one.stored(each) for each in value]
    if len(set(numbers)) < len(numbers):
        raise ValueError("must not hold the same id twice")
    return numbers


def joined_numbers(prefix: str, most: int) -> ValueKind:
    """A list of ids in the file, their numbers with commas in the store."""

    def shown(value: str) -> list[str]:
        return [f"{prefix}{number}" for number in value.split(",")] if value else []

    return ValueKind(shown, lambda value: ",".join(map(str, _all_numbers(value, prefix, most))))


def listed_numbers(prefix: str, most: int) -> ValueKind:
    """A list of ids in the file, a JSON array of their numbers in the store."""

    def shown(value: str) -> list[str]:
        return [f"{prefix}{number}" for number in json.loads(value)]

    return ValueKind(shown, lambda value: json.dumps(_all_numbers(value, prefix, most)))


def _read_digest(value: Any) -> bytes:
    if not isinstance(value, str) or re.fullmatch("[0-9a-f]{64}", value) is None:
        raise ValueError("must be 64 hexadecimal digits")
    return bytes.fromhex(value)


def _show_digest(value: bytes | str) -> str:
    return value.hex() if isinstance(value, bytes) else value


MOMENT: Final = ValueKind(to_iso, _read_moment)
FLAG: Final = ValueKind(bool, _read_flag)
NAME: Final = ValueKind(_same, _read_name)
DIGEST: Final = ValueKind(_show_digest, _read_digest)
NUMBER: Final = integer(1)
COUNT: Final = integer(0)
VISIBILITY: Final = choice("public", "private", "agent_only")
A_SESSION: Final = pattern(SESSION_ID, SESSION_ID_FORM)
AN_ORIGIN: Final = pattern(ORIGIN, ORIGIN_FORM)
