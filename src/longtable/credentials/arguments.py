"""What the token routes take. There is no idempotency key for making one: a result that holds a secret is never stored,
so it cannot be replayed."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from longtable.identity.model import TOKEN_ROLES
from longtable.identity.tokens import LONGEST_LIFETIME
from longtable.kernel.clock import SECOND
from longtable.kernel.content import Text
from longtable.sessions.arguments import SessionId
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import Arguments, WriteArguments

TokenRole = Literal["agent", "orchestrator", "human", "owner", "reader"]
assert set(get_args(TokenRole)) == TOKEN_ROLES


class ListTokens(Arguments):
    pass


class CreateToken(Arguments):
    role: TokenRole = Field(description="What its bearer may do; agent needs agent and session_id.")
    name: Text | None = Field(default=None, description="What it is called in lists and, without an agent, in the log.")
    agent: Text | None = Field(default=None, description="The one agent that its bearer is.")
    agent_type: Text | None = Field(default=None, description="The type of that agent.")
    session_id: SessionId | None = Field(default=None, description="The one session that it opens.")
    expires_in: Annotated[int, Seconds(1, LONGEST_LIFETIME // SECOND)] | None = Field(
        default=None, description=f"Lifetime: {FORMS}; without it the token does not expire."
    )


class RevokeToken(WriteArguments):
    token_id: Text
