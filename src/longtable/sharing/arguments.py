"""What the tools about shared links take."""

from typing import Annotated

from pydantic import Field

from longtable.kernel.clock import DAY, SECOND
from longtable.kernel.content import Text
from longtable.sessions.arguments import SessionId
from longtable.sharing.model import DEFAULT_LIFETIME
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import Arguments, WriteArguments

LONGEST_LIFETIME = 3650 * DAY
ShareSeconds = Annotated[int, Seconds(1, LONGEST_LIFETIME // SECOND)]


class CreateShare(WriteArguments):
    session_id: SessionId = Field(description="Which session.")
    section_id: Text | None = Field(default=None, description="Only this section of the draft.")
    expires_in: ShareSeconds = Field(
        default=DEFAULT_LIFETIME // SECOND, description=f"In {FORMS}, at most share_lifetime_max. Default: 7d."
    )


class ListShares(Arguments):
    session_id: SessionId | None = Field(default=None, description="Only those of this session.")


class RevokeShare(WriteArguments):
    share_id: Text = Field(description="From list_shares.")
