"""What the tools about notifiers take."""

from typing import Annotated

from pydantic import Field, StringConstraints

from longtable.kernel.content import Text
from longtable.notifiers.model import EVENTS, MAX_ADDRESS, NotifierEvent, NotifierKind
from longtable.toolkit.tool import Arguments, WriteArguments

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
NotifierName = Annotated[Text, StringConstraints(pattern=NAME_PATTERN)]


class AddNotifier(WriteArguments):
    name: NotifierName = Field(description="Letters, digits, dots, dashes; by which it is tested and removed.")
    kind: NotifierKind = Field(description="What is sent: a signed webhook, a message for ntfy or Slack, an e-mail.")
    to: Annotated[Text, StringConstraints(min_length=3, max_length=MAX_ADDRESS)] = Field(
        description="The address: a URL, for email an e-mail address."
    )
    events: Annotated[list[NotifierEvent], Field(min_length=1, max_length=len(EVENTS))] = Field(
        default=list(EVENTS), description="What it is for. Default: all four."
    )
    allow_private: bool = Field(default=False, description="Allow an address of this machine or its private networks.")


class ListNotifiers(Arguments):
    pass


class NamedNotifier(WriteArguments):
    name: NotifierName = Field(description="From list_notifiers.")


class ListDeliveries(Arguments):
    name: NotifierName = Field(description="From list_notifiers.")
    limit: Annotated[int, Field(ge=1, le=500)] = Field(default=50, description="How many, the newest first.")
