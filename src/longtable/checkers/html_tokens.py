"""Cuts HTML into tags, the way a browser does, and says what is wrong inside a tag."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RAW = words("script style textarea title xmp iframe noembed noframes")
"""What is inside of these is text, whatever it looks like."""

_NAME = re.compile(r"[^\s/>]+")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=][^\s"'<>/=]*+)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'<>][^\s<>]*+)?)?""")
_SPACE = re.compile(r"[\s/]*+")
_TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?php|<\?=|\$\{")
_LONGEST_MARK = 5
_QUOTES = ("'", '"')
_REST = re.compile(r"[^<>]*+")
_CLOSED_COMMENT = re.compile(r"--!?>")


@dataclass(frozen=True, slots=True)
class Tag:
    kind: Literal["start", "end"]
    name: str
    offset: int
    self_closing: bool = False


@dataclass(frozen=True, slots=True)
class HtmlFault:
    """`swallows` when it takes the whole rest of the text."""

    message: str
    offset: int
    swallows: bool = False


class _Broken(Exception):
    """The tag cannot be read on."""

    def __init__(self, message: str, offset: int, resume: int) -> None:
        super().__init__(message)
        self.message, self.offset, self.resume = message, offset, resume


def tokens(text: str) -> Iterator[Tag | HtmlFault]:
    return _Tokenizer(text).all()


class _Tokenizer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.closing = False
        self.is_template = False

    def all(self) -> Iterator[Tag | HtmlFault]:
        while (start := self.text.find("<", self.at)) >= 0:
            follower = self.text[start + 1 : start + 2]
            if follower in ("!", "?"):
                yield from self._declaration(start)
            elif follower == "/":
                yield from self._end(start)
            elif follower.isascii() and follower.isalpha():
                yield from self._start(start)
            elif self.text.startswith("<%", start):
                self._skip_to("%>", start)
            else:
                self.at = start + 1

    def _declaration(self, start: int) -> Iterator[HtmlFault]:
        if self.text.startswith("<!--", start):
            closed = _CLOSED_COMMENT.search(self.text, start + 2)
            if closed is None:
                yield HtmlFault("This comment is not closed by -->", start, swallows=True)
            self.at = closed.end() if closed else len(self.text)
        elif self.text.startswith("<![CDATA[", start):
            self._skip_to("]]>", start)
        elif self.text.startswith(("<?php", "<?="), start):
            self._skip_to("?>", start)
        else:
            self._skip_to(">", start)

    def _skip_to(self, end: str, start: int) -> None:
        found = self.text.find(end, start)
        self.at = found + len(end) if found >= 0 else len(self.text)

    def _end(self, start: int) -> Iterator[Tag | HtmlFault]:
        name = _NAME.match(self.text, start + 2)
        if name is None or not name.group()[0].isalpha():
            self.at = start + 2
            yield HtmlFault("An end tag needs a name right after </", start)
            return
        rest = _REST.match(self.text, name.end())
        close = rest.end() if rest else name.end()
        if self.text[close : close + 1] != ">":
            self.at = name.end()
            yield HtmlFault(f"The end tag </{_shown(name.group())} lacks its '>'", start)
        else:
            self.at = close + 1
            if self.text[name.end() : close].strip() and not _TEMPLATE.search(self.text, name.end(), close):
                yield HtmlFault(f"The end tag </{_shown(name.group())}> may not have attributes", start)
        yield Tag("end", name.group().lower().partition("<")[0], start)

    def _start(self, start: int) -> Iterator[Tag | HtmlFault]:
        name = _NAME.match(self.text, start + 1)
        label = name.group() if name else ""
        if "<" in label:
            self.at = start + 1 + label.index("<")
            yield HtmlFault(f"The tag <{_shown(label)} lacks its '>'", start)
            return
        faults = list(self._inside(start, label))
        if faults and _TEMPLATE.search(self.text, start, self.at + _LONGEST_MARK):
            # Templates put anything between and inside of attributes.
            self.is_template = True
            faults = list(self._inside(start, label))
            self.is_template = False
        yield from faults
        yield Tag("start", label.lower(), start, self.closing)
        if label.lower() in RAW and not self.closing:
            yield from self._raw(start, label.lower())

    def _inside(self, start: int, label: str) -> Iterator[HtmlFault]:
        self.at = start + 1 + len(label)
        try:
            yield from self._attributes(start, label)
        except _Broken as broken:
            self.at = broken.resume
            yield HtmlFault(broken.message, broken.offset, swallows=self.at >= len(self.text))

    def _attributes(self, start: int, label: str) -> Iterator[HtmlFault]:
        seen: set[str] = set()
        self.closing = False
        while True:
            before = self.at
            self._space()
            if self.text[self.at : self.at + 1] == ">":
                # A slash that ends an unquoted value belongs to it: <a href=/docs/>.
                self.closing = self.text[before : self.at].endswith("/")
                self.at += 1
                return
            attribute = _ATTRIBUTE.match(self.text, self.at)
            if attribute is None:
                self._stray(start, label)
                continue
            name = attribute.group(1).lower()
            if name in seen and not self.is_template:
                yield HtmlFault(f"The attribute {_shown(name)} stands twice in <{_shown(label)}>", self.at)
            seen.add(name)
            self.at = attribute.end()
            yield from self._after(attribute)

    def _space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _stray(self, start: int, label: str) -> None:
        """No attribute can start here."""
        character = self.text[self.at : self.at + 1]
        if character == "":
            raise _Broken(f"The tag <{_shown(label)} lacks its '>'", start, len(self.text))
        if self.is_template:
            self.at += 1
        elif character == "<":
            raise _Broken(f"The tag <{_shown(label)} lacks its '>'", start, self.at)
        else:
            raise _Broken(f"Unexpected {character} in <{_shown(label)}>", self.at, self._resume(self.at))

    def _after(self, attribute: re.Match[str]) -> Iterator[HtmlFault]:
        """What follows the value of an attribute shows whether its quotes are in place."""
        value = attribute.group(2) or ""
        if self.is_template:
            return
        if value.startswith(_QUOTES):
            self._after_quoted(attribute)
        elif not value:
            self._after_nothing(attribute)
        elif "'" in value or '"' in value:
            yield HtmlFault(f"A quote stands in the unquoted value of {_shown(attribute.group(1))}", attribute.start(2))

    def _after_quoted(self, attribute: re.Match[str]) -> None:
        follower = self.text[self.at : self.at + 1]
        if follower and not follower.isspace() and follower not in "/>":
            message = f"The value of {_shown(attribute.group(1))} ends in the middle: a quote is missing or too many"
            raise _Broken(message, attribute.start(2), self._resume(attribute.start(2)))

    def _after_nothing(self, attribute: re.Match[str]) -> None:
        """After `name=` without a value: a quote here is never closed, or it would have been read as part of the
        value."""
        follower = self.text[self.at : self.at + 1]
        if "=" in attribute.group() and follower in _QUOTES:
            message = f"The value of {_shown(attribute.group(1))} is not closed by {follower}"
            raise _Broken(message, attribute.end(), len(self.text))

    def _resume(self, start: int) -> int:
        """Where the tag most likely ends."""
        close = self.text.find(">", start)
        return close + 1 if close >= 0 else len(self.text)

    def _raw(self, start: int, name: str) -> Iterator[Tag | HtmlFault]:
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.text, self.at)
        if end is not None:
            self.at = end.start()
            return
        yield HtmlFault(f"<{name}> is not closed", start, swallows=True)
        yield Tag("end", name, len(self.text))
        self.at = len(self.text)


def _shown(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:37]}..."
