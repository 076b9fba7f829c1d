"""Tokens over REST. None of this is for agents, and none of it takes an idempotency key: a result that holds a secret
is never kept, so it could not be given a second time."""

from functools import partial
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from longtable.credentials.model import TokenList, TokenMade, TokenRevoked
from longtable.credentials.service import Credentials, NewToken
from longtable.identity.model import TOKEN_ROLES
from longtable.identity.tokens import LONGEST_LIFETIME
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.clock import SECOND
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidArgument
from longtable.sessions.arguments import SessionId
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import Arguments, Route, Scope, Tool

TokenRole = Literal["agent", "orchestrator", "human", "owner", "reader"]


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


class RevokeToken(Arguments):
    token_id: Text


class CredentialTools:
    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    async def list(self, call: Call, arguments: ListTokens) -> TokenList:
        return await self._credentials.list(call)

    async def create(self, call: Call, arguments: CreateToken) -> TokenMade:
        if arguments.role == "agent" and arguments.session_id is None:
            raise InvalidArgument.at("session_id", "is needed for the role agent")
        new = NewToken(
            role=Role(arguments.role),
            name=arguments.name,
            agent=arguments.agent,
            agent_type=arguments.agent_type,
            session_id=arguments.session_id,
            expires_in=None if arguments.expires_in is None else arguments.expires_in * SECOND,
        )
        return await self._credentials.create(call, new)

    async def revoke(self, call: Call, arguments: RevokeToken) -> TokenRevoked:
        return await self._credentials.revoke(call, arguments.token_id)


def credential_tools(tools: CredentialTools) -> list[Tool[Any]]:
    return [
        _of_owner(
            name="list_tokens",
            title="List tokens",
            description="List the tokens of your tenant, without their secrets.",
            arguments=ListTokens,
            result=TokenList,
            run=tools.list,
            audited_as="tokens_listed",
            routes=(Route("GET", "/tokens"),),
        ),
        _of_owner(
            name="create_token",
            title="Create a token",
            description="Make a token of your tenant. Its secret is shown this once: the store keeps only a hash.",
            arguments=CreateToken,
            result=TokenMade,
            run=tools.create,
            audited_as="token_created",
            writes=True,
            routes=(Route("POST", "/tokens", 201),),
        ),
        _of_owner(
            name="revoke_token",
            title="Revoke a token",
            description="Revoke a token of your tenant: every server refuses it within a second.",
            arguments=RevokeToken,
            result=TokenRevoked,
            run=tools.revoke,
            audited_as="token_revoked",
            frees=True,
            writes=True,
            destructive=True,
            repeatable=True,
            routes=(Route("DELETE", "/tokens/{token_id}"),),
        ),
    ]


_of_owner: Any = partial(Tool, group="messages", roles=frozenset({Role.OWNER}), scope=Scope.TENANT, over_mcp=False)

assert set(get_args(TokenRole)) == TOKEN_ROLES
