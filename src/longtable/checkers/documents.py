"""Texts that hold several values, such as YAML with `---` in between."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Documents:
    """Two or more values of one text. A path into one of them starts with its index."""

    values: list[Any]
