"""An MCP server that wants a token of an authorization server, and asks it about each. Its tool tells whose it is."""

import asyncio
import socket
import sys

import httpx2
import uvicorn
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer

_INTROSPECTOR = ("resource", "resource-secret")


class Introspection:
    def __init__(self, issuer: str) -> None:
        self._address = f"{issuer}/token/introspection"

    async def verify_token(self, token: str) -> AccessToken | None:
        async with httpx2.AsyncClient(auth=_INTROSPECTOR, trust_env=False) as client:
            claims = (await client.post(self._address, data={"token": token})).json()
        if not claims.get("active") or "tools" not in claims.get("scope", "").split():
            return None
        return AccessToken(
            token=token,
            client_id=claims["client_id"],
            scopes=claims["scope"].split(),
            resource=claims.get("aud"),
            subject=claims.get("sub"),
        )


async def main(issuer: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = MCPServer(
        "protected",
        token_verifier=Introspection(issuer),
        auth=AuthSettings.model_validate(
            {
                "issuer_url": issuer,
                "resource_server_url": f"{address}/mcp",
                "required_scopes": ["tools"],
                "validate_token_resource": True,
            }
        ),
    )

    @server.tool()
    def get_owner() -> str:
        """Tells whose token it was called with."""
        token = get_access_token()
        assert token is not None
        return f"{token.subject} by {token.client_id}"

    app = server.streamable_http_app()
    print(f"{address}/mcp", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve([listener])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
