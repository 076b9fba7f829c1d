"""Makes, lists and revokes the tokens of the caller's own tenant."""

from functools import partial

from longtable.credentials.arguments import CreateToken, ListTokens, RevokeToken
from longtable.credentials.model import TokenList, TokenMade, TokenRevoked
from longtable.identity.model import Credential
from longtable.identity.store import revoke_token
from longtable.identity.tokens import Tokens, token_name
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import InvalidArgument
from longtable.log.ledger import Ledger, Work
from longtable.toolkit.tool import Route, Scope, tool

_AUTH_IS_OFF = "Auth is off, so nobody is asked for a token yet: 'longtable serve --auth tokens' switches it on."


_OWNER = frozenset({Role.OWNER})
_token_tool = partial(tool, group="messages", roles=_OWNER, scope=Scope.TENANT, over_mcp=False)


class Credentials:
    """`auth_is_on`: whether requests need a token at all."""

    def __init__(self, ledger: Ledger, tokens: Tokens, auth_is_on: bool) -> None:
        self._ledger = ledger
        self._tokens = tokens
        self._clock = ledger.clock
        self._auth_is_on = auth_is_on

    @_token_tool(
        "list_tokens",
        title="List tokens",
        description="List the tokens of your tenant, without their secrets.",
        audited_as="tokens_listed",
        routes=(Route("GET", "/tokens"),),
    )
    async def list_all(self, call: Call, arguments: ListTokens) -> TokenList:
        now = self._clock()
        tokens = [token.view(now) for token in await self._tokens.list(call.caller.tenant)]
        return TokenList(tokens=tokens, count=len(tokens))

    @_token_tool(
        "create_token",
        title="Create a token",
        description="Make a token of your tenant. Its secret is shown this once: the store keeps only a hash.",
        audited_as="token_created",
        writes=True,
        routes=(Route("POST", "/tokens", 201),),
    )
    async def create(self, call: Call, arguments: CreateToken) -> TokenMade:
        if arguments.role == "agent" and arguments.session_id is None:
            raise InvalidArgument.at("session_id", "is needed for the role agent")
        role = Role(arguments.role)
        credential = Credential(
            tenant=call.caller.tenant,
            role=role,
            name=token_name(role, arguments.agent, arguments.name),
            agent=arguments.agent,
            agent_type=arguments.agent_type,
            session_id=arguments.session_id,
        )
        lifetime = None if arguments.expires_in is None else arguments.expires_in * SECOND
        issued, token = await self._tokens.issue(credential, lifetime, call)
        return TokenMade(
            token=token.view(self._clock()), secret=issued.secret, note=None if self._auth_is_on else _AUTH_IS_OFF
        )

    @_token_tool(
        "revoke_token",
        title="Revoke a token",
        description="Revoke a token of your tenant: every server refuses it within a second.",
        audited_as="token_revoked",
        writes=True,
        destructive=True,
        frees=True,
        repeatable=True,
        routes=(Route("DELETE", "/tokens/{token_id}"),),
    )
    async def revoke(self, call: Call, arguments: RevokeToken) -> TokenRevoked:
        token_id = arguments.token_id
        await self._tokens.find(token_id, call.caller.tenant)

        async def body(work: Work) -> TokenRevoked:
            await revoke_token(work.tx, token_id, work.now)
            work.touched(f"token:{token_id}")
            return TokenRevoked(token_id=token_id, status="revoked")

        revoked = await self._ledger.write(call, TokenRevoked, body)
        self._tokens.forget_verified()
        return revoked
