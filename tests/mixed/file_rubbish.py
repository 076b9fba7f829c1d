"""Files as people write them, with something wrong in them: configurations, gateway files, exports to import."""

import copy
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from longtable.settings.options import OPTIONS
from tests.mixed.fuzz import RUBBISH_NUMBERS, RUBBISH_TEXTS

CONFIGURATION: Final[dict[str, Any]] = {
    "http_host": "127.0.0.1",
    "http_port": 8765,
    "session_ttl": "24h",
    "auth_tokens": ["acme:secret"],
    "allowed_hosts": ["table.example.org"],
    "max_notes": 100,
    "enable_metrics": True,
    "tools": ["full"],
}
GATEWAY: Final[dict[str, Any]] = {
    "mcpServers": {
        "shop": {
            "command": "python",
            "args": ["-m", "shop"],
            "env": {"A": "b"},
            "timeout_seconds": 5,
            "scope": "tenant",
        },
        "web": {"url": "https://example.org/mcp", "headers": {"X-A": "${HOME:-x}"}, "verify": "parallel"},
    },
    "rules": [{"match": "shop.*", "layer": "run", "agents": ["ada"]}],
    "rate_limits": {"tool": "10/s"},
}


@dataclass
class FileRubbish:
    chance: random.Random

    def configuration(self) -> bytes:
        known = {self.chance.choice(OPTIONS).name: self._value(0) for _ in range(self.chance.randrange(3))}
        return self._text(self._spoilt({**CONFIGURATION, **known}))

    def gateway(self) -> bytes:
        return self._text(self._spoilt(GATEWAY))

    def export(self, good: bytes) -> bytes:
        """One line or more of a good one changed, moved, doubled or left out."""
        lines = good.splitlines()
        for _ in range(self.chance.randint(1, 2)):
            at = self.chance.randrange(len(lines))
            match self.chance.randrange(5):
                case 0:
                    del lines[at]
                case 1:
                    lines.insert(at, lines[self.chance.randrange(len(lines))])
                case 2:
                    lines[at] = self._cut(lines[at])
                case _:
                    lines[at] = self._changed(lines[at])
        return _sealed(lines[:-1]) if self.chance.random() < 0.8 else b"\n".join(lines) + b"\n"

    def _changed(self, line: bytes) -> bytes:
        """Inside, or anywhere where it is no JSON any more."""
        try:
            return json.dumps(self._spoilt(json.loads(line))).encode()
        except ValueError:
            return self._cut(line)

    def _text(self, document: Any) -> bytes:
        text = json.dumps(document).encode()
        return self._cut(text) if self.chance.random() < 0.2 else text

    def _cut(self, text: bytes) -> bytes:
        at = self.chance.randrange(len(text) + 1)
        return text[:at] + self.chance.randbytes(self.chance.randrange(4)) + text[at + self.chance.randrange(4) :]

    def _spoilt(self, document: Any) -> Any:
        if self.chance.random() < 0.03:
            return self._value(0)
        result = copy.deepcopy(document)
        places = list(_places(result))
        for holder, key in self.chance.sample(places, min(len(places), self.chance.randint(1, 2))):
            if self.chance.random() < 0.7:
                holder[key] = self._value(0)
            elif isinstance(holder, dict):
                holder[str(self._value(3))] = holder.pop(key, None)
        return result

    def _value(self, depth: int) -> Any:
        match self.chance.randrange(5 if depth < 2 else 3):
            case 0:
                return self.chance.choice((None, True, False, *RUBBISH_NUMBERS))
            case 1 | 2:
                return self.chance.choice(RUBBISH_TEXTS)
            case 3:
                return [self._value(depth + 1) for _ in range(self.chance.randrange(3))]
            case _:
                return {str(self._value(3)): self._value(depth + 1) for _ in range(self.chance.randrange(3))}


def _sealed(lines: list[bytes]) -> bytes:
    """With a last line that is right, so that the others are looked at."""
    body = b"".join(line + b"\n" for line in lines)
    end = {"type": "end", "records": len(lines) - 1, "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end).encode() + b"\n"


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield value, key
        yield from _places(each)
