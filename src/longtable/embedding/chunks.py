"""Cuts a text into overlapping parts that the model can read at once, between words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longtable.embedding.libraries import LoadedTokenizer

MAX_TOKENS = 256
MAX_CHUNKS = 64
_WINDOW = 2_048
"""Characters tokenized for one chunk. Prose has 256 tokens in about 1,200."""
MAX_CHARACTERS = MAX_CHUNKS * _WINDOW
"""Text after this is not embedded, nor what would need a 65th chunk."""
_OVERLAP = 32
_BATCH_TOKENS = 128
"""About 30 ms of one core. Three times as many at once take a quarter longer each, and would delay a query."""


@dataclass(frozen=True, slots=True)
class EmbeddedChunk:
    """A part of a text, by its characters, and its vector. The last one ends before its text does if that is long."""

    first: int
    last: int
    vector: bytes


@dataclass(frozen=True, slots=True)
class TokenChunk:
    """A chunk as the model reads it."""

    start: int
    end: int
    ids: list[int]


def readable(text: str) -> str:
    """Lone surrogates cannot be tokenized. Each becomes one other character, so that all stay in their places."""
    return text.encode(errors="replace").decode()


def chunks_of(text: str, tokenizer: "LoadedTokenizer") -> list[TokenChunk]:
    """Chunks that hold every character up to the end of the last one; none if nothing in the text has a meaning."""
    text = readable(text[:MAX_CHARACTERS])
    room = MAX_TOKENS - len(tokenizer.framed([]))
    found: list[TokenChunk] = []
    start = at = 0
    while at < len(text) and len(found) < MAX_CHUNKS:
        window = text[at : at + _WINDOW]
        tokens = tokenizer.encode(window)
        if not tokens.ids:
            at += len(window)
            continue
        is_last = at + len(window) == len(text)
        taken = _token_count(tokens.begins, room, is_last)
        offsets = [*tokens.starts, len(window)]
        end, following = at + offsets[taken], at + offsets[_overlap_start(tokens.begins, taken)]
        found.append(TokenChunk(start, end, tokenizer.framed(tokens.ids[:taken])))
        start = at = end if end == len(text) else max(following, at + 1)
    return _extend_last(found, len(text), at)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Groups texts, given by their numbers of tokens, into batches with little padding, none of which takes long.
    Each batch is a list of places."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _token_count(begins: list[bool], room: int, is_last: bool) -> int:
    """How many tokens of a window make the chunk: whole words, if there is more than one."""
    if is_last and len(begins) <= room:
        return len(begins)
    # The last word of a window may continue after it.
    for index in range(min(len(begins) - 1, room), 0, -1):
        if begins[index]:
            return index
    return min(len(begins), room)


def _overlap_start(begins: list[bool], taken: int) -> int:
    """Where the next chunk begins, some words before the end of this one."""
    back = taken - min(_OVERLAP, taken // 8)
    while back < taken and not begins[back]:
        back += 1
    return back


def _extend_last(found: list[TokenChunk], length: int, seen: int) -> list[TokenChunk]:
    if found and seen >= length and found[-1].end < length:
        last = found[-1]
        found[-1] = TokenChunk(last.start, length, last.ids)
    return found
