"""What the draft tools take."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from longtable.draft.model import RESERVED, SECTION_ID
from longtable.kernel.content import Text
from longtable.toolkit.tool import Arguments, WriteArguments


def _writable(section_id: str) -> str:
    if section_id in RESERVED:
        raise ValueError(f"must not be one of {', '.join(RESERVED)}: these are made from other things")
    return section_id


SectionId = Annotated[str, StringConstraints(pattern=SECTION_ID)]
Version = Annotated[int, Field(ge=1)]
Expected = Annotated[
    int, Field(ge=0, description="Write only if this is the current version; 0 if there must be none yet.")
]


class WriteDraftSection(WriteArguments):
    section_id: Annotated[SectionId, AfterValidator(_writable)] = Field(
        description="Short name of the section, such as market_analysis."
    )
    content: Text = Field(description="The whole text of the section, at most 1 MiB. It may be empty.")
    title: Annotated[Text, StringConstraints(min_length=1)] | None = Field(
        default=None, description="Heading of the section; left out, it stays as it is."
    )
    expected_version: Expected | None = None
    position: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Place in the draft, 0 is the first; left out, new sections go last."
    )


class ReadDraft(Arguments):
    section_id: SectionId | None = Field(default=None, description="One section; left out, the whole draft.")
    version: int | None = Field(default=None, ge=1, description="An earlier version of that section.")
    include_content: bool = Field(default=True, description="false for titles and versions only.")


class DiffDraft(Arguments):
    section_id: SectionId
    from_version: Version
    to_version: int | None = Field(default=None, ge=1, description="Left out, the current version.")


class RevertDraftSection(WriteArguments):
    section_id: SectionId
    to_version: Version = Field(description="The version whose title and text come back.")
    expected_version: Expected | None = None


class ListSections(Arguments):
    pass


class ReadSection(Arguments):
    section_name: SectionId = Field(description="A section of the draft, or one of notes, plan, user_answers.")
