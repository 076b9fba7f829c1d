"""JSON Web Tokens: those of the configured issuer count, with what their claims say, and no others."""

import base64
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from longtable.kernel.caller import Role
from longtable.kernel.errors import ConfigError
from tests.stores import Store
from tests.table import ADDRESS, Refused, Table, open_table

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
    async with open_table(store, tmp_path, public_url=ADDRESS, **options) as table:
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


async def test_a_call_that_needs_more_scope_is_in_the_audit_log(federated: Table) -> None:
    boss = federated.agent(token=token(BOSS))
    await boss.calls("create_session", session_id="sess_acme")
    reader = federated.agent(token=token({"tenant": "acme", "sub": "robot", "scope": "longtable:read"}))

    with pytest.raises(Refused, match="FORBIDDEN"):
        await reader.calls("set_memory", key="k", value="v")

    log = (await boss.calls("get_audit_log", event_type="memory_set"))["entries"]
    assert [(each["agent_id"], each["outcome"]) for each in log] == [("robot", "FORBIDDEN")]


async def test_our_own_tokens_still_count_beside_them(federated: Table) -> None:
    from longtable.identity.model import Credential

    issued = await federated.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)

    assert (await federated.agent(token=issued.secret).client.get("/sessions")).status_code == 200


PUBLIC_PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def part(value: Any) -> str:
    return encoded(json.dumps(value).encode())


def encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def headed(header: dict[str, Any], key: Any = KEY) -> str:
    """Signed well, with this beside the algorithm in its header."""
    return signed_raw(claims_json(), {"alg": "RS256", "typ": "JWT", "kid": "main", **header}, key)


