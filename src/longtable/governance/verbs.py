"""What the words in a tool's name say about its effect. Whole words count: `checkout` is no `check`."""

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache

INTERNAL_WORDS = frozenset({"internal", "migrate", "debug", "admin"})
INTERNAL_PACKS = frozenset({"system"})
FAMILIES = frozenset({"builtin", "default", "langchain", "mcp"})
"""First parts of an id that name the origin of a tool; the next part is its pack."""

READING = frozenset(
    {"get", "list", "read", "fetch", "query", "search", "check", "validate", "preview", "status", "info"}
)
READING_VERBS = READING - {"preview", "status", "info"}
ACTING = frozenset(
    {
        *("delete", "remove", "drop", "truncate", "purge", "update", "modify", "replace", "overwrite"),
        *("publish", "deploy", "release", "send", "pay", "charge", "batch", "bulk"),
        # Beyond the list of the product: unambiguous verbs.
        *("create", "destroy", "edit", "erase", "exec", "execute", "insert", "install", "kill", "nuke", "shutdown"),
        *("terminate", "uninstall", "upload", "upsert", "wipe", "write"),
    }
)

_SPLIT = re.compile(r"[^0-9A-Za-z\u0080-\U0010ffff]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")


class NameEffect(IntEnum):
    """Ordered by caution."""

    READS = 1
    UNKNOWN = 2
    ACTS = 3
    INTERNAL = 4


def tokens(text: str) -> tuple[str, ...]:
    """`my-site.DeletePost_v2` → my site delete post v 2. Look-alikes of ASCII letters count as those."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(letter for letter in plain if unicodedata.category(letter) not in ("Cf", "Mn", "Me"))
    parts = [part for chunk in _SPLIT.split(plain) if chunk for part in _CAMEL.split(chunk)]
    return tuple(part.casefold() for part in parts if part)


@lru_cache(maxsize=32_768)
def effect_by_name(pack: str, action: str) -> NameEffect:
    """The effect that the name suggests: it reads if its verb says so and no word says that it acts."""
    if _is_internal(pack, action):
        return NameEffect.INTERNAL
    words = tokens(action)
    if any(word in ACTING for word in words):
        return NameEffect.ACTS
    if all(word.isascii() for word in words) and _verb_reads(pack, action):
        return NameEffect.READS
    return NameEffect.UNKNOWN


def _verb_reads(pack: str, action: str) -> bool:
    """The verb is the first word of the last part. Without a pack, a noun may precede it:
    `workspace_query_database`."""
    words = tokens(action.rpartition(".")[2])
    if not words:
        return False
    if words[0] in READING:
        return True
    packless = pack.casefold() in FAMILIES and "." not in action
    return packless and len(words) > 2 and words[1] in READING_VERBS


def _is_internal(pack: str, action: str) -> bool:
    if any(word in INTERNAL_WORDS for word in (*tokens(pack), *tokens(action))):
        return True
    parts = [*pack.split("."), *action.split(".")]
    packs = ["".join(tokens(part)) for part in parts]
    # All but the last part name packs; so does the first word after a family, however it is joined.
    behind = next((word for word in tokens(f"{pack}.{action}") if word not in FAMILIES), "")
    return any(name in INTERNAL_PACKS for name in (*packs[:-1], behind))
