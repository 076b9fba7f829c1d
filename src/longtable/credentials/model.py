"""Tokens as their owner gets them. A secret is shown once."""

from longtable.identity.model import TokenView
from longtable.kernel.result import Result, omitted_if_none


class TokenList(Result):
    tokens: list[TokenView]
    count: int


class TokenMade(Result):
    """`note` says what else must be done before the token is of any use."""

    token: TokenView
    secret: str
    note: str | None = omitted_if_none()


class TokenRevoked(Result):
    token_id: str
    status: str
