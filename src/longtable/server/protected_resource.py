"""The server as an OAuth 2.1 resource server: where clients sign in (RFC 9728), and what more they may ask for."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from longtable.app import App
from longtable.identity.model import WORKERS, Credential
from longtable.identity.scopes import InsufficientScope, Scopes
from longtable.kernel.caller import Role
from longtable.kernel.errors import LongtableError, Unauthorized
from longtable.rest.replies import refusal
from longtable.server.admission import tool_calls
from longtable.server.senders import CREDENTIAL
from longtable.toolkit.tool import Tool

WELL_KNOWN = "/.well-known/"
NOT_OFFERED = frozenset({"/register"})
"""Where clients look for an authorization server, and are told that there is none here."""

_METADATA = f"{WELL_KNOWN}oauth-protected-resource"
_FOR_PAGES = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET",
    "Access-Control-Allow-Headers": "*",
    "Cache-Control": "public, max-age=300",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """`first_scopes` are those that a client is told to begin with. Names of tools behind the gateway begin with
    `upstream_prefix`."""

    app: App
    resource: str
    issuer: str
    scopes: Scopes
    first_scopes: tuple[str, ...]
    upstream_prefix: str

    @classmethod
    def of(cls, app: App, upstream_prefix: str) -> "ProtectedResource | None":
        """None where there is nowhere to sign in: clients that are offered it ignore tokens that they were given."""
        settings = app.settings
        if app.auth != "jwt" or settings.resource is None or settings.jwt_issuer is None:
            return None
        scopes = Scopes(settings.oauth_scope_prefix)
        first_scopes = scopes.up_to(settings.oauth_first_scope)
        return cls(app, settings.resource, settings.jwt_issuer, scopes, first_scopes, upstream_prefix)

    def routes(self) -> list[Route]:
        own = {self.app.settings.http_path, urlsplit(self.resource).path}
        paths = [_METADATA, *(_METADATA + path for path in sorted(own))]
        return [Route(path, self._describe, methods=["GET", "OPTIONS"]) for path in paths]

    async def _describe(self, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(None, 204, _FOR_PAGES)
        described = {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": list(self.scopes.all),
            "bearer_methods_supported": ["header"],
            "resource_name": self.app.settings.server_name,
        }
        return JSONResponse(described, headers=_FOR_PAGES)

    def challenge(self, error: LongtableError, token_sent: bool) -> dict[str, str]:
        """The header of a refusal that a token with more scope would avoid; none for other refusals."""
        if isinstance(error, InsufficientScope):
            return self._challenge("insufficient_scope", error.scopes)
        if isinstance(error, Unauthorized):
            return self._challenge("invalid_token" if token_sent else None, self.first_scopes)
        return {}

    def _challenge(self, problem: str | None, scopes: tuple[str, ...]) -> dict[str, str]:
        metadata = f"{self.app.settings.public_url}{_METADATA}{self.app.settings.http_path}"
        parts = {"resource_metadata": metadata, "scope": " ".join(scopes), "error": problem}
        listed = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value is not None)
        return {"WWW-Authenticate": f"Bearer {listed}"}

    def require_scope(self, credential: Credential, message: Any) -> None:
        """Raises InsufficientScope for a call that a token with more scope could make. Whether this caller may make it
        with what it has is decided later."""
        for name, _ in tool_calls(message):
            self.scopes.require(credential, name, self._roles_of(name))

    def refuse_early(self, request: Request, tool: Tool[Any]) -> Response | None:
        """The same for a request of REST."""
        try:
            self.scopes.require(request.scope[CREDENTIAL], tool.name, _open_to(tool))
        except InsufficientScope as error:
            response = refusal(error)
            response.headers.update(self.challenge(error, token_sent=True))
            return response
        return None

    def _roles_of(self, name: str) -> frozenset[Role]:
        tool = self.app.dispatcher.tools.get(name)
        if tool is None:
            return WORKERS if name.startswith(self.upstream_prefix) else frozenset(Role)
        return _open_to(tool) if tool.over_mcp else frozenset(Role)


def _open_to(tool: Tool[Any]) -> frozenset[Role]:
    return tool.roles | {Role.AGENT} if tool.for_unbound_agents else tool.roles
