"""The private hosts that an operator allows count for tokens that were got before, too."""

import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, OAuthToken

from longtable.kernel.errors import UpstreamError
from longtable.upstreams import oauth

HOST = "10.255.255.1"


def grant(*allowed: str) -> oauth.Grant:
    """Of an authorization server inside a private network, where nobody is."""
    issuer = f"https://{HOST}:1"
    return oauth.Grant(
        upstream="vault",
        server=OAuthMetadata.model_validate(
            {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}/authorize",
                "token_endpoint": f"{issuer}/token",
                "response_types_supported": ["code"],
            }
        ),
        client=OAuthClientInformationFull(client_id="longtable", redirect_uris=None),
        resource="https://vault.example/mcp",
        redirect_uri="https://table.example/oauth/callback",
        allowed_hosts=list(allowed),
        token=OAuthToken(access_token="old", refresh_token="once"),
    )


async def test_a_host_that_is_not_allowed_any_more_gets_no_refresh_token() -> None:
    with pytest.raises(UpstreamError, match="private"):
        await oauth.refresh(oauth.with_hosts(grant(HOST), frozenset()))


def test_a_host_that_is_allowed_now_counts_at_once() -> None:
    assert oauth.with_hosts(grant(), frozenset({HOST})).allowed_hosts == [HOST]
