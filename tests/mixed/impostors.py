"""Ways in which a program with the token of one agent could try to write as somebody else."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.forgeries import FORGED_NAMES
from tests.table import modern_meta

OTHERS: Final = ("ada", "owner", "acme-owner", "root", "system", "HumanOverseer", "rival")
NAMES: Final = (*FORGED_NAMES, *OTHERS)
_ARGUMENTS: Final = (
    *("agent", "agent_id", "author", "sender", "sender_type", "caller", "actor", "as", "on_behalf_of", "surface"),
    *("surface_user_id", "tenant", "tenant_id", "role", "by_human", "human", "is_human", "user", "principal"),
)
_HEADERS: Final = (
    *("X-Forwarded-User", "X-Remote-User", "Remote-User", "X-User", "X-Auth-Request-User", "X-Agent", "X-Agent-Id"),
    *("X-Tenant", "X-Tenant-Id", "X-Role", "X-Caller", "X-Caller-Role", "X-Human", "X-Surface", "X-Impersonate-User"),
    *("Impersonate-User", "X-Authenticated-Userid", "X-WEBAUTH-USER", "X-Original-User", "From"),
)
_QUERIES: Final = (
    "agent",
    "agent_id",
    "caller",
    "as",
    "token",
    "access_token",
    "tenant",
    "role",
    "user",
    "X-Caller-Agent",
)
_COOKIES: Final = ("longtable", "longtable_login", "login", "session", "agent", "token", "user")


@dataclass(frozen=True)
class Forgery:
    """One request that adds a message. `headers` may have a name twice."""

    way: str
    content: str
    headers: Sequence[tuple[bytes, bytes]] = ()
    arguments: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    query: str = ""

    def body(self) -> bytes:
        meta = {**modern_meta("forger"), **self.meta}
        arguments = {"content": self.content, **self.arguments}
        params = {"name": "add_message", "arguments": arguments, "_meta": meta}
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def forgeries() -> list[Forgery]:
    return list(_forgeries())


def _forgeries() -> Iterator[Forgery]:
    for number, name in enumerate(NAMES):
        raw = name.encode()
        yield Forgery("name", f"a{number}", [(b"X-Caller-Agent", raw)])
        yield Forgery("name twice", f"b{number}", [(b"X-Caller-Agent", b"scout"), (b"x-caller-agent", raw)])
        yield Forgery("type", f"c{number}", [(b"X-Agent-Type", raw)])
        yield Forgery("query", f"d{number}", query=_QUERIES[number % len(_QUERIES)] + "=" + raw.hex())
        yield Forgery("argument", f"e{number}", arguments={_ARGUMENTS[number % len(_ARGUMENTS)]: name})
        client = {"name": name, "version": "1"}
        yield Forgery("client", f"f{number}", meta={"io.modelcontextprotocol/clientInfo": client})
        yield Forgery("meta", f"g{number}", meta={f"longtable/{_ARGUMENTS[number % len(_ARGUMENTS)]}": name})
    for who in ("human:acme-owner", "ada", "owner"):
        for each in _HEADERS:
            yield Forgery("header", f"h{each}{who}", [(each.encode(), who.encode())])
        for each in _COOKIES:
            yield Forgery("cookie", f"i{each}{who}", [(b"Cookie", f"{each}={who}".encode())])
        for each in _QUERIES:
            yield Forgery("query", f"j{each}{who}", query=f"{each}={who}")
        for each in _ARGUMENTS:
            yield Forgery("argument", f"k{each}{who}", arguments={each: who})


def wrong_tokens(secret: str, others: Sequence[str]) -> list[str]:
    """Values of `Authorization` that are none: parts of tokens, mixtures, other schemes."""
    middle = len(secret) // 2
    found = [
        *(secret[:length] for length in range(1, len(secret), 3)),
        *(secret[:at] + ("A" if secret[at] != "A" else "B") + secret[at + 1 :] for at in range(3, len(secret), 3)),
        *(secret + more for more in ("x", " x", "\t", ",", ";", "=", "%00", " " + secret)),
        *(secret[:middle] + other[middle:] for other in others),
        *(other[:middle] + secret[middle:] for other in others),
        *(secret.upper(), secret.lower(), secret.swapcase(), secret[::-1], secret.removeprefix("lt_")),
    ]
    schemes = [f"{scheme} {secret}" for scheme in ("Basic", "Digest", "Token", "Negotiate", "Bearer:", "BearerX")]
    return [*(f"Bearer {each}" for each in found if each.strip() != secret), *schemes, secret]
