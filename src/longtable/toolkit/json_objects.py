"""Objects in arguments whose keys are the caller's own. Strict modes of model APIs know none: there a model gives the
JSON text of the object, and both forms are taken everywhere."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from longtable.kernel.errors import InvalidArgument
from longtable.kernel.json_text import JsonBounds, decode, is_clearly_within
from longtable.toolkit.tool import MAX_ITEMS

_MAX_TEXT = 1_048_576
_ALLOWED = "must be a JSON object, or its JSON text"


@dataclass(frozen=True, slots=True)
class _OrItsText:
    takes_text: ClassVar[bool] = True

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(read_object, handler(source))


JsonObject = Annotated[dict[str, Any], Field(max_length=MAX_ITEMS), _OrItsText()]


def read_object(given: Any) -> Any:
    """What is given, or what is in it if it is a text, bounded as the body of a request is. Raises ValueError."""
    if not isinstance(given, str):
        return given
    if len(given) > _MAX_TEXT:
        raise ValueError(f"as text has at most {_MAX_TEXT} characters")
    try:
        text = given.encode()
        if not is_clearly_within(text):
            bounds = JsonBounds()
            bounds.add(text)
            bounds.end()
        return decode(text)
    except (ValueError, InvalidArgument):
        raise ValueError(_ALLOWED) from None
