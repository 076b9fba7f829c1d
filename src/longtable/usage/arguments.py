"""What the tools about usage take."""

from typing import Annotated

from pydantic import Field, StringConstraints

from longtable.kernel.content import MomentOrAge, Text
from longtable.toolkit.tool import Arguments, WriteArguments
from longtable.usage.model import MAX_COST, MAX_MODEL, MAX_TOKENS, Grouping

Tokens = Annotated[int, Field(ge=0, le=MAX_TOKENS)]


class ReportUsage(WriteArguments):
    model: Annotated[Text, StringConstraints(min_length=1, max_length=MAX_MODEL)] = Field(description="Its name.")
    input_tokens: Tokens = Field(description="Since the last.")
    output_tokens: Tokens = Field(description="The same.")
    cost: Annotated[float, Field(ge=0, le=MAX_COST, allow_inf_nan=False)] | None = Field(
        default=None, description="Of both."
    )
    task_id: str | None = Field(default=None, description="What it was for.")


class GetUsage(Arguments):
    by: Grouping = Field(default="agent", description="What is added up: agent, session or day.")
    since: MomentOrAge | None = Field(default=None, description="From the day of this ISO 8601 time on, or 7d.")
    session_id: Text | None = Field(default=None, description="Only of this session.")
    agent: Text | None = Field(default=None, description="Only of this agent.")
    limit: int = Field(default=100, ge=1, le=1000, description="Most rows.")
