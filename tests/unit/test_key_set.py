"""The keys of an issuer: fetched when a token needs one that is not there, and no more often than that is of use."""

import asyncio
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from longtable.identity.key_set import FRESH_FOR, KEPT_FOR, PAUSE, PAUSE_AFTER_FAILURE, RemoteKeySet
from longtable.kernel.clock import HOUR

KEY = jwt.PyJWK.from_dict(
    {**jwt.algorithms.RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048).public_key(), as_dict=True), "kid": "a"}
)


class Issuer:
    def __init__(self) -> None:
        self.now = HOUR
        self.fetches = 0
        self.keys: dict[str, jwt.PyJWK] = {"a": KEY}
        self.is_down = False
        self.set = RemoteKeySet(self.fetch, lambda: self.now)

    def fetch(self) -> Any:
        self.fetches += 1
        if self.is_down:
            raise OSError("unreachable")
        return dict(self.keys)


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


def test_a_thousand_made_up_key_ids_cause_one_fetch(issuer: Issuer) -> None:
    async def ask() -> list[Any]:
        return await asyncio.gather(*(issuer.set.find(f"made-up-{number}") for number in range(1000)))

    assert set(asyncio.run(ask())) == {None}
    assert issuer.fetches == 1


async def ask(issuer: Issuer, key_id: str | None = "a", later: int = 0) -> Any:
    issuer.now += later
    return await issuer.set.find(key_id)


def test_a_new_key_is_found_after_the_pause(issuer: Issuer) -> None:
    async def story() -> list[Any]:
        first = await ask(issuer, "b")
        issuer.keys["b"] = KEY
        return [first, await ask(issuer, "b", PAUSE - 1), await ask(issuer, "b", 1)]

    assert asyncio.run(story()) == [None, None, KEY]
    assert issuer.fetches == 2


def test_known_keys_are_asked_for_again_after_their_time_and_a_key_that_is_gone_counts_no_more(issuer: Issuer) -> None:
    async def story() -> list[Any]:
        known = [await ask(issuer), await ask(issuer, later=FRESH_FOR - 1)]
        issuer.keys = {"b": KEY}
        return [*known, await ask(issuer, later=1)]

    assert asyncio.run(story()) == [KEY, KEY, None]
    assert issuer.fetches == 2


def test_while_the_issuer_is_away_its_keys_count_for_an_hour(issuer: Issuer) -> None:
    async def story() -> list[Any]:
        first = await ask(issuer)
        issuer.is_down = True
        stale = await ask(issuer, later=FRESH_FOR)
        return [first, stale, await ask(issuer, later=KEPT_FOR)]

    assert asyncio.run(story()) == [KEY, KEY, None]


def test_a_failed_fetch_is_not_repeated_at_once(issuer: Issuer) -> None:
    async def story() -> list[Any]:
        issuer.is_down = True
        failed = [await ask(issuer), await ask(issuer)]
        issuer.is_down = False
        return [*failed, await ask(issuer, later=PAUSE_AFTER_FAILURE)]

    assert asyncio.run(story()) == [None, None, KEY]
    assert issuer.fetches == 2


def test_a_token_without_a_key_id_is_for_the_only_key(issuer: Issuer) -> None:
    async def story() -> list[Any]:
        alone = await ask(issuer, None)
        issuer.keys["b"] = KEY
        return [alone, await ask(issuer, None, FRESH_FOR)]

    assert asyncio.run(story()) == [KEY, None]
