"""Which faults are errors, and which are warnings because the grammar may be the one that is wrong."""

import re

from longtable.checkers.source import Source
from longtable.checkers.treesitter.blame import MOST_BYTES
from longtable.checkers.treesitter.diagnosis import Fault
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.strangers import is_macro
from longtable.checkers.treesitter.verdict import Verdict

_SOFT = words("c cpp c-sharp bash swift kotlin")
_NEAR = {
    "c-sharp": re.compile(r"^\s*#|\bextension\b|\ballows\b|\bfield\b"),
    "swift": re.compile(r"^\s*#|\bsending\b|~\w|\bborrowing\b|\bconsuming\b|(?<!\w)/[^/\s]"),
    "kotlin": re.compile(r"\bcontext\s*\(|\bif\b.*->|@\w+:"),
}
_HIDDEN = re.compile(r"[\w\"'({\[*&:<~#]|\s*\Z")
"""How something begins that only an unknown macro can explain."""
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:define|undef|if|ifdef|ifndef|elif|else)\b", re.MULTILINE)
_MANY_DIRECTIVES = 12
"""From so many on the preprocessor makes the program, and we do not see what it makes of it."""
_LAST_WORD = re.compile(r"(\w+)\W*$")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_FIRST_WORD = re.compile(r"\W*(\w+)")
_CALL = re.compile(r"\b([A-Z_][A-Z0-9_]{2,})\s*\([^()]*(?:\([^()]*\)[^()]*)*\)?\s*$")


def is_doubtful(verdict: Verdict, text: str) -> bool:
    """`text` is what was checked, before anything was made easy for the parser."""
    fault, source = verdict.fault, verdict.source
    if fault is None or fault.certain or source.data.startswith(b"```", fault.blamed):
        return False
    if _was_given_up(verdict):
        return True
    row = source.row(fault.blamed)
    near = _NEAR.get(verdict.grammar.name)
    if near is not None:
        return any(near.search(source.line(each)) for each in (row - 1, row, row + 1))
    return verdict.grammar.name in ("c", "cpp") and _may_be_macro(source, fault, text)


def _may_be_macro(source: Source, fault: Fault, text: str) -> bool:
    if len(_DIRECTIVE.findall(text)) >= _MANY_DIRECTIVES:
        return True
    if not _HIDDEN.match(source.cut(fault.blamed, fault.blamed + 1)):
        return False
    before = _COMMENT.sub(" ", source.cut(max(0, fault.blamed - 600), fault.blamed))
    after = source.cut(fault.blamed, fault.blamed + 80)
    words = [found[1] for found in (_LAST_WORD.search(before), _FIRST_WORD.match(after)) if found]
    return any(is_macro(word) for word in words) or bool(_CALL.search(before))


def _was_given_up(verdict: Verdict) -> bool:
    return verdict.grammar.name in _SOFT and (verdict.is_unfinished or len(verdict.source.data) > MOST_BYTES)
