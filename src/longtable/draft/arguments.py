"""What the draft tools take."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from longtable.draft.model import RESERVED, SECTION_ID
from longtable.kernel.content import Text
from longtable.toolkit.answer_size import MaxChars, Offset
from longtable.toolkit.tool import WriteArguments


def _writable(section_id: str) -> str:
    if section_id in RESERVED:
        raise ValueError(f"must not be one of {', '.join(RESERVED)}: these are made from other things")
    return section_id


SectionId = Annotated[str, StringConstraints(pattern=SECTION_ID)]
Version = Annotated[int, Field(ge=1)]
Expected = Annotated[int, Field(ge=0, description="Must be current; 0: new.")]


class WriteDraftSection(WriteArguments):
    section_id: Annotated[SectionId, AfterValidator(_writable)] = Field(description="Short name, as market_analysis.")
    content: Text = Field(description="The whole text, at most 1 MiB.")
    title: Annotated[Text, StringConstraints(min_length=1)] | None = Field(
        default=None, description="Heading; else it stays."
    )
    expected_version: Expected | None = None
    position: Annotated[int, Field(ge=0)] | None = Field(default=None, description="From 0; default: last.")


class ReadDraft(Offset):
    section_id: SectionId | None = Field(default=None, description="One section; else all.")
    version: int | None = Field(default=None, ge=1, description="An earlier version of it.")
    include_content: bool = Field(default=True, description="false: titles and versions only.")


class DiffDraft(Offset):
    section_id: SectionId = Field(description="Name of the section.")
    from_version: Version = Field(description="The older version.")
    to_version: int | None = Field(default=None, ge=1, description="Default: the current one.")


class RevertDraftSection(WriteArguments):
    section_id: SectionId = Field(description="Name of the section.")
    to_version: Version = Field(description="The version to bring back.")
    expected_version: Expected | None = None


class ListSections(MaxChars):
    offset: int = Field(default=0, ge=0, description="Leave out so many.")


class ReadSection(Offset):
    section_name: SectionId = Field(description="A section, or notes, plan, user_answers.")
