"""Scans the texts of a definition for what a person should see before trusting it."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longtable.governance.model import ToolDefinition

_ORDERS_TO_MODEL = re.compile(
    r"ignore (?:all |any |the )?(?:previous|prior|above|other) (?:\w+ )?(?:instructions?|prompts?|messages?|tools?)"
    r"|do not (?:tell|mention|inform|show|reveal)[^.]{0,40}\b(?:user|human|anyone)"
    r"|without (?:telling|asking|informing) (?:the )?(?:user|human)"
    r"|<\s*/?\s*(?:important|system|secret|hidden|instructions?)\s*>|exfiltrat|~/\.ssh|id_rsa",
    re.IGNORECASE,
)
_AIMED_AT_MODEL = re.compile(
    r"system prompt|you must (?:always|first)|before (?:using|calling) (?:this|any) (?:other )?tool|always call"
    r"|instead of the|(?:api|private|ssh)[ _-]?key|password|\.env\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A `severe` one quarantines a tool even in the first list of its upstream."""

    kind: str
    place: str
    excerpt: str
    severe: bool = False


def scan(definition: ToolDefinition, other_tools: Collection[str] = ()) -> list[Suspicion]:
    """Hidden characters, text aimed at the model, and names of other tools, in all that a model reads."""
    others = [name for name in other_tools if len(name) > 5 and name != definition.remote]
    return [found for place, text in _texts(definition) for found in _scan_text(place, text, others)]


def _scan_text(place: str, text: str, other_tools: Collection[str]) -> Iterator[Suspicion]:
    hidden = {f"U+{ord(letter):04X}" for letter in text if _is_hidden(letter)}
    if hidden:
        yield Suspicion("hidden_characters", place, ", ".join(sorted(hidden)[:5]), severe=True)
    order = _ORDERS_TO_MODEL.search(text)
    match = order or _AIMED_AT_MODEL.search(text)
    if match is not None:
        yield Suspicion("aimed_at_model", place, _excerpt(text, match.start()), severe=order is not None)
    named = next((name for name in other_tools if name in text), None)
    if named is not None:
        yield Suspicion("names_other_tool", place, named)


def _is_hidden(letter: str) -> bool:
    if letter in "\n\r\t":
        return False
    return unicodedata.category(letter) in ("Cf", "Cc", "Co", "Cn") or 0xE0000 <= ord(letter) <= 0xE01EF


def _excerpt(text: str, position: int) -> str:
    """Whole words, with dots where text is left out."""
    begin, end = max(0, position - 40), position + 100
    before, after = text[begin:position], text[position:end]
    if begin > 0:
        before = f"... {before.partition(' ')[2]}"
    if end < len(text):
        after = f"{after.rpartition(' ')[0] or after} ..."
    return " ".join(f"{before}{after}".split())


def _texts(definition: ToolDefinition) -> list[tuple[str, str]]:
    texts = [("name", definition.remote), ("title", definition.title), ("description", definition.description)]
    pending: list[tuple[str, Any]] = [("input_schema", definition.input_schema)]
    while pending and len(texts) < 2_000:
        place, value = pending.pop()
        if isinstance(value, str):
            texts.append((place, value))
        elif isinstance(value, Mapping):
            pending += [(f"{place}.{str(key)[:60]}", each) for key, each in value.items()]
        elif isinstance(value, list | tuple):
            pending += [(f"{place}[{number}]", each) for number, each in enumerate(value)]
    return texts
