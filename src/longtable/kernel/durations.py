"""Lengths of time as people write them: `90`, `90s`, `15m`, `24h`, `30d`."""

import re

from longtable.kernel.clock import SECOND

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_FORM = re.compile(r"([0-9]{1,10})([smhd]?)")


def parse_duration(text: str, default_unit: str) -> int:
    """Microseconds. Raises ValueError for anything but an integer with an optional unit."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError("an integer with an optional unit s, m, h or d, such as 90s, 15m, 24h or 30d")
    return int(match[1]) * _UNITS[match[2] or default_unit] * SECOND


def format_duration(microseconds: int) -> str:
    seconds = microseconds // SECOND
    for unit in ("d", "h", "m"):
        if seconds and seconds % _UNITS[unit] == 0:
            return f"{seconds // _UNITS[unit]}{unit}"
    return f"{seconds}s"
