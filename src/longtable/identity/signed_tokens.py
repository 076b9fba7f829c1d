"""What an issuer has signed for one audience: the claims of a token that is right in every respect, or nothing."""

from collections.abc import Awaitable, Callable
from typing import Any

import jwt

from longtable.kernel.logs import logger

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric only: with a shared secret every verifier could forge a token."""

_LEEWAY = 10

FindKey = Callable[[str | None], Awaitable[jwt.PyJWK | None]]
"""The key of this id; for None the only one there is."""


class SignedTokens:
    def __init__(self, issuer: str, audience: str, find_key: FindKey) -> None:
        self.issuer = issuer
        self.audience = audience
        self._find_key = find_key

    async def claims_of(self, token: str) -> dict[str, Any] | None:
        """None for an invalid token, whatever is wrong with it."""
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
            if key_id is not None and not isinstance(key_id, str):
                return None
            key = await self._find_key(key_id)
            return None if key is None else self._decoded(token, key)
        except jwt.PyJWTError:
            return None
        except Exception as error:  # noqa: BLE001 - the caller must not learn that a claim of an odd type failed in a library
            logger.info("jwt_refused", reason=type(error).__name__)
            return None

    def _decoded(self, token: str, key: jwt.PyJWK) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            token,
            key.key,
            algorithms=[key.algorithm_name] if key.algorithm_name in _ALGORITHMS else [],
            issuer=self.issuer,
            audience=self.audience,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "aud"]},
        )
        return claims
