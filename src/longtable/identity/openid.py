"""People sign in at an identity provider (OpenID Connect, authorization code with PKCE): whoever its ID token names is
a person here. Nothing is kept between the two halves of a sign-in but one secret in the browser, from which state,
nonce and code verifier are made."""

import asyncio
import base64
import hashlib
import hmac
import unicodedata
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from longtable.identity.claims import claim_at, group_role, texts_of
from longtable.identity.discovery import ProviderFailed, ProviderMetadata, discover, exchange
from longtable.identity.key_set import RemoteKeySet, fetch_keys
from longtable.identity.model import Credential, tenant_problem
from longtable.identity.signed_tokens import SignedTokens
from longtable.kernel.clock import MINUTE, Clock
from longtable.kernel.errors import Forbidden, LongtableError, Unauthorized, UpstreamError
from longtable.kernel.ids import new_secret
from longtable.kernel.logs import logger
from longtable.kernel.names import HUMAN_PREFIX, name_problem, poses_as_person
from longtable.settings.options import Settings

_FRESH_FOR = 5 * MINUTE
_AT_ONCE = 8
"""Sign-ins for which the provider is asked at a time: anybody can begin one."""


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """What a browser brings back from the provider. `flow` is the secret that it was given before."""

    flow: str
    state: str
    code: str | None
    error: str | None
    issuer: str | None


class OpenIdSignIn:
    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._issuer = settings.oidc_issuer or ""
        self._client_id = settings.oidc_client_id or ""
        keys = RemoteKeySet(lambda: fetch_keys(discover(self._issuer).jwks_uri), clock)
        self._id_tokens = SignedTokens(self._issuer, self._client_id, keys.find)
        self._asking = asyncio.Semaphore(_AT_ONCE)
        self._known: tuple[ProviderMetadata, int] | None = None

    @property
    def provider(self) -> str:
        """Its name for people."""
        return urlsplit(self._issuer).netloc

    async def begin(self, redirect_uri: str) -> tuple[str, str]:
        """The address to send a browser to, and the secret that it brings back. Raises UpstreamError."""
        metadata, flow = await self._metadata(), new_secret("flow")
        if metadata.authorization_endpoint is None:
            raise self._failed("its metadata name no address to sign in at")
        challenge = hashlib.sha256(_derived(flow, "verifier").encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": self._settings.oidc_scopes,
            "state": _derived(flow, "state"),
            "nonce": _derived(flow, "nonce"),
            "code_challenge": _text(challenge),
            "code_challenge_method": "S256",
        }
        endpoint = metadata.authorization_endpoint
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}", flow

    async def finish(self, response: ProviderAnswer, redirect_uri: str) -> Credential:
        """The person who has signed in. Raises Unauthorized for a response that is not the one to what began in this
        browser, Forbidden for a person who may not come in, and UpstreamError where the provider fails."""
        if not response.flow or not _is_derived(response.state, response.flow, "state"):
            raise _refused("state")
        metadata = await self._metadata()
        if response.issuer != self._issuer and (response.issuer is not None or metadata.names_itself):
            raise _refused("issuer")
        if response.code is None:
            raise _refused(f"provider: {(response.error or 'no code')[:60]}")
        token = await self._id_token(metadata, response, redirect_uri)
        claims = await self._id_tokens.claims_of(token)
        if claims is None or not self._is_for_us(claims, response.flow):
            raise _refused("ID token")
        return self._person(claims)

    async def _id_token(self, metadata: ProviderMetadata, response: ProviderAnswer, redirect_uri: str) -> str:
        form = {
            "grant_type": "authorization_code",
            "code": response.code or "",
            "redirect_uri": redirect_uri,
            "code_verifier": _derived(response.flow, "verifier"),
            "client_id": self._client_id,
        }
        if metadata.token_endpoint is None:
            raise self._failed("its metadata name no address for tokens")
        secret = self._settings.oidc_client_secret
        user = None if secret is None or metadata.secret_in_form else (self._client_id, secret)
        if secret is not None and user is None:
            form["client_secret"] = secret
        status, answer = await self._asks(exchange, "POST", metadata.token_endpoint, form, user)
        token = answer.get("id_token")
        if status >= 500:
            raise self._failed(f"HTTP {status}")
        if status != 200 or not isinstance(token, str):
            raise _refused(f"token: {str(answer.get('error', status))[:60]}")
        return token

    def _is_for_us(self, claims: dict[str, Any], flow: str) -> bool:
        """Signature, issuer, audience and times are checked; a token for several must say that it was made for us."""
        nonce, audience = claims.get("nonce"), claims["aud"]
        is_alone = isinstance(audience, str) or len(audience) == 1
        return (
            isinstance(nonce, str)
            and _is_derived(nonce, flow, "nonce")
            and (claims.get("azp") == self._client_id or (is_alone and "azp" not in claims))
        )

    def _person(self, claims: dict[str, Any]) -> Credential:
        settings = self._settings
        name = claim_at(claims, settings.oidc_claim_name)
        name = unicodedata.normalize("NFC", name.strip()) if isinstance(name, str) else ""
        if name_problem(HUMAN_PREFIX + name) or not name or poses_as_person(name):
            logger.warning("sign_in_refused", reason="name", claim=settings.oidc_claim_name)
            raise Forbidden("Your account has no name that can be used here.", hint="Ask who runs this server.")
        entry = group_role(settings.oidc_groups, claim_at(claims, settings.oidc_claim_groups))
        if entry is None:
            groups = texts_of(claim_at(claims, settings.oidc_claim_groups))
            logger.warning("sign_in_refused", reason="groups", claimed=None if groups is None else len(groups))
            raise Forbidden("Your account may not use this server.", hint="Ask who runs it.")
        tenant = entry.tenant or settings.effective_oidc_tenant
        if tenant_problem(tenant):
            raise Forbidden("Your account belongs to no tenant of this server.", hint="Ask who runs it.")
        return Credential(tenant, entry.role, name, expires_at=self._clock() + settings.oidc_lifetime)

    async def _metadata(self) -> ProviderMetadata:
        if self._known is not None and self._clock() < self._known[1]:
            return self._known[0]
        found: ProviderMetadata = await self._asks(discover, self._issuer)
        self._known = found, self._clock() + _FRESH_FOR
        return found

    async def _asks(self, ask: Any, *arguments: Any) -> Any:
        async with self._asking:
            try:
                return await asyncio.to_thread(ask, *arguments)
            except ProviderFailed as error:
                raise self._failed(str(error)) from error

    def _failed(self, problem: str) -> UpstreamError:
        logger.warning("identity_provider_failed", problem=problem)
        return UpstreamError("The identity provider cannot be used at the moment.", hint="Try again in a moment.")


def _refused(reason: str) -> LongtableError:
    logger.info("sign_in_refused", reason=reason)
    return Unauthorized()


def _derived(flow: str, purpose: str) -> str:
    """43 characters that nobody can tell who does not have the secret."""
    return _text(hmac.digest(flow.encode("utf-8", "replace"), purpose.encode(), "sha256"))


def _is_derived(given: str, flow: str, purpose: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), _derived(flow, purpose).encode())


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
