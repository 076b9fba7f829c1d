"""OAuth towards an upstream, by the rules of MCP: discovery (RFC 9728, RFC 8414), registration (RFC 7591), the
authorization code with PKCE for one resource (RFC 8707), refresh and revocation (RFC 7009). The steps are those of the
SDK's provider. Its own flow waits in one process for the browser to return; this one continues in any."""

import json
import re
import secrets
from collections.abc import Mapping
from typing import Any, NoReturn, cast

import httpx2
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError
from mcp.client.auth.oauth2 import OAuthContext, PKCEParameters, check_registration_usable
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    create_client_registration_request,
    create_oauth_metadata_request,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    get_client_metadata_scopes,
    handle_auth_metadata_response,
    handle_protected_resource_response,
    handle_registration_response,
    issuers_match,
    validate_authorization_response_iss,
    validate_metadata_issuer,
)
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url
from pydantic import AnyUrl, BaseModel, ValidationError

from longtable.kernel.errors import UpstreamError
from longtable.upstreams.entries import HttpEntry
from longtable.upstreams.safety import Destination, describe, read_body, safe_client

_SECONDS = 15.0
_LARGEST_BODY = 262_144
_ERROR_CODE = re.compile(r"[a-z_]{1,60}")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_REJECTED = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
_FORM = {"content-type": "application/x-www-form-urlencoded", "accept": "application/json"}


class GrantRejected(UpstreamError):
    """The authorization server does not accept what was granted any more: an owner has to connect again."""


class Grant(BaseModel):
    """Everything of one authorization, pending or complete. It holds secrets: it is stored encrypted, and shown to
    nobody. `allowed_hosts` are the private hosts that its requests may go to."""

    upstream: str
    server: OAuthMetadata
    client: OAuthClientInformationFull
    resource: str
    redirect_uri: str
    scope: str | None = None
    allowed_hosts: list[str] = []
    verifier: str | None = None
    token: OAuthToken | None = None

    @property
    def issuer(self) -> str:
        return str(self.server.issuer)

    def __repr__(self) -> str:
        return f"Grant({self.upstream!r})"

    __str__ = __repr__


async def begin(
    entry: HttpEntry, allowed_hosts: frozenset[str], redirect_uri: str, state: str, known: Grant | None
) -> tuple[str, Grant]:
    """The address to which the owner's browser is sent, and the pending grant. `known` may have registered a client
    that is used again."""
    hosts = _hosts(entry.url, allowed_hosts)
    refused = await _unauthorized_response(entry, frozenset(hosts))
    described = await _resource_metadata(entry, refused, frozenset(hosts))
    server = await _server_metadata(entry, described, frozenset(hosts))
    context = _context(entry.url, redirect_uri)
    context.protected_resource_metadata = described
    settings = entry.oauth
    scope = " ".join(settings.scopes) if settings is not None and settings.scopes else None
    context.client_metadata.scope = scope or get_client_metadata_scopes(
        extract_scope_from_www_auth(refused), described, server, context.client_metadata.grant_types
    )
    pkce = PKCEParameters.generate()
    grant = Grant(
        upstream=entry.name,
        server=server,
        client=await _client(entry, server, context.client_metadata, known, frozenset(hosts)),
        resource=context.get_resource_url(),
        redirect_uri=redirect_uri,
        scope=context.client_metadata.scope,
        allowed_hosts=hosts,
        verifier=pkce.code_verifier,
    )
    return _authorization_url(grant, state, pkce.code_challenge), grant


def with_hosts(grant: Grant, allowed_hosts: frozenset[str]) -> Grant:
    """The operator may have changed them since the grant was stored."""
    return grant.model_copy(update={"allowed_hosts": _hosts(grant.resource, allowed_hosts)})


def _hosts(url: str, allowed_hosts: frozenset[str]) -> list[str]:
    return sorted(allowed_hosts | (_LOOPBACK if Destination(_host(url)).is_loopback else frozenset()))


async def finish(grant: Grant, code: str, issuer: str | None) -> Grant:
    """Exchanges the code for tokens. `issuer` is the one that the response names (RFC 9207)."""
    check_issuer(grant, issuer)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": grant.redirect_uri,
        "client_id": grant.client.client_id,
        "code_verifier": grant.verifier or "",
        "resource": grant.resource,
    }
    token = await _request_token(grant, form)
    token.scope = token.scope or grant.scope
    return grant.model_copy(update={"token": token, "verifier": None})


def check_issuer(grant: Grant, issuer: str | None) -> None:
    """Raises UpstreamError for a response of another authorization server than the one that was asked."""
    try:
        validate_authorization_response_iss(issuer, grant.server)
    except OAuthFlowError:
        raise UpstreamError(
            "The response is not from the authorization server that was asked.", upstream=grant.upstream
        ) from None


