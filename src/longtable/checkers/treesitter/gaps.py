"""What languages allow and our grammars do not know yet, rewritten in place. Used on texts that fail."""

import re

from longtable.checkers.treesitter.script_gaps import AMPERSANDS, ESCAPES, Gap, Replace


def _blank(found: re.Match[str]) -> str:
    return "".join(sign if sign == "\n" else " " for sign in found[0])


def _as(word: str) -> Replace:
    """The word, and spaces up to the length of what it replaces."""

    def replace(found: re.Match[str]) -> str:
        rest = _blank(found)
        return word + rest[len(word) :] if len(rest) >= len(word) and "\n" not in rest[: len(word)] else found[0]

    return replace


def _gaps(*pairs: tuple[str, str | None]) -> list[Gap]:
    return [(re.compile(pattern), _blank if word is None else _as(word)) for pattern, word in pairs]


_CONTEXT = 100
_TYPE_ARGUMENTS = r"<[^<>;(){}]*(?:<[^<>;]*(?:<[^<>;]*>[^<>;]*)*>[^<>;]*)*>"
_VARIANCE = r"(?:in\s+out|in|out)(?=\s+[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))"
_ATTRIBUTE = r"\b__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)"
_SCRIPT = _gaps(
    (r"(?<=export )type(?=\s*\*)", None),
    (r"(?<=[<,])\s*" + _VARIANCE, None),
    (r"(?<=\n)[ \t]*" + _VARIANCE, None),
    (r"(?<=[\w$])<[^<>;()=`]*(?:<[^<>;`]*>[^<>;`]*)*>(?=`)", None),
    (r"(?<=[\w$])<\{[^{}`]*\}(?:\[\])*>(?=`)", None),
    (r"(?<=export default )abstract(?= class)", None),
    (r"\bimport\([\"'][^\"'\n]*[\"']\)\.[\w.]+(?:" + _TYPE_ARGUMENTS + ")?", "X"),
    (r"(?<=\()(?:await\s+)?using(?=\s+\w+\s+of\b)", "const"),
    (r"[ \t](?=<[^\n]*>\()", ";"),
    (r"[ \t](?=<[ \t]*\n)", ";"),
    (r"(?<=let )as\b|(?<=const )as\b|(?<=var )as\b", "x"),
    (r"(?<=export )default(?= (?:async )?function\s+\w)", None),
    (r"(?<=export )default function(?=\s*[(<])", "function f"),
    (r"(?<=\n)[ \t]{2,}global(?=\s*\{)", "module g"),
    (r"(?<=\])\?[ \t]+:", "?:"),
    (r"(?<=\})\?(?=:)", None),
    (r"(?<=keyof )readonly(?= )", None),
    (r"\bexport(?=\s+import\s+\w+\s*=\s*require\b)", None),
)
_NEW = _gaps(
    (r"\baccessor(?=\s+[\w#$\[])", None),
    (r"(?<=import )(?:defer|source)(?= )", None),
)
_JSX = [*_gaps((r"(?<=<)this(?=\.\w)|(?<=</)this(?=\.\w)", "That")), *AMPERSANDS]
_UNDERSCORED = (r"(?<=[\w*])\s+__[a-z]\w*(?=\s+\w)", None)
_NAMELESS_BITS = (r"(?:(?<=signed)|(?<=int)|(?<=char)|(?<=long)|(?<=short)|(?<=_t)|(?<=bool))\s*:\s*\d+(?=\s*;)", " x")
_CASE_RANGE = (r"(?<=\bcase )([^:\n]*?)\.\.\.[^:\n]*(?=:)", "1")
_EACH = (r"(?<![\w:.>])\w*(?i:for_?each)\w*\s*\([^;{}]*\)(?=\s*\{|[ \t]*\n\s*\w)", "if(1)")
"""The macros of the Linux kernel, of Qt and of many libraries of lists."""
_LEADING = (r"(?m)^[ \t]*__[a-z]\w*(?=[ \t]+\w+[ \t]+\**\w+\()", None)
_C = _gaps(
    _EACH,
    _LEADING,
    (r"\b_Atomic\s*\(\s*\w+\s*\*?\s*\)", "int"),
    (r"\b_BitInt\s*\(\s*\w+\s*\)", "int"),
    (r"\bauto(?=\s+\w+\s*=)", "int"),
    (r"(?<=[,;{])\s*:\s*\d+(?=\s*[,;])", " x"),
    _NAMELESS_BITS,
    (r"\b_Thread_local\b|\bthread_local\b", None),
    (r"(?<=\*)\s*restrict(?=\s*[,)])", None),
    (r"(?<=enum)(\s+\w+)?\s*:\s*[\w ]+?(?=\s*[{;])", " E"),
    (r"\b_Noreturn\b|\b_Complex\b|\bcomplex(?= \w+\s*[,;=])", None),
    _UNDERSCORED,
    (r"\bgoto\s*\*[^;\n]*;|\b__label__\b[^;\n]*;", ";"),
    (_ATTRIBUTE, None),
    (r"\b__extension__\b|\b__inline(?:__)?\b|\b__restrict(?:__)?\b|\b__(?:cdecl|stdcall|fastcall)\b", None),
    (r"\[\[[^\[\]]*\]\]", None),
    (r"(?<=\d)'(?=[\da-fA-F])", "0"),
    _CASE_RANGE,
)
_CPP = _gaps(
    _EACH,
    _LEADING,
    (r"=\s*\{\s*\}(?=\s*[,)])", "=0"),
    (r"\boperator(?:\+\+|--)\(\)(?=\s*;)", "f()"),
    _UNDERSCORED,
    _NAMELESS_BITS,
    _CASE_RANGE,
    (r"\b(?:extern\s+)?template\s+(?:class|struct|union)\s[^;{}]*;", ";"),
    (r"\bextern\s+template\s[^;{}]*;", ";"),
    (r"\[\[[^\[\]]*\]\]", None),
    (r"(?<=\()\s*this(?=\s+[\w:<>]+\s*(?:const)?\s*[&\w])", None),
    (r"\bif\s+!?\s*consteval\b", "if(1)"),
    (r"(?<=\))\s*static(?=\s*\{|\s*->)", None),
    (r"(?<=[^:]):\s*\d+(?=\s*(?:=|\{)[^;{}\n]*\}?;)", None),
    (r"(?<=[?:])\s*throw(?=\s+[\w:]+\s*[({])", " -"),
    (r"(?<=[\w>])\s+[\w:]+::\*\s*(?=\w)", " * "),
    (r"\(\s*[\w:]+::\*(?=\s*\w*\s*\))", "(*"),
    (r"(?<=\w|\))\.\.\.(?=\s*;)", None),
    (r"(?m)^[ \t]*(?:export[ \t]+)?(?:module|import)\b[^;\n{}()=]*;", None),
    (r"\bexport(?=\s*\{|\s+\w|\s*\[\[)", None),
    (r"->\*", "->x"),
    (r"(?<=\w)\.\*(?=\w)", ".x"),
    (r"\b(?:slots|Q_SLOTS)(?=\s*:)", None),
    (r"\b(?:signals|Q_SIGNALS)(?=\s*:)", "public"),
    (r"(?<=\d)'(?=[\da-fA-F])", "0"),
    (_ATTRIBUTE, None),
    (r"(?<=[^\w])auto(?=[({]\w)", "f"),
    (r"(?<=[\w>])\s*&&\s*(?=\w+\s*\(\s*this\b)", " "),
)
_SHARP = _gaps(
    (r"\.\.(?=\s*(?:var|int|string|_)\b)", None),
    (r"\bextension\s*(?:<[^<>]*>)?\s*\([^()]*\)(?=\s*\{)", "class X"),
    (r"\ballows\s+ref\s+struct\b", "class"),
    (r"\bscoped(?=\s+(?:ref\b|in\b|out\b|\w+[ <]))", None),
    (r"\bpartial(?=\s+(?:event|[A-Z]\w*\s*\())", None),
    (r"\?(?=\.\w+(?:\.\w+)*\s*(?:\?\?)?[-+*/]?=[^=>])", None),
)
_KOTLIN = _gaps(
    (r"\bcontext\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", None),
    (r"(?<=\S)\s+if\s+[^\n{}]*?(?=\s*->)", None),
    (r"(?<=\w)<[\w<>, ?.*]+>(?=\s*[({])", None),
    (r"\$\$+(?=\")", None),
    (r"\bexpect(?=\s+(?:class|fun|val|var|object|interface))|\bactual(?=\s+\w)", None),
)
_SWIFT = _gaps(
    (r"\bprecedencegroup\s+\w+\s*\{[^{}]*\}", None),
    (r"\bisolated(?=\s+deinit)", None),
    (r"\bnonisolated\s*\(\s*\w+\s*\)", None),
    (r"\b(?:sending|borrowing|consuming|nonisolated|isolated)(?=\s+[\w@\[(])", None),
    (r"(?<=[\w)\]}\"])\s*;", None),
    (r"\bthrows\s*\(\s*[\w.]+\s*\)", "throws"),
    (r"~(?=(?:Copyable|Escapable)\b)", None),
    (r"\bunsafe(?=\s+\w)", None),
    (r"(?<=[:,=] )\(\)|(?<=\()\(\)(?=\))", "x"),
    (r"(?m)^([ \t]*)[*/%](?=[ \t])", "+"),
    (r"@_\w+", None),
)
_RUST = _gaps(
    (r"\bsafe(?=\s+(?:fn|static)\b)", None),
    (r"\bunsafe(?=\s+extern\b)", None),
    (r"(?<=[(\s\]])~(?=[\s)\$])", "-"),
    (r"\btry!(?=\s*\()", "tri!"),
    (r"(?<=\))\s*where\s[^;{}]*(?=;)", None),
    (r"\btrait\s+\w+(?:<[^<>]*>)?\s*=[^;{}]*;", ";"),
    (r"\buse\s*<[^<>]*>", "Sized"),
    (r"\bgen(?=\s+(?:move\s+)?\{)", None),
)
_GO = _gaps((r"(?<=[\w\"`)\]}])[ \t](?=\)[ \t]*(?:;|\n|$))", ";"))
_FOREIGN = _gaps((r"[^\W\d_a-zA-Z]", "x"))[0]
"""Letters that a grammar does not expect in names."""
_GAPS: dict[str, list[Gap]] = {
    "javascript": [*_NEW, *ESCAPES, *_JSX],
    "typescript": [*_SCRIPT, *_NEW, *ESCAPES],
    "tsx": [*_SCRIPT, *_NEW, *ESCAPES, *_JSX],
    "c": _C,
    "cpp": _CPP,
    "c-sharp": _SHARP,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "rust": _RUST,
    "go": _GO,
}


_ALL_OVER: dict[str, tuple[Gap, ...]] = {
    "javascript": (*ESCAPES, *AMPERSANDS),
    "typescript": ESCAPES,
    "tsx": (*ESCAPES, *AMPERSANDS),
}
"""What comes many times in one text, and would take a round each."""


def closed_all_over(grammar: str, text: str) -> str:
    for pattern, replace in _ALL_OVER.get(grammar, ()):
        text = pattern.sub(replace, text)
    return text


def candidates(grammar: str, text: str, start: int, end: int) -> list[str]:
    """The text with one gap closed between `start` and `end`, for each that is there."""
    first, last = max(0, start - _CONTEXT), end + _CONTEXT
    head, window, tail = text[:first], text[first:last], text[last:]
    found = []
    for pattern, replace in (*_GAPS.get(grammar, ()), _FOREIGN):
        closed = pattern.sub(replace, window)
        if closed != window:
            found.append(head + closed + tail)
    everywhere = [pattern.sub(replace, text) for pattern, replace in _ALL_OVER.get(grammar, ())]
    return [closed for closed in everywhere if closed != text] + found
