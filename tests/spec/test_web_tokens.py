"""JSON Web Tokens: those of the configured issuer count, with what their claims say, and no others."""

import base64
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from longtable.kernel.caller import Role
from longtable.kernel.clock import MINUTE, SECOND, to_iso
from tests.browser import signed_in
from tests.stores import Store
from tests.table import Table, laid

pytestmark = pytest.mark.slow

A_DAY = 86_400
"""Longer than all tests take: tokens are made before the first of them runs."""
ISSUER, AUDIENCE = "https://issuer.example", "longtable"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
BOSS = {"tenant": "acme", "role": "orchestrator", "sub": "boss"}


def token(claims: dict[str, Any], key: Any = KEY, algorithm: str = "RS256", kid: str = "main") -> str:
    whole = {"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + A_DAY, **claims}
    present = {name: value for name, value in whole.items() if value is not None}
    return jwt.encode(present, key, algorithm=algorithm, headers={"kid": kid})


@pytest.fixture
async def federated(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """Auth by JWT, with the issuer's keys in a file."""
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
    keys = tmp_path / "jwks.json"
    keys.write_text(json.dumps({"keys": [{**public, "kid": "main", "alg": "RS256", "use": "sig"}]}))
    options = {"auth": "jwt", "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE, "jwt_jwks": str(keys)}
    async with laid(store, tmp_path, **options) as table:
        yield table


async def test_the_claims_say_who_is_calling(federated: Table) -> None:
    await federated.agent(token=token(BOSS)).calls("create_session", session_id="sess_acme")
    claims = {
        "tenant": "acme",
        "role": "agent",
        "agent": "scout",
        "agent_type": "explorer",
        "session": "sess_acme",
    }
    scout = federated.agent(token=token(claims))

    await scout.calls("add_message", content="here")

    message = (await scout.calls("get_messages"))["messages"][0]
    assert (message["sender"], message["sender_type"], message["session_id"]) == ("scout", "explorer", "sess_acme")
    assert (await scout.tries("list_sessions"))["code"] == "FORBIDDEN"


async def test_tenants_of_one_issuer_are_apart(federated: Table) -> None:
    await federated.agent(token=token(BOSS)).calls("create_session", session_id="sess_acme")

    rival = federated.agent(token=token({**BOSS, "tenant": "rival"}))

    assert (await rival.calls("list_sessions"))["sessions"] == []
    assert (await rival.tries("get_session", session_id="sess_acme"))["code"] == "SESSION_NOT_FOUND"


async def test_our_own_tokens_still_count_beside_them(federated: Table) -> None:
    from longtable.identity.model import Credential

    issued = await federated.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)

    assert (await federated.agent(token=issued.secret).client.get("/sessions")).status_code == 200


PUBLIC_PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def forged_with_the_public_key() -> str:
    """Signed with a shared secret that everybody knows: the issuer's public key."""
    import hashlib
    import hmac

    def part(value: Any) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + A_DAY, **BOSS}
    signed = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': 'main'})}.{part(claims)}"
    digest = hmac.new(PUBLIC_PEM, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


FLAWS: dict[str, str] = {
    "another key": token(BOSS, OTHER_KEY),
    "an unknown key": token(BOSS, OTHER_KEY, kid="other"),
    "another issuer": token({**BOSS, "iss": "https://evil.example"}),
    "another audience": token({**BOSS, "aud": "somebody"}),
    "expired": token({**BOSS, "exp": int(time.time()) - 60}),
    "without an expiry": token({**BOSS, "exp": None}),
    "not yet valid": token({**BOSS, "nbf": int(time.time()) + A_DAY}),
    "no algorithm": token(BOSS, None, "none"),
    "a shared secret": forged_with_the_public_key(),
    "without a tenant": token({"role": "owner"}),
    "the tenant of the program itself": token({**BOSS, "tenant": "*"}),
    "without a role": token({"tenant": "acme"}),
    "a role that no token has": token({**BOSS, "role": "local"}),
    "an agent without a session": token({"tenant": "acme", "role": "agent", "agent": "scout"}),
    "a session that is none": token({**BOSS, "session": "!"}),
    "an agent that poses as a person": token({**BOSS, "agent": "human:eva"}),
    "not a token": "a.b.c",
}


@pytest.mark.parametrize("flaw", FLAWS)
async def test_every_flaw_gets_the_same_401(federated: Table, flaw: str) -> None:
    nobody = await federated.agent().client.get("/sessions")

    answer = await federated.agent(token=FLAWS[flaw]).client.get("/sessions")

    assert answer.status_code == 401
    assert answer.content == nobody.content


async def test_a_login_to_the_console_ends_with_the_token_that_made_it(federated: Table) -> None:
    ends = int(time.time()) + 60
    credential = await federated.app.verifier.verify(token({**BOSS, "role": "human", "exp": ends}))

    async with signed_in(federated.http, credential) as browser:
        told = (await browser.get("/me")).json()
        federated.clock.ahead = MINUTE
        after = await browser.get("/me")

    assert told["login_expires_at"] == to_iso(ends * SECOND)
    assert after.status_code == 401
