"""Macros that a text of C or C++ uses and does not define: they are known by their capitals, and masked."""

import re

from longtable.checkers.source import words
from longtable.checkers.treesitter.preprocessor import arguments_at

_WORD = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?(?:\*/|\Z)|[A-Za-z_]\w*|\d[\w.]*|\S', re.DOTALL
)
_CAPITALS = re.compile(r"(?:[A-Z][A-Za-z0-9]*_)?[A-Z_][A-Z0-9_]+")
_ORDINARY = words("NULL EOF FILE TRUE FALSE SIZE_MAX INT_MAX INT_MIN UINT32_MAX RAND_MAX DIR")
_NO_MACRO_AFTER = words(
    "struct class enum union goto return case typename namespace using typedef new delete sizeof else do throw in "
    "const unsigned signed int char long short float double void bool auto static extern"
)
_DECLARING = words("extern static inline constexpr virtual friend mutable")
_QUALIFIERS = words("const static extern volatile inline unsigned signed register constexpr")
_TYPE = re.compile(r"(?:const\s+)?(?:void|int|char|long|double|float|unsigned|bool|\w+\s*\*)[\s*]*")
_STARTS = words("template class struct namespace using public private for while do if")
_CALLED = re.compile(r"\s*(\w+)\s*\(")
_AHEAD = 200
_ENDS = frozenset(";{}:")


def _name(token: str) -> bool:
    return token[:1].isalpha() or token[:1] == "_"


def is_macro(token: str) -> bool:
    return bool(_CAPITALS.fullmatch(token)) and token not in _ORDINARY


def mask_macros(text: str) -> str:
    """The text with macros masked, of the same length and with the same lines."""
    tokens = [found for found in _WORD.finditer(text) if found[0][:2] not in ("//", "/*")]
    texts = ["", ""] + [found[0] for found in tokens] + ["", ""]
    pieces = list(text)
    until = 0
    for index, found in enumerate(tokens):
        if found.start() < until or not is_macro(found[0]):
            continue
        around = texts[index : index + 5]
        if around[3] == "(":
            until = _call(text, pieces, found.start(), found.end(), around[1])
        elif _is_mark(around):
            _blank(pieces, found.start(), found.end())
            texts[index + 2] = texts[index + 1]
    return "".join(pieces)


def _is_mark(around: list[str]) -> bool:
    """Such as WINAPI in `BOOL WINAPI f()`, UNUSED in `int x UNUSED)`, API in `API int f()` or Q_OBJECT on a line."""
    two, one, _, after, second = around
    begins = _is_start(two, one)
    if begins and is_macro(after) and (second == "(" or is_macro(second)):
        return True
    if not _name(after):
        return _is_alone(one, after) if begins else _ends_declarator(two, one, after)
    if begins or one in _DECLARING:
        return _begins_declaration(after, second)
    return _may_precede_mark(one)


def _is_start(two: str, one: str) -> bool:
    """Whether a declaration or a statement can begin after these two."""
    return one in _ENDS or not one or (two == "extern" and one[:1] == '"')


def _is_alone(one: str, after: str) -> bool:
    """Such as END_OF_LIST before a brace that closes, or LIB_TRY before the block that it begins."""
    return after == "}" or (after == "{" and one != ":")


def _begins_declaration(after: str, second: str) -> bool:
    goes_on = _name(second) or second in ("*", "&", ":", "<")
    return (goes_on and not is_macro(after)) or after in _STARTS


def _may_precede_mark(one: str) -> bool:
    """Whether this token can stand before a mark that a name follows: a type, or a word that takes attributes."""
    return one in ("class", "struct", "*", "&", "]", ">", ")") or (_name(one) and one not in _NO_MACRO_AFTER)


def _ends_declarator(two: str, one: str, after: str) -> bool:
    """Whether these tokens end the declarator of a function, or of a parameter or variable that has a type."""
    if after in ("{", ";"):
        return one == ")" or (one == "const" and two == ")")
    return after in (")", ",", "=") and _name(one) and (_name(two) or two in "*&") and two not in _QUALIFIERS


def _call(text: str, pieces: list[str], start: int, after: int, before: str) -> int:
    if before == ")" and not text[start:after].isupper():
        # What follows a cast, such as Py_TYPE(a), is called like a function.
        return after
    arguments, end = arguments_at(text, after)
    if arguments is None or (before and before not in _ENDS and before not in (")", "else", "do")):
        return after
    ahead = text[end : end + _AHEAD]
    word = "int" if _is_type(arguments, ahead) else _replacement(before, ahead, end - start)
    if word is not None:
        _write(pieces, start, end, word)
    return end


def _is_type(arguments: list[str], ahead: str) -> bool:
    """Such as PyAPI_FUNC(int) before what it declares."""
    if len(arguments) != 1:
        return False
    called = _CALLED.match(ahead)
    if arguments[0].isidentifier() and called is not None and not is_macro(called[1]):
        return True
    return _TYPE.fullmatch(arguments[0]) is not None and _name(ahead.lstrip()[:1])


def _replacement(before: str, ahead: str, length: int) -> str | None:
    """What the parser reads in place of a call; None when it can read the call itself."""
    following = ahead.lstrip()[:1]
    if following == "{":
        return "void f()" if length >= 8 else "f()"
    if before == "{" and following == '"':
        return "0,"
    return _statement(before, following, ahead)


def _statement(before: str, following: str, ahead: str) -> str | None:
    """In place of a call that begins a statement, or is one."""
    line_ends = not ahead.split("\n", 1)[0].strip()
    if (_name(following) and not line_ends) or following in ('"', "'"):
        return "if(1)"
    # What begins with one of these goes on with the call: EXPECT_EQ(a, b) << "reason".
    ends = line_ends and following not in ("<", ".")
    is_alone = ends or following == "}" or (before == ")" and following == ";")
    return "" if is_alone else None


def _write(pieces: list[str], start: int, end: int, word: str) -> None:
    _blank(pieces, start, end)
    if end - start >= len(word):
        pieces[end - len(word) : end] = word


def _blank(pieces: list[str], start: int, end: int) -> None:
    for at in range(start, end):
        if pieces[at] != "\n":
            pieces[at] = " "
