"""What is kept of the arguments and the result of a call: JSON without what looks like a secret, cut to a size."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from longtable.kernel.redact import without_secrets

MAX_KEPT: Final = 16_000
"""Characters of all names and texts in it."""
HIDDEN: Final = "[hidden]"
_CUT: Final = "…"
_MAX_DEPTH: Final = 32
_MAX_NAME: Final = 200
_MAX_BITS: Final = 256
_SECRET_NAME: Final = re.compile(
    r"(?i)(^|[_\-.])(pass(word|wd|phrase)?|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?"
    r"|authorization|cookies?|credentials?)$|(Password|Secret|Token|ApiKey)$"
)
_BINARY: Final = ("data", "blob")
_MAX_BINARY: Final = 200


def kept_json(value: Any) -> str:
    """`{"kept": ..., "truncated": true}`; the second only where something was left out."""
    pruner = _Pruner(MAX_KEPT)
    kept = pruner.prune(value)
    return json.dumps({"kept": kept, "truncated": True} if pruner.truncated else {"kept": kept})


def without_binaries(blocks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Blocks of content; what is an image or a sound only tells how long it is."""
    return [{name: _described(name, each) for name, each in block.items()} for block in blocks]


def _described(name: str, value: Any) -> Any:
    if name == "resource" and isinstance(value, Mapping):
        return without_binaries([value])[0]
    if name in _BINARY and isinstance(value, str) and len(value) > _MAX_BINARY:
        return f"[{len(value)} characters of base64]"
    return value


class _Pruner:
    """Copies a value until so many characters are used."""

    def __init__(self, most: int) -> None:
        self._left = most
        self.truncated = False

    def prune(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping | list | tuple):
            return self._container(value, depth)
        self._left -= 8
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int) and value.bit_length() <= _MAX_BITS:
            return value
        self.truncated = True
        return _CUT

    def _container(self, value: Mapping[Any, Any] | Sequence[Any], depth: int) -> Any:
        if depth >= _MAX_DEPTH:
            self.truncated = True
            return _CUT
        if isinstance(value, Mapping):
            return {self._name(name): self._of(name, each, depth) for name, each in self._within(value.items())}
        return [self.prune(each, depth + 1) for each in self._within(value)]

    def _of(self, name: Any, value: Any, depth: int) -> Any:
        return HIDDEN if value and _SECRET_NAME.search(str(name)[-_MAX_NAME:]) else self.prune(value, depth + 1)

    def _within(self, items: Iterable[Any]) -> Iterable[Any]:
        for each in items:
            if self._left <= 0:
                self.truncated = True
                return
            yield each

    def _name(self, name: Any) -> str:
        text = str(name)[:_MAX_NAME]
        self._left -= len(text) + 4
        return text

    def _text(self, text: str) -> str:
        most = max(self._left, 0)
        self._left -= min(len(text), most) + 2
        if len(text) <= most:
            return without_secrets(text)
        self.truncated = True
        return without_secrets(text[:most]) + _CUT
