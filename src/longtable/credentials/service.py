"""Makes, lists and revokes the tokens of the caller's own tenant."""

from dataclasses import dataclass

from longtable.credentials.model import TokenList, TokenMade, TokenRevoked
from longtable.identity.model import Credential
from longtable.identity.tokens import Tokens, token_name
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.clock import Clock

_AUTH_IS_OFF = "Auth is off, so nobody is asked for a token yet: 'longtable serve --auth tokens' switches it on."


@dataclass(frozen=True, slots=True)
class NewToken:
    role: Role
    name: str | None = None
    agent: str | None = None
    agent_type: str | None = None
    session_id: str | None = None
    expires_in: int | None = None


class Credentials:
    """`auth_is_on` says whether anybody is asked for a token at all."""

    def __init__(self, tokens: Tokens, clock: Clock, auth_is_on: bool) -> None:
        self._tokens = tokens
        self._clock = clock
        self._auth_is_on = auth_is_on

    async def list(self, call: Call) -> TokenList:
        now = self._clock()
        tokens = [token.view(now) for token in await self._tokens.list(call.caller.tenant)]
        return TokenList(tokens=tokens, count=len(tokens))

    async def create(self, call: Call, new: NewToken) -> TokenMade:
        wanted = Credential(
            tenant=call.caller.tenant,
            role=new.role,
            name=token_name(new.role, new.agent, new.name),
            agent=new.agent,
            agent_type=new.agent_type,
            session_id=new.session_id,
        )
        issued, token = await self._tokens.issue(wanted, new.expires_in, call)
        return TokenMade(
            token=token.view(self._clock()), secret=issued.secret, note=None if self._auth_is_on else _AUTH_IS_OFF
        )

    async def revoke(self, call: Call, token_id: str) -> TokenRevoked:
        await self._tokens.revoke(token_id, call)
        return TokenRevoked(token_id=token_id, status="revoked")