def signed_raw(claims: bytes, header: Any = None, key: Any = KEY) -> str:
    """A good signature of whatever the claims are."""
    signed = f"{part(header or {'alg': 'RS256', 'kid': 'main'})}.{encoded(claims)}"
    return f"{signed}.{encoded(key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def claims_json(**odd: Any) -> bytes:
    return json.dumps({"iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + A_DAY, **BOSS, **odd}).encode()


def unsigned(algorithm: Any) -> str:
    return f"{part({'alg': algorithm, 'kid': 'main'})}.{encoded(claims_json())}."


def spliced(good: str, claims_of: str) -> str:
    header, _, signature = good.split(".")
    return f"{header}.{claims_of.split('.')[1]}.{signature}"


def forged_with_the_public_key() -> str:
    """Signed with a shared secret that everybody knows: the issuer's public key."""
    import hashlib
    import hmac

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
    "three empty parts": "..",
    "no signature": token(BOSS).rpartition(".")[0] + ".",
    "another signature": token(BOSS).rpartition(".")[0] + "." + token({**BOSS, "sub": "x"}).rpartition(".")[2],
    "claims of another token": spliced(token(BOSS), token({**BOSS, "role": "owner"}, OTHER_KEY)),
    "a header that is no JSON": "e30x." + token(BOSS).partition(".")[2],
    "a header that is a list": f"{part([])}." + token(BOSS).partition(".")[2],
    "claims that are a list": signed_raw(b"[]"),
    "claims that are no JSON": signed_raw(b"{"),
    "claims that are deeply nested": signed_raw(b"[" * 20_000 + b"]" * 20_000),
    "a key id that is a list": headed({"kid": ["main"]}),
    "a key id that is a number": headed({"kid": 1}),
    "a key id that is empty": headed({"kid": ""}),
    "a key that the token brings": headed({"kid": "mine", "jwk": {"kty": "oct", "k": "c2VjcmV0"}}, OTHER_KEY),
    "an address of keys that the token brings": headed({"kid": "mine", "jku": "https://evil.example"}, OTHER_KEY),
    "an extension that must be understood": headed({"crit": ["x"], "x": 1}),
    "an unsigned token with a key id": unsigned("none"),
    "an unsigned token in capitals": unsigned("NONE"),
    "an unsigned token without an algorithm": unsigned(None),
    "an algorithm that is a list": unsigned(["RS256"]),
    "the key with another algorithm": token(BOSS, KEY, "RS512"),
    "an expiry that is a text": token({**BOSS, "exp": "soon"}),
    "an expiry that is a list": signed_raw(claims_json(exp=[1])),
    "an expiry that is an object": signed_raw(claims_json(exp={})),
    "an expiry that is endless": signed_raw(claims_json().replace(b'"exp":', b'"exp": 1e999, "was":')),
    "an expiry that is no number": signed_raw(claims_json().replace(b'"exp":', b'"exp": NaN, "was":')),
    "an expiry that is true": signed_raw(claims_json(exp=True)),
    "an expiry before all time": signed_raw(claims_json(exp=-(10**30))),
    "a beginning that is an object": signed_raw(claims_json(nbf={})),
    "issued at a list": signed_raw(claims_json(iat=[])),
    "issued in the future": token({**BOSS, "iat": int(time.time()) + A_DAY}),
    "an issuer that is a list": signed_raw(claims_json(iss=[ISSUER])),
    "an audience that is an object": signed_raw(claims_json(aud={"a": AUDIENCE})),
    "an audience of numbers": signed_raw(claims_json(aud=[1, 2])),
    "without an audience": token({**BOSS, "aud": None}),
    "without an issuer": token({**BOSS, "iss": None}),
    "a role that is an object": token({**BOSS, "role": {"owner": True}}),
    "a role that is a number": token({**BOSS, "role": 1}),
    "a role that is true": token({**BOSS, "role": True}),
    "the role of a person": token({**BOSS, "role": "human"}),
    "the role of an owner": token({**BOSS, "role": "owner"}),
    "the roles of people": token({**BOSS, "role": ["owner", "human"]}),
    "the role of a person with a scope": token({**BOSS, "role": "human", "scope": "longtable:conduct"}),
    "a scope that is none of ours": token({"tenant": "acme", "sub": "boss", "scope": "openid longtable:own"}),
    "bound to a key that nobody shows": token({**BOSS, "cnf": {"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}}),
    "a role in capitals": token({**BOSS, "role": "OWNER"}),
    "roles that are none of ours": token({**BOSS, "role": ["admin", "local"]}),
    "an empty list of roles": token({**BOSS, "role": []}),
    "a list of lists of roles": token({**BOSS, "role": [["owner"]]}),
    "roles with an object among them": token({**BOSS, "role": ["owner", {}]}),
    "a tenant that is a list": token({**BOSS, "tenant": ["acme"]}),
    "a tenant that is empty": token({**BOSS, "tenant": ""}),
    "a tenant of many letters": token({**BOSS, "tenant": "x" * 101}),
    "an agent that is a number": token({**BOSS, "agent": 7}),
    "an agent that is an object": token({**BOSS, "agent": {}}),
    "an agent with a control character": token({**BOSS, "agent": "a\nb"}),
    "an agent that is written backwards": token({**BOSS, "agent": "\u202eada"}),
    "an agent type that poses as a person": token({**BOSS, "agent_type": "human:eva"}),
    "a session that is a list": token({**BOSS, "session": ["sess_acme"]}),
    "a subject that is a person": token({**BOSS, "sub": "human:joe"}),
    "a subject that is a person in capitals": token({**BOSS, "sub": "HUMAN:joe"}),
    "a subject that is a person in full width": token({**BOSS, "sub": "human\uff1ajoe"}),
    "a subject that is a person in Cyrillic": token({**BOSS, "sub": "hum\u0430n:joe"}),
    "a subject that is a person of many letters": token({**BOSS, "sub": "human:" + "x" * 200}),
    "a subject that is a person of the role owner": token({**BOSS, "role": "owner", "sub": "human:joe"}),
    "a subject that hides something": token({**BOSS, "sub": "jo\u200be"}),
    "a subject that is a list": signed_raw(claims_json(sub=["boss"])),
}


def test_there_are_flaws_of_many_kinds() -> None:
    assert len(FLAWS) >= 56


async def test_every_flaw_gets_the_same_401(federated: Table) -> None:
    nobody = await federated.agent().client.get("/sessions")

    answers = {flaw: await federated.agent(token=forged).client.get("/sessions") for flaw, forged in FLAWS.items()}

    assert nobody.status_code == 401
    assert {flaw: answer.text for flaw, answer in answers.items() if answer.content != nobody.content} == {}
    assert {answer.status_code for answer in answers.values()} == {401}


@pytest.mark.parametrize(
    ("claimed", "role"),
    [
        (["reader", "owner", "admin"], "reader"),
        (["orchestrator", "human"], "orchestrator"),
        (["orchestrator", "reader", "local"], "orchestrator"),
        (["reader"], "reader"),
    ],
)
async def test_of_a_list_of_roles_the_strongest_that_software_can_have_counts(
    federated: Table, claimed: list[str], role: str
) -> None:
    me = await federated.agent(token=token({**BOSS, "role": claimed})).client.get("/me")

    assert me.json()["role"] == role


async def test_a_token_that_ends_after_all_time_still_counts(federated: Table) -> None:
    bearer = federated.agent(token=token({**BOSS, "exp": 10**18}))

    assert (await bearer.client.get("/me")).status_code == 200


async def test_no_token_signs_anybody_in_to_the_console(federated: Table) -> None:
    browser = federated.agent().client

    answers = [
        await browser.post("/login", data={"token": token({**BOSS, "role": role})})
        for role in ("orchestrator", "human", "owner", ["owner", "orchestrator"])
    ]

    assert [answer.status_code for answer in answers] == [403, 401, 401, 403]
    assert not browser.cookies


@pytest.mark.parametrize(
    "text", [None, "no JSON", "[]", '{"keys": ["x"]}', "{}", '{"keys": []}', '{"keys": [{"kty": "none"}]}']
)
async def test_a_server_does_not_start_with_keys_that_it_cannot_read(
    store: Store, tmp_path: Path, text: str | None
) -> None:
    keys = tmp_path / "keys.json"
    if text is not None:
        keys.write_text(text)
    options = {"auth": "jwt", "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE, "jwt_jwks": str(keys)}

    with pytest.raises(ConfigError, match="jwt_jwks: the file must hold a JSON Web Key Set"):
        await open_table(store, tmp_path, **options).__aenter__()
