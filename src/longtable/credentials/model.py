"""Tokens as their owner gets them. A secret is shown once."""

from longtable.identity.model import TokenView
from longtable.kernel.result import Result, when_there


class TokenList(Result):
    tokens: list[TokenView]
    count: int


class TokenMade(Result):
    """`note` says what else must be done before the token is of any use."""

    token: TokenView
    secret: str
    note: str | None = when_there()


class TokenRevoked(Result):
    token_id: str
    status: str
