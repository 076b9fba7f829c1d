"""Listed names of upstream tools and prompts. A name is a function of layer and identity alone, so it is the same after
every restart and in any order of upstreams."""

import hashlib
import re
import unicodedata

from longtable.governance.model import LAYER_NAMES, Layer, ToolIdentity

LONGEST = 64

_PLAIN_PACK = re.compile(r"[A-Za-z0-9-]+")
_PLAIN_ACTION = re.compile(r"[A-Za-z0-9-][A-Za-z0-9_-]*")
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_SUFFIXED = re.compile(r".*_[0-9a-f]{12}")
_HASH = 12


class ToolNames:
    def __init__(self, prefix: str = "mindscape", longest: int = LONGEST) -> None:
        self._prefix = prefix
        self._longest = longest

    def name(self, layer: Layer, identity: ToolIdentity) -> str:
        """Plain where the name is unambiguous; else with a hash of the identity as a suffix."""
        return self._name(LAYER_NAMES[layer], identity)

    def prompt_name(self, identity: ToolIdentity) -> str:
        """As for a tool: a prompt is its own kind, so that it never has the name of a tool."""
        return self._name("prompt", identity)

    def _name(self, kind: str, identity: ToolIdentity) -> str:
        start = f"{self._prefix}_{kind}_"
        plain = f"{start}{identity.pack}_{identity.action}"
        if self._is_plain(identity) and len(plain) <= self._longest:
            return plain
        suffix = hashlib.sha256(f"{identity.pack}\0{identity.action}".encode()).hexdigest()[:_HASH]
        room = self._longest - len(start) - _HASH - 1
        readable = _FOREIGN.sub("_", _ascii(f"{identity.pack}_{identity.action}")).strip("_")[: max(room, 0)]
        return f"{start}{readable.rstrip('_') or 'tool'}_{suffix}"

    def _is_plain(self, identity: ToolIdentity) -> bool:
        # A name that looks like one with a suffix gets a suffix, too: else it could equal another tool's.
        return (
            _PLAIN_PACK.fullmatch(identity.pack) is not None
            and _PLAIN_ACTION.fullmatch(identity.action) is not None
            and _SUFFIXED.fullmatch(f"{identity.pack}_{identity.action}") is None
        )


def _ascii(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
