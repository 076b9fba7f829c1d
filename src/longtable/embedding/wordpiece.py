"""The tokenizer of BERT and its descendants, read from a `tokenizer.json`: words, and their longest known parts."""

import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from re import Pattern, compile, escape
from string import punctuation
from typing import Any

_MOST_CACHED_WORDS = 50_000
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
"""As the tokenizer of BERT has them. The last but one begins late, which is how the library has it."""
_CONTROL = ("Cc", "Cf", "Co", "Cs")


@dataclass(frozen=True, slots=True)
class EncodedText:
    """For each token its id, the place of its first character, and whether a word begins with it."""

    ids: list[int]
    starts: list[int]
    begins: list[bool]


@dataclass(frozen=True, slots=True)
class _Letters:
    """What is left of a character: characters that belong to a word, or a word of their own."""

    text: str
    is_alone: bool


_BLANK = _Letters(" ", is_alone=True)


class WordPiece:
    """Raises ValueError for a file that describes another kind of tokenizer."""

    def __init__(self, path: Path) -> None:
        described = json.loads(path.read_text("utf-8"))
        model = described["model"]
        kinds = (
            model.get("type"),
            *((described.get(part) or {}).get("type") for part in ("normalizer", "pre_tokenizer")),
        )
        if kinds != ("WordPiece", "BertNormalizer", "BertPreTokenizer"):
            raise ValueError("Its tokenizer is of another kind than that of BERT.")
        self._vocabulary: dict[str, int] = model["vocab"]
        self._unknown = self._vocabulary[model["unk_token"]]
        self._prefix: str = model["continuing_subword_prefix"]
        self._longest: int = model["max_input_chars_per_word"]
        self._letters = _LettersByCharacter(described["normalizer"])
        self._special = {added["content"]: int(added["id"]) for added in described["added_tokens"]}
        self._first, self._last = _frame(described["post_processor"], self._special)
        self._marks: Pattern[str] = compile("|".join(escape(text) for text in self._special) or r"(?!)")
        self._known: dict[str, list[tuple[int, int]]] = {}

    def framed(self, ids: list[int]) -> list[int]:
        """With the tokens that begin and end a text."""
        return [*self._first, *ids, *self._last]

    def encode(self, text: str) -> EncodedText:
        tokens = EncodedText([], [], [])
        at = 0
        for mark in self._marks.finditer(text):
            self._encode_plain(text[at : mark.start()], at, tokens)
            _add(tokens, self._special[mark.group()], mark.start(), 0)
            at = mark.end()
        self._encode_plain(text[at:], at, tokens)
        return tokens

    def _encode_plain(self, text: str, offset: int, tokens: EncodedText) -> None:
        word: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text, offset):
            letters = self._letters[character]
            if not letters.is_alone:
                word.extend(letters.text)
                places.extend([place] * len(letters.text))
                continue
            self._encode_word("".join(word), places, tokens)
            word, places = [], []
            if letters is not _BLANK:
                self._encode_word(letters.text, [place] * len(letters.text), tokens)
        self._encode_word("".join(word), places, tokens)

    def _encode_word(self, word: str, places: list[int], tokens: EncodedText) -> None:
        if not word:
            return
        parts = self._known.get(word)
        if parts is None:
            parts = self._parts(word)
            if len(self._known) < _MOST_CACHED_WORDS:
                self._known[word] = parts
        for identity, begin in parts:
            _add(tokens, identity, places[begin], begin)

    def _parts(self, word: str) -> list[tuple[int, int]]:
        """The longest known part, then the longest that goes on from there. A word with an unknown part is unknown."""
        if len(word) > self._longest:
            return [(self._unknown, 0)]
        parts: list[tuple[int, int]] = []
        begin = 0
        while begin < len(word):
            prefix = self._prefix if begin else ""
            for end in range(len(word), begin, -1):
                identity = self._vocabulary.get(prefix + word[begin:end])
                if identity is not None:
                    break
            else:
                return [(self._unknown, 0)]
            parts.append((identity, begin))
            begin = end
        return parts


def _add(tokens: EncodedText, identity: int, start: int, place_in_word: int) -> None:
    tokens.ids.append(identity)
    tokens.starts.append(start)
    tokens.begins.append(place_in_word == 0)


def _frame(described: dict[str, Any], special: dict[str, int]) -> tuple[list[int], list[int]]:
    """What stands before and after a text."""
    if described["type"] == "BertProcessing":
        return [described["cls"][1]], [described["sep"][1]]
    if described["type"] != "TemplateProcessing":
        raise ValueError("Its tokenizer frames texts in another way than that of BERT.")
    places = [next(iter(part.items())) for part in described["single"]]
    middle = [kind for kind, _ in places].index("Sequence")
    before, after = places[:middle], places[middle + 1 :]
    return [special[part["id"]] for _, part in before], [special[part["id"]] for _, part in after]


class _LettersByCharacter(dict[str, _Letters]):
    """Each character is looked at once."""

    def __init__(self, normalizer: dict[str, Any]) -> None:
        super().__init__()
        self._cleans: bool = normalizer["clean_text"]
        self._parts_ideographs: bool = normalizer["handle_chinese_chars"]
        self._lowers: bool = normalizer["lowercase"]
        strips = normalizer["strip_accents"]
        self._strips: bool = self._lowers if strips is None else strips

    def __missing__(self, character: str) -> _Letters:
        letters = self[character] = self._look(character)
        return letters

    def _look(self, character: str) -> _Letters:
        if self._cleans and _is_control(character):
            return _Letters("", is_alone=False)
        if character.isspace():
            return _BLANK
        text = _without_accents(character) if self._strips else character
        if self._lowers:
            text = "".join(map(str.lower, text))
        return _Letters(text, is_alone=_is_punctuation(text) or (self._parts_ideographs and _is_ideograph(character)))


def _without_accents(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    return "".join(part for part in parts if unicodedata.category(part) != "Mn")


def _is_control(character: str) -> bool:
    if character in "\t\n\r":
        return False
    return character == "\ufffd" or unicodedata.category(character) in _CONTROL


def _is_ideograph(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _IDEOGRAPHS)


def _is_punctuation(text: str) -> bool:
    return len(text) == 1 and (text in punctuation or unicodedata.category(text).startswith("P"))
