"""Which faults are errors, and which are only warnings because the grammar may be wrong."""

import re
from difflib import get_close_matches

from longtable.checkers.source import Source, words
from longtable.checkers.treesitter.diagnosis import SyntaxFault
from longtable.checkers.treesitter.macros import is_macro
from longtable.checkers.treesitter.parse_log import MOST_BYTES
from longtable.checkers.treesitter.parsing import ParsedSource
from longtable.checkers.treesitter.preprocessor import arguments_at
from longtable.checkers.treesitter.workarounds import has_unknown_syntax

_INCOMPLETE = ("c", "cpp", "c-sharp", "bash", "swift", "kotlin")
"""Grammars whose faults in long texts are doubtful."""
_HIDDEN = re.compile(r"[\w\"'({\[*&:<~#]|\s*\Z")
"""How something begins that only an unknown macro can explain."""
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:define|undef|if|ifdef|ifndef|elif|else)\b", re.MULTILINE)
_MANY_DIRECTIVES = 12
"""From so many on the preprocessor makes the program, and we do not see what it makes of it."""
_LAST_WORD = re.compile(r"(\w+)\W*$")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FIRST_WORD = re.compile(r"\W*(\w+)")
_KNOWN = words(
    "auto bool break case catch char class const constexpr continue default delete do double else enum extern "
    "false float for goto if inline int long namespace new operator private protected public register return "
    "short signed sizeof static struct switch template this throw true try typedef typename union unsigned using "
    "virtual void volatile while"
)
_THREE_WORDS = re.compile(r"(?<![\w\"'])[a-zA-Z_]\w*[ \t]+(?:[a-zA-Z_]\w*[ \t*&]+)+[a-zA-Z_]\w*")
_STATEMENT_MACRO = re.compile(r"(?:\A|[;{}])\s*(?:[A-Za-z]+_)?[A-Z][A-Z0-9]*_[A-Z0-9_]+\s+(?!=)[^;{}]*\Z")
_STRING_OR_PARENTHESIS = re.compile(r"\"(?:\\.|[^\"\\])*\"|[()]")
_CALLED = re.compile(r"\b(\w+)\s*(?:\([^()]*\)\s*)?\Z")
_LINE_START = re.compile(r"(?:static[ \t]+|extern[ \t]+)?(\w+)[ \t]*(?:\([^()]*\)[ \t]*)?\w")
_ATTRIBUTE = re.compile(
    r"^(?:(\w+)(?:[ \t]*\([^()\n]*\))?[ \t]+(?:static|extern|inline)\b"
    r"|(?:static|extern|inline)[ \t]+(\w+)[ \t]+\w+[ \t*]*\n\w+[ \t]*\()",
    re.MULTILINE,
)
"""A word before `static`, or one too many between it and the name of a function on the next line."""
_BLOCK_CALL = re.compile(r"[;{}]\s*([a-z_]\w*)\s*\([^;{}]*\)\s*\Z")
_CALL = re.compile(r"\b((?:[A-Z][A-Za-z0-9]*_)?[A-Z_][A-Z0-9_]{2,})\s*\([^()]*(?:\([^()]*\)[^()]*)*\)?\s*$")


def is_doubtful(parsed: ParsedSource, text: str) -> bool:
    """`text` is what was checked, before anything was rewritten for the parser."""
    fault, source, grammar = parsed.fault, parsed.source, parsed.grammar.name
    if fault is None or fault.certain:
        return False
    if grammar in _INCOMPLETE and len(source.data) > MOST_BYTES:
        return True
    row = source.row(fault.rejected)
    lines = text.split("\n")[max(0, row - 1) : row + 2]
    if any(has_unknown_syntax(grammar, line) for line in lines):
        return True
    return grammar in ("c", "cpp") and _may_be_macro(source, fault, text)


def _may_be_macro(source: Source, fault: SyntaxFault, text: str) -> bool:
    """Whether a macro that the text does not define could be what makes it right."""
    if len(_DIRECTIVE.findall(text)) >= _MANY_DIRECTIVES or fault.rejected >= source.last():
        return True
    row = source.row(fault.rejected)
    if _begins_with_macro(text, row) or _begins_with_attribute(text, row):
        return True
    before = _COMMENT.sub(" ", source.cut(max(0, fault.rejected - 600), fault.rejected))
    after = source.cut(fault.rejected, fault.rejected + 600)
    if _STATEMENT_MACRO.search(before) or _is_in_macro(before, after) or _has_unknown_word(before, after):
        return True
    if _is_unknown_block(before, after):
        return True
    return _HIDDEN.match(after) is not None and _is_beside_macro(before, after)


def _begins_with_macro(text: str, row: int) -> bool:
    """Whether this line does, or the one before."""
    begun = [_LINE_START.match(line) for line in text.split("\n")[max(0, row - 1) : row + 1]]
    return any(is_macro(found[1]) for found in begun if found is not None)


def _begins_with_attribute(text: str, row: int) -> bool:
    """Whether a declaration here begins with a word in small letters that means nothing to the language."""
    lines = "\n".join(text.split("\n")[max(0, row - 1) : row + 2])
    words_before = [found[1] or found[2] for found in _ATTRIBUTE.finditer(lines)]
    return any(word not in _KNOWN and not _is_misspelled(word) for word in words_before)


def _is_beside_macro(before: str, after: str) -> bool:
    nearest = [found[1] for found in (_LAST_WORD.search(before), _FIRST_WORD.match(after)) if found]
    return any(is_macro(word) for word in nearest) or bool(_CALL.search(before))


def _is_unknown_block(before: str, after: str) -> bool:
    """Whether something like a call, of which C knows nothing, begins a block: `forboth(a, b, c, d) {`."""
    called = _BLOCK_CALL.search(before) if after.startswith("{") else None
    return called is not None and called[1] not in _KNOWN and not _is_misspelled(called[1])


def _is_in_macro(before: str, after: str) -> bool:
    """Inside of a call in capitals, however deep, or of one with braces among its arguments."""
    opened = _open_parentheses(before)
    calls = [at for at in opened if (called := _CALLED.search(before[:at])) is not None and is_macro(called[1])]
    if opened and "{" in before[opened[-1] :] and _CALLED.search(before[: opened[-1]]) is not None:
        calls.append(opened[-1])
    return any(_is_closed_after(before, after, at) for at in calls)


def _open_parentheses(text: str) -> list[int]:
    opened: list[int] = []
    for found in _STRING_OR_PARENTHESIS.finditer(text):
        if found[0] == "(":
            opened.append(found.start())
        elif found[0] == ")" and opened:
            opened.pop()
    return opened


def _is_closed_after(before: str, after: str, parenthesis: int) -> bool:
    arguments, end = arguments_at(before + after, parenthesis)
    return arguments is not None and end > len(before)


def _has_unknown_word(before: str, after: str) -> bool:
    """Three words in a row, of which the first is unknown and not a keyword misspelled: `z_const unsigned char`."""
    head = before.rpartition("\n")[2]
    for found in _THREE_WORDS.finditer(head + after.partition("\n")[0]):
        if found.start() < len(head) < found.end():
            unknown = [word for word in re.findall(r"\w+", found[0]) if word not in _KNOWN]
            return bool(unknown) and not any(_is_misspelled(word) for word in unknown)
    return False


def _is_misspelled(word: str) -> bool:
    return "_" not in word and bool(get_close_matches(word, _KNOWN, n=1, cutoff=0.8))