def is_for(grant: Grant, url: str) -> bool:
    """Whether the tokens were issued for the server at this address."""
    return check_resource_allowed(resource_url_from_server_url(url), grant.resource)


async def refresh(grant: Grant) -> Grant:
    """With new tokens. Raises GrantRejected where only a person can help, UpstreamError where a retry may."""
    if grant.token is None or grant.token.refresh_token is None:
        raise GrantRejected("Its access has expired and cannot be renewed.", upstream=grant.upstream)
    form = {
        "grant_type": "refresh_token",
        "refresh_token": grant.token.refresh_token,
        "client_id": grant.client.client_id,
        "resource": grant.resource,
    }
    token = await _request_token(grant, form)
    token.scope = token.scope or grant.token.scope
    token.refresh_token = token.refresh_token or grant.token.refresh_token
    return grant.model_copy(update={"token": token})


async def revoke(grant: Grant) -> bool:
    """Whether the authorization server has revoked the tokens; False where it offers no revocation."""
    endpoint = grant.server.revocation_endpoint
    if endpoint is None or grant.token is None:
        return False
    kinds = {"refresh_token": grant.token.refresh_token, "access_token": grant.token.access_token}
    for kind, token in kinds.items():
        if token is None:
            continue
        form = {"token": token, "token_type_hint": kind, "client_id": grant.client.client_id}
        response = await _post(grant, str(endpoint), form)
        if response.status_code != 200:
            return False
    return True


async def _unauthorized_response(entry: HttpEntry, hosts: frozenset[str]) -> httpx2.Response:
    """How the upstream answers without a token: a 401 names where its metadata are."""
    headers = {**entry.headers, "accept": "application/json, text/event-stream"}
    ping = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
    return await _send(entry.name, httpx2.Request("POST", entry.url, json=ping, headers=headers), hosts, most=0)


async def _resource_metadata(
    entry: HttpEntry, refused: httpx2.Response, hosts: frozenset[str]
) -> ProtectedResourceMetadata | None:
    urls = build_protected_resource_metadata_discovery_urls(extract_resource_metadata_from_www_auth(refused), entry.url)
    for url in urls:
        response = await _send(entry.name, create_oauth_metadata_request(url), hosts)
        if response.status_code >= 500 or response.status_code == 429:
            raise _failed(entry.name, f"its metadata are not available (HTTP {response.status_code})")
        metadata = await handle_protected_resource_response(response)
        if metadata is not None:
            expected = resource_url_from_server_url(entry.url)
            if not check_resource_allowed(expected, str(metadata.resource)):
                raise _failed(entry.name, "its metadata describe another resource")
            return metadata
    return None


async def _server_metadata(
    entry: HttpEntry, described: ProtectedResourceMetadata | None, hosts: frozenset[str]
) -> OAuthMetadata:
    issuer = str(described.authorization_servers[0]) if described is not None else None
    for url in build_oauth_authorization_server_metadata_discovery_urls(issuer, entry.url):
        response = await _send(entry.name, create_oauth_metadata_request(url), hosts)
        may_go_on, metadata = await handle_auth_metadata_response(response)
        if not may_go_on:
            break
        if metadata is None:
            continue
        _check_metadata_issuer(entry, metadata, issuer)
        if "S256" not in (metadata.code_challenge_methods_supported or []):
            raise _failed(entry.name, "its authorization server does not support PKCE with S256")
        return metadata
    raise _failed(entry.name, "its authorization server publishes no metadata")


def _check_metadata_issuer(entry: HttpEntry, metadata: OAuthMetadata, issuer: str | None) -> None:
    """Without metadata of the resource, the server itself must be the issuer."""
    url = httpx2.URL(entry.url)
    if issuer is None and issuers_match(str(metadata.issuer), f"{url.scheme}://{url.netloc.decode('ascii')}"):
        return
    try:
        validate_metadata_issuer(metadata, issuer or "")
    except OAuthFlowError:
        raise _failed(entry.name, "the metadata of its authorization server name another issuer") from None


