"""Routes with which an owner connects an upstream that wants authorization, and disconnects it."""

from dataclasses import replace
from functools import partial

from longtable.gateway.arguments import NamedUpstream
from longtable.gateway.authorizations import NO_OAUTH, Authorizations
from longtable.gateway.results import ConnectLink, UpstreamDisconnected
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.errors import NotFound
from longtable.toolkit.tool import Route, Scope, tool

_change = partial(tool, group="gateway", scope=Scope.TENANT, over_mcp=False, writes=True, roles=frozenset({Role.OWNER}))


class AuthorizationTools:
    def __init__(self, authorizations: Authorizations) -> None:
        self._authorizations = authorizations

    @_change(
        "connect_upstream",
        title="Connect an upstream",
        description="Make a link that leads an owner's browser to the authorization server of an upstream.",
        audited_as="upstream_connection_begun",
        routes=(Route("POST", "/upstreams/{upstream}/connect"),),
    )
    async def connect(self, call: Call, arguments: NamedUpstream) -> ConnectLink:
        if self._authorizations.find_entry(call.caller.tenant, arguments.upstream) is None:
            raise NotFound(NO_OAUTH)
        # The link is a secret: it is not stored as the result of an idempotency key.
        return await self._authorizations.start(replace(call, idempotency_key=None), arguments.upstream)

    @_change(
        "disconnect_upstream",
        title="Disconnect an upstream",
        description="Delete the tokens of an upstream, and have them revoked.",
        audited_as="upstream_disconnected",
        destructive=True,
        frees=True,
        routes=(Route("POST", "/upstreams/{upstream}/disconnect"),),
    )
    async def disconnect(self, call: Call, arguments: NamedUpstream) -> UpstreamDisconnected:
        return await self._authorizations.disconnect(call, arguments.upstream)
