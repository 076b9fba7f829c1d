"""Cuts SQL of any common dialect into tokens and statements."""

import re
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["word", "quoted", "string", "number", "mark", "operator"]

_STRING = {False: r"'(?:[^']|'')*+'", True: r"'(?:[^'\\]|\\.|'')*+'"}
_DOUBLE = {False: r'"(?:[^"]|"")*+"', True: r'"(?:[^"\\]|\\.|"")*+"'}


def _pattern(backslash: bool, comments: str = r"|\#(?=[\s!])[^\n]*+") -> re.Pattern[str]:
    """MySQL and a few others let a backslash escape a quote; for all others it is a character like any other. Its
    comments may begin with what PostgreSQL has as an operator."""
    return re.compile(
        rf"""(?P<blank>\s++|--[^\n]*+{comments}|^\\(?!g|crosstab|watch)[^\n]*+)
        |(?P<meta>\\[a-zG][^\n]*+)
        |(?P<comment>/\*)
        |(?P<string>[eE]'(?:[^'\\]|\\.|'')*+'
            |(?:[nNxXbBuU]?&?|:){_STRING[backslash]})
        |(?P<tag>\$\w*\$|[qQ]'[\[({{<])
        |(?P<quoted>{_DOUBLE[backslash]}|`(?:[^`]|``)*+`|(?<![\w\])])\[[^\]\n]*+\])
        |(?P<open>['"`])
        |(?P<word>[^\W\d][\w$#]*+|@@?[\w$]++|[:$\#][\w$]++|%\(\w+\)s|%s)
        |(?P<number>\d[\w.]*+|\.\d\w*+)
        |(?P<mark>[(),;.\[\]])
        |(?P<operator>[-+*/<>=~!@\#%^&|?:]+?(?=[-+](?:\d|\w|\())|[<>=~!@\#%^&|?:+*/-]+|.)""",
        re.VERBOSE | re.DOTALL | re.MULTILINE,
    )


_PATTERNS = (_pattern(backslash=False), _pattern(backslash=True))
_WITH_OPERATOR = _pattern(backslash=False, comments="")
_KINDS: dict[str, Kind] = {
    "word": "word",
    "quoted": "quoted",
    "string": "string",
    "tag": "string",
    "number": "number",
    "mark": "mark",
    "operator": "operator",
}
_ORACLE = {"[": "]'", "(": ")'", "{": "}'", "<": ">'"}
_COPIED = re.compile(r"(?ims)(^COPY\b[^;]*\bFROM\s+STDIN\b[^;\n]*;[^\n]*\n)(.*?^\\\.$)")
"""Rows of data that a dump has between its statements."""
_COMMENT_EDGE = re.compile(r"/\*|\*/")


@dataclass(frozen=True, slots=True)
class SqlToken:
    """`text` is in capitals for words."""

    kind: Kind
    text: str
    offset: int
    end: int


@dataclass(frozen=True, slots=True)
class SqlFault:
    message: str
    offset: int


@dataclass(slots=True)
class Lexed:
    """`is_cut` when it ends at a quote or comment that is never closed."""

    tokens: list[SqlToken] = field(default_factory=list)
    fault: SqlFault | None = None
    is_cut: bool = False


def lex(text: str) -> Lexed:
    """By the reading that closes all strings and brackets, if there is one."""
    text = _COPIED.sub(_blanked, text)
    first = _checked(text, _PATTERNS[0])
    others = {"\\": _PATTERNS[1], "#": _WITH_OPERATOR}
    readings = [_checked(text, pattern) for sign, pattern in others.items() if first.fault and sign in text]
    return min((first, *readings), key=_badness)


def _badness(lexed: Lexed) -> int:
    """A quote that stays open hides more than a bracket does."""
    return 0 if lexed.fault is None else 1 + lexed.is_cut


def _blanked(match: re.Match[str]) -> str:
    return match.group(1) + re.sub(r"[^\n]", " ", match.group(2))


def _checked(text: str, pattern: re.Pattern[str]) -> Lexed:
    lexed = _lex(text, pattern)
    lexed.is_cut = lexed.fault is not None
    lexed.fault = lexed.fault or _bracket_fault(lexed.tokens)
    return lexed


def _lex(text: str, pattern: re.Pattern[str]) -> Lexed:
    lexed = Lexed()
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        kind = match.lastgroup if match else None
        if match is None or kind == "open":
            lexed.fault = _open_quote(lexed.tokens, text, at)
            break
        at = _end(text, match)
        if at < 0:
            what = "comment is not closed by */" if kind == "comment" else f"text is not closed by {match.group()}"
            lexed.fault = SqlFault(f"This {what}", match.start())
            break
        if kind not in ("comment", "blank"):
            lexed.tokens.append(_token(match, text[match.start() : at]))
    return lexed


def _end(text: str, match: re.Match[str]) -> int:
    """Where the token ends; -1 when it does not."""
    if match.lastgroup == "comment":
        return _comment_end(text, match.start())
    if match.lastgroup == "tag":
        closer = _ORACLE.get(match.group()[-1], match.group())
        close = text.find(closer, match.end())
        return close + len(closer) if close >= 0 else -1
    return match.end()


def _token(match: re.Match[str], text: str) -> SqlToken:
    if match.lastgroup == "meta":
        # A command to the client, such as \gset, ends the statement before it.
        return SqlToken("mark", ";", match.start(), match.end())
    kind = _KINDS[match.lastgroup or ""]
    return SqlToken(kind, text.upper() if kind == "word" else text, match.start(), match.start() + len(text))


def _comment_end(text: str, start: int) -> int:
    """Some dialects nest comments and others do not: the outer end counts if there is one, else the first."""
    depth = 0
    first = -1
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "/*" else -1
        if edge.group() == "*/" and first < 0:
            first = edge.end()
        if depth == 0:
            return edge.end()
    return first


def _open_quote(tokens: list[SqlToken], text: str, offset: int) -> SqlFault:
    """A forgotten quote makes the next string end where it should start, so the first string that goes over a line
    end is more likely the one."""
    for token in tokens:
        if token.kind in ("string", "quoted") and "\n" in token.text and not token.text.startswith("$"):
            return SqlFault("This quote is not closed where it should be", token.offset)
    return SqlFault(f"This {text[offset]} is not closed", offset)


def _bracket_fault(tokens: list[SqlToken]) -> SqlFault | None:
    opened: list[SqlToken] = []
    has_rules = _has_rules(tokens)
    for token in tokens:
        if token.kind != "mark":
            continue
        if token.text == "(":
            opened.append(token)
        elif token.text == ")":
            if not opened:
                return SqlFault("')' closes nothing", token.offset)
            opened.pop()
        elif token.text == ";" and opened and not has_rules:
            break
    return SqlFault("'(' is not closed", opened[-1].offset) if opened else None


def _has_rules(tokens: list[SqlToken]) -> bool:
    """A rule of PostgreSQL holds statements in brackets, with semicolons between them."""
    return any(token.text == "RULE" for token in tokens)


def statements(tokens: list[SqlToken]) -> list[list[SqlToken]]:
    """Cut at semicolons and at lines with GO; the semicolons are left out."""
    found: list[list[SqlToken]] = [[]]
    for token in tokens:
        if (token.kind == "mark" and token.text == ";") or (token.kind == "word" and token.text == "GO"):
            found.append([])
        else:
            found[-1].append(token)
    return [each for each in found if each]