async def _client(
    entry: HttpEntry,
    server: OAuthMetadata,
    metadata: OAuthClientMetadata,
    known: Grant | None,
    hosts: frozenset[str],
) -> OAuthClientInformationFull:
    settings = entry.oauth
    if settings is not None and settings.client_id is not None:
        return OAuthClientInformationFull(
            client_id=settings.client_id,
            client_secret=settings.client_secret,
            redirect_uris=metadata.redirect_uris,
            token_endpoint_auth_method=_auth_method(server, settings.client_secret),
        )
    redirects = metadata.redirect_uris or []
    if known is not None and known.issuer == str(server.issuer) and known.redirect_uri == str(redirects[0]):
        return known.client
    if server.registration_endpoint is None:
        raise UpstreamError(
            f"{entry.name} cannot be connected: its authorization server registers no clients by itself.",
            hint="Register one there, with this server's /oauth/callback, and put its client_id under oauth.",
            upstream=entry.name,
        )
    request = create_client_registration_request(server, metadata, "")
    try:
        client = await handle_registration_response(await _send(entry.name, request, hosts))
        check_registration_usable(client)
    except OAuthRegistrationError:
        raise _failed(entry.name, "its authorization server did not register this server as a client") from None
    return client


def _auth_method(server: OAuthMetadata, secret: str | None) -> str:
    supported = server.token_endpoint_auth_methods_supported or ["client_secret_basic"]
    if secret is None:
        return "none"
    return "client_secret_basic" if "client_secret_basic" in supported else "client_secret_post"


def _authorization_url(grant: Grant, state: str, challenge: str) -> str:
    parameters = {
        "response_type": "code",
        "client_id": grant.client.client_id,
        "redirect_uri": grant.redirect_uri,
        "state": state,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
        "resource": grant.resource,
    }
    if grant.scope:
        parameters["scope"] = grant.scope
        # OpenID Connect asks for it with this scope.
        if "offline_access" in grant.scope.split():
            parameters["prompt"] = "consent"
    return str(httpx2.URL(str(grant.server.authorization_endpoint)).copy_merge_params(parameters))


async def _request_token(grant: Grant, form: Mapping[str, str]) -> OAuthToken:
    response = await _post(grant, str(grant.server.token_endpoint), form)
    if response.status_code not in (200, 201):
        _raise_refused(grant, response)
    try:
        return OAuthToken.model_validate_json(response.content)
    except ValidationError:
        raise _failed(grant.upstream, "its authorization server answered with something that is not a token") from None


def _raise_refused(grant: Grant, response: httpx2.Response) -> NoReturn:
    """Only the code of the error is passed on: what else the response holds may be secret."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    code = body.get("error") if isinstance(body, dict) else None
    reason = code if isinstance(code, str) and _ERROR_CODE.fullmatch(code) else f"HTTP {response.status_code}"
    if reason in _REJECTED:
        raise GrantRejected(f"Its authorization server refused: {reason}.", upstream=grant.upstream)
    raise _failed(grant.upstream, f"its authorization server answered with {reason}")


async def _post(grant: Grant, url: str, form: Mapping[str, str]) -> httpx2.Response:
    context = _context(grant.resource, grant.redirect_uri)
    context.client_info = grant.client
    data, headers = context.prepare_token_auth(dict(form), dict(_FORM))
    request = httpx2.Request("POST", url, data=data, headers=headers)
    return await _send(grant.upstream, request, frozenset(grant.allowed_hosts))


async def _send(
    name: str, request: httpx2.Request, hosts: frozenset[str], most: int = _LARGEST_BODY
) -> httpx2.Response:
    """Follows no redirects. A loopback address counts as private here: an upstream elsewhere may name any host."""
    destination = Destination(request.url.host, hosts)
    if destination.is_loopback and not destination.is_allowed_host:
        raise _failed(name, f"{request.url.host} is refused: its address is loopback")
    request.headers.setdefault("user-agent", "longtable")
    request.headers["accept-encoding"] = "identity"
    try:
        async with safe_client(destination, timeout=_SECONDS) as client:
            response = await client.send(request, stream=True)
            body = await read_body(response, most) if most else None
            await response.aclose()
    except httpx2.TransportError as error:
        raise _failed(name, describe(error)) from None
    if body is not None and not body.is_whole:
        raise _failed(name, "its authorization server answered with too much")
    kept = {key: response.headers[key] for key in ("www-authenticate", "content-type") if key in response.headers}
    return httpx2.Response(response.status_code, headers=kept, content=body.data if body else b"", request=request)


def _context(server_url: str, redirect_uri: str) -> OAuthContext:
    is_local = Destination(_host(redirect_uri)).is_loopback
    metadata = OAuthClientMetadata(
        client_name="Longtable",
        redirect_uris=[AnyUrl(redirect_uri)],
        application_type="native" if is_local else "web",
    )
    # The tokens are stored elsewhere: the context only builds requests.
    return OAuthContext(server_url, metadata, cast(Any, None), None, None)


def _failed(name: str, problem: str) -> UpstreamError:
    return UpstreamError(f"{name} cannot be authorized: {problem}.", upstream=name)


def _host(url: str) -> str:
    return httpx2.URL(url).host


def new_state() -> str:
    return secrets.token_urlsafe(32)
