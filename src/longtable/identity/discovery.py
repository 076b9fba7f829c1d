"""What an identity provider says of itself (RFC 8414, OpenID Connect Discovery), and its answers to our requests. All
of it blocks: it is called in threads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from longtable.settings.sign_in_kinds import is_on_this_machine, is_private

_SECONDS = 10.0
_LARGEST = 1_048_576


class ProviderFailed(OSError):
    """The provider was not reached, or what it said is of no use."""


@dataclass(frozen=True, slots=True)
class ProviderMetadata:
    issuer: str
    jwks_uri: str
    authorization_endpoint: str | None
    token_endpoint: str | None
    secret_in_form: bool
    """Whether a client shows its secret in the form and not in the header."""
    names_itself: bool
    """Whether its responses carry `iss` (RFC 9207)."""


def discover(issuer: str) -> ProviderMetadata:
    """Raises ProviderFailed."""
    problem = "it has no metadata"
    for address in _addresses(issuer):
        status, found = exchange("GET", address)
        if status == 200:
            return _metadata(issuer, found)
        problem = f"HTTP {status} at its metadata"
    raise ProviderFailed(problem)


def exchange(
    method: str, address: str, form: Mapping[str, str] | None = None, user: tuple[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Status and JSON object of an answer; an empty one where it is something else. Raises ProviderFailed."""
    if not is_private(address):
        raise ProviderFailed("it names an address that is not https")
    # A proxy that the environment names is of no use for this machine.
    client = httpx2.Client(timeout=_SECONDS, follow_redirects=False, trust_env=not is_on_this_machine(address))
    try:
        with (
            client,
            client.stream(method, address, data=form, auth=user, headers={"Accept": "application/json"}) as response,
        ):
            body = b""
            for part in response.iter_bytes():
                body += part
                if len(body) > _LARGEST:
                    raise ProviderFailed("its answer is too large")
        return response.status_code, _json_object(response, body)
    except httpx2.HTTPError as error:
        raise ProviderFailed(type(error).__name__) from error


def _json_object(response: httpx2.Response, body: bytes) -> dict[str, Any]:
    try:
        found = httpx2.Response(response.status_code, content=body).json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _addresses(issuer: str) -> list[str]:
    parts = urlsplit(issuer)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return [
        f"{origin}{path}/.well-known/openid-configuration",
        f"{origin}/.well-known/oauth-authorization-server{path}",
    ]


def _metadata(issuer: str, found: dict[str, Any]) -> ProviderMetadata:
    if found.get("issuer") != issuer:
        raise ProviderFailed("its metadata name another issuer")
    jwks = found.get("jwks_uri")
    if not isinstance(jwks, str) or not is_private(jwks):
        raise ProviderFailed("its metadata name no keys at an https address")
    methods = found.get("token_endpoint_auth_methods_supported")
    return ProviderMetadata(
        issuer=issuer,
        jwks_uri=jwks,
        authorization_endpoint=_endpoint(found, "authorization_endpoint"),
        token_endpoint=_endpoint(found, "token_endpoint"),
        secret_in_form=isinstance(methods, list) and "client_secret_basic" not in methods,
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
    )


def _endpoint(found: dict[str, Any], name: str) -> str | None:
    address = found.get(name)
    # An endpoint may have a query of its own.
    return address if isinstance(address, str) and is_private(address.partition("?")[0]) else None
