"""The secret that only the people of a store know. They choose it, and short: it is kept salted and stretched."""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import unicodedata

from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT, operator
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.errors import Conflict, Forbidden, InvalidArgument, RateLimited
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import forget_fact, get_fact, set_fact

MIN_CHARACTERS = 8
ATTEMPTS = 5
WINDOW = MINUTE
_FACT = "human_secret"
_ATTEMPTS_FACT = "human_secret_attempts"
_UNSEEN_FACT = "human_secret_unseen"
_SCHEME = "scrypt"
_COST, _BLOCK, _PARALLEL = 2**15, 8, 1
_SALT_BYTES = 16


class HumanSecretSet(Result):
    replaced: bool


async def has_human_secret(database: Database) -> bool:
    return await _stored(database) is not None


async def verify_human_secret(database: Database, secret: str) -> bool:
    """Whether `secret` is the one that was set; False while none is."""
    stored = await _stored(database)
    return stored is not None and await asyncio.to_thread(_matches, secret, stored)


async def check_human_secret(ledger: Ledger, secret: str) -> None:
    """Raises Forbidden for a wrong one, and RateLimited after five attempts within a minute, in all processes
    together. An attempt is recorded before it is checked, so that many at once are no way around that."""
    database, now = ledger.database, ledger.clock()

    async def transaction(tx: Transaction) -> int:
        earlier = json.loads(await get_fact(tx, _ATTEMPTS_FACT) or "[]")
        recent = [moment for moment in earlier if moment > now - WINDOW]
        if len(recent) >= ATTEMPTS:
            return int((min(recent) + WINDOW - now) // SECOND + 1)
        await set_fact(tx, _ATTEMPTS_FACT, json.dumps([*recent, now]))
        return 0

    wait = await database.write(SYSTEM, transaction)
    if wait:
        raise RateLimited(
            "The human secret was given too often.", hint=f"Try again in {wait} seconds.", retry_after=wait
        )
    if not await verify_human_secret(database, secret):
        raise Forbidden("That is not the human secret.")
    await database.write(SYSTEM, lambda tx: forget_fact(tx, _ATTEMPTS_FACT))


async def first_set_unseen(database: Database) -> int | None:
    """When the first secret was set, until an owner has seen that it was."""
    fact = await database.read(SYSTEM, lambda tx: get_fact(tx, _UNSEEN_FACT))
    return None if fact is None else int(fact)


async def mark_first_set_seen(database: Database) -> None:
    await database.write(SYSTEM, lambda tx: forget_fact(tx, _UNSEEN_FACT))


async def set_human_secret(ledger: Ledger, secret: str, current: str | None) -> None:
    """Replacing a secret needs the `current` one: otherwise every agent with a shell could make itself human.
    Raises InvalidArgument, Forbidden or Conflict, with nothing changed."""
    check_strength(secret)
    database = ledger.database
    stored = await _stored(database)
    if stored is not None and not (current is not None and await asyncio.to_thread(_matches, current, stored)):
        raise Forbidden("The present human secret is another one.", hint="Without it, it cannot be replaced.")
    hashed = await asyncio.to_thread(_hash, secret)

    async def transaction(tx: Transaction) -> None:
        if await get_fact(tx, _FACT) != stored:
            raise Conflict("Somebody else has just set the human secret.")
        await set_fact(tx, _FACT, hashed)
        if stored is None:
            await set_fact(tx, _UNSEEN_FACT, str(ledger.clock()))

    await database.write(SYSTEM, transaction)
    await _audit(ledger, replaced=stored is not None)


def check_strength(secret: str) -> None:
    if len(secret.strip()) < MIN_CHARACTERS:
        raise InvalidArgument(f"The human secret must have at least {MIN_CHARACTERS} characters.")


async def _stored(database: Database) -> str | None:
    return await database.read(SYSTEM, lambda tx: get_fact(tx, _FACT))


async def _audit(ledger: Ledger, *, replaced: bool) -> None:
    call = Call(operator(DEFAULT_TENANT), "set_human_secret", "human_secret_set")

    async def body(work: Work) -> HumanSecretSet:
        work.touched("human_secret", replaced=replaced)
        return HumanSecretSet(replaced=replaced)

    await ledger.write(call, HumanSecretSet, body)


def _hash(secret: str) -> str:
    salt = secrets.token_bytes(_SALT_BYTES)
    derived = _derive(secret, salt, _COST, _BLOCK, _PARALLEL)
    return "$".join([_SCHEME, str(_COST), str(_BLOCK), str(_PARALLEL), _text(salt), _text(derived)])


def _matches(secret: str, stored: str) -> bool:
    _, cost, block, parallel, salt, derived = stored.split("$")
    expected = base64.b64decode(derived)
    found = _derive(secret, base64.b64decode(salt), int(cost), int(block), int(parallel))
    return hmac.compare_digest(found, expected)


def _derive(secret: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    # One spelling, since a keyboard and a file may compose the same letter differently.
    password = unicodedata.normalize("NFC", secret).encode()
    memory = 2 * 128 * cost * block
    return hashlib.scrypt(password, salt=salt, n=cost, r=block, p=parallel, maxmem=memory)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
