"""Kinds of argument that several notebook tools take."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from longtable.checkers.languages import LANGUAGES
from longtable.kernel.content import Text
from longtable.notebooks.model import MAX_FILENAME, MAX_NAMESPACE, MAX_TAG, NewCell, Tags
from longtable.toolkit.tool import MAX_ITEMS, Arguments


def _language(text: str) -> str:
    if text not in LANGUAGES:
        raise ValueError(f"must be one of {', '.join(LANGUAGES)}")
    return text


ScratchId = Annotated[str, Field(description="Id of the scratchpad.")]
CellId = Annotated[Text, Field(description="Id of the cell.")]
Tag = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_TAG, pattern=r"\S")]
Namespace = Annotated[Text, StringConstraints(min_length=1, max_length=MAX_NAMESPACE, pattern=r"\S")]
Language = Annotated[Text, AfterValidator(_language), Field(json_schema_extra={"enum": list(LANGUAGES)})]
Version = Annotated[int, Field(ge=1, le=2**62)]

TAGS = "Only what has any of these tags."
NAMESPACES = "Only scratchpads in one of these namespaces."


class CellInput(Arguments):
    language: Language = Field(description="What the content is written in.")
    content: Text = Field(description="The text of the cell, kept as it is.")
    validate_: bool = Field(
        default=False, alias="validate", description="Check it and say what is wrong; it is stored all the same."
    )
    json_schema: Annotated[dict[str, Any], Field(max_length=MAX_ITEMS)] | Text | None = Field(
        default=None,
        description='JSON Schema for the value, or {"$ref": "scratchpad://schemas/<name>"} for a shared one.',
    )
    metadata: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Anything else to keep with the cell."
    )
    filename: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_FILENAME)] | None = Field(
        default=None,
        description="Name of the file it comes from or goes to. Kept in the metadata; its ending tells the checkers "
        "which dialect it is (d.ts, jsonc, hpp).",
    )
    tags: list[Tag] = Field(default_factory=list, max_length=MAX_ITEMS, description="Words to find it by.")

    def as_cell(self) -> NewCell:
        return NewCell(
            language=self.language,
            content=self.content,
            validate=self.validate_,
            json_schema=self.json_schema,
            metadata={**(self.metadata or {}), **({"filename": self.filename} if self.filename is not None else {})},
            tags=tuple(dict.fromkeys(self.tags)),
        )


def once(values: Sequence[str] | None) -> Tags:
    """Each once, in the order given."""
    return tuple(dict.fromkeys(values or ()))
