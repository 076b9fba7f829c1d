"""Lengths of time in arguments: an integer is seconds, a text has a unit. Everywhere the same."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from longtable.kernel.clock import SECOND
from longtable.kernel.durations import format_duration, parse_duration

FORMS = "seconds, or 15m, 7d"
BRIEF_FORMS = "seconds, or 20s"
_ALLOWED = "must be seconds, or a text such as 90s, 15m, 24h, 7d"
_PATTERN = "^[0-9]{1,10}[smhd]?$"


@dataclass(frozen=True, slots=True)
class Seconds:
    """Marks an argument that is given in any of these forms and becomes a number of seconds. Only where `parts` of a
    second make sense may the number have a fraction."""

    least: int
    most: int
    parts: bool = False
    takes_text: ClassVar[bool] = True

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        number = {"type": "number" if self.parts else "integer", "minimum": self.least, "maximum": self.most}
        return {"anyOf": [number, {"type": "string", "pattern": _PATTERN}]}

    def _read(self, given: Any) -> float:
        kinds = (int, float) if self.parts else (int,)
        seconds: float
        if isinstance(given, str):
            seconds = self._parsed(given)
        elif isinstance(given, kinds) and not isinstance(given, bool):
            seconds = given
        else:
            raise ValueError(_ALLOWED)
        # So written that it refuses what is no number at all.
        if not self.least <= seconds <= self.most:
            least, most = format_duration(self.least * SECOND), format_duration(self.most * SECOND)
            raise ValueError(f"must be {least} to {most}")
        return seconds

    def _parsed(self, text: str) -> int:
        try:
            return parse_duration(text, "s") // SECOND
        except ValueError:
            raise ValueError(_ALLOWED) from None
