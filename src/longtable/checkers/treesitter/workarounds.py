"""What languages allow and our grammars do not know: rewritten for a second attempt, or else a reason to call a fault
a warning."""

import re
from functools import partial

Replacement = tuple[re.Pattern[str], str]
"""A pattern, and what stands there instead; it is filled up with blanks, so that offsets and lines stay."""

_PLAIN_TYPE = r"(?:int|char|long|short|float|double|void|bool|unsigned|signed|u?int\d+_t|size_t)"
_TYPES_AS_ARGUMENTS = (
    (r"(?<=[(,])\s*(?:struct|union|enum)(?=\s+\w+\s*\**\s*[,)])", ""),
    (r"(?<=[(,])\s*(?:const\s+)?\w+\s*\*+(?=\s*,)|(?<=,)\s*(?:const\s+)?\w+\s*\*+(?=\s*\))", "x"),
    (rf"(?<=[(,])\s*(?:const\s+)?{_PLAIN_TYPE}(?:\s+{_PLAIN_TYPE})*\s*\**(?=\s*[,)])", "x"),
)
"""What only macros take: va_arg(list, char *), container_of(node, struct item, link)."""
_NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_PATTERNS: dict[str, tuple[tuple[str, str], ...]] = {
    "c": (
        *_TYPES_AS_ARGUMENTS,
        (r"(?<![\w:.>])\w*(?i:for_?each)\w*\s*\([^;{}]*\)(?=\s*\{|[ \t]*\n\s*\w)", "if(1)"),
        (r"\b_(?:Atomic|BitInt)\s*\(\s*\w+\s*\*?\s*\)", "int"),
        (r"\b(?:_Thread_local|thread_local)\b", ""),
        (r"\bauto(?=\s+\w+\s*=)", "int"),
        (r"\b(?:int|char|long|short|bool|unsigned|signed|\w+_t)\s*:\s*\d+(?=\s*;)", "int x"),
        (r"(?<=[,;{])\s*:\s*\d+(?=\s*[,;])", " x"),
        (r"(?<=enum)(\s+\w+)?\s*:\s*[\w ]+?(?=\s*[{;])", " E"),
        (r"(?<=\bcase )([^:\n]*?)\.\.\.[^:\n]*(?=:)", "1"),
    ),
    "cpp": (
        *_TYPES_AS_ARGUMENTS,
        (r"\bnew\s+(?:const\s+)?[\w:]+(?:<[^<>;]*>)?\s*\*+(?=\s*\[)", "new T"),
        (r"(?<=[\s)&])=\s*(?:delete|default)\s*(?:\(\s*\"[^\"\n]*\"\s*\))?(?=\s*;)", ""),
        (r"\bdecltype\s*" + _NESTED, "D"),
        (r"\boperator\s*(?:\(\)|\[\]|[^\s\w(;]{1,3})(?=\s*\([^;{}]*\)\s*[;,)&|}])", "f"),
        (
            r"(?<=[<,])\s*(?!(?:class|typename|auto|int|bool|size_t)\b)[A-Za-z_][\w:]*(?=\s+[A-Z]\w*\s*=\s*[A-Za-z])",
            "class",
        ),
        (r"\b(?:extern\s+)?template\s+(?:class|struct|union)\s[^;{}]*;", ";"),
        (r"\[\[[^\[\]]*\]\]", ""),
        (r"(?<=\()\s*this(?=\s+[\w:<>]+\s*(?:const)?\s*[&\w])", ""),
        (r"\bif\s+!?\s*consteval\b", "if(1)"),
        (r"(?<=\))\s*static(?=\s*\{|\s*->|\s+(?:constexpr|consteval|noexcept)\b)", ""),
        (r"(?<=[^:]):\s*\d+(?=\s*(?:=|\{)[^;{}\n]*\}?;)", ""),
        (r"(?<=[?:(,])\s*throw(?=\s+[\w:\"])", " -"),
        (r"(?<=[\w>])\s+[\w:]+::\*\s*(?=\w)", " * "),
        (r"\(\s*[\w:]+::\*(?=\s*\w*\s*\))", "(*"),
        (r"(?<=\w|\))\.\.\.(?=\s*[;)])", ""),
        (r"(?m)^[ \t]*(?:export[ \t]+)?(?:module|import)\b[^;\n{}()=]*;", ""),
        (r"\bexport(?=\s*\{|\s+\w|\s*\[\[)", ""),
        (r"->\*", "->x"),
        (r"\b(?:slots|Q_SLOTS)(?=\s*:)", ""),
        (r"\b(?:signals|Q_SIGNALS)(?=\s*:)", "public"),
    ),
    "c-sharp": ((r"\.\.(?=\s*(?:var|int|string|_)\b)", ""), (r"\ballows\s+ref\s+struct\b", "class")),
    "java": ((r"(?<=import )module(?=\s+[\w.]+\s*;)", ""), (r"\b(?:super|this)(?=\s*\()", "f")),
    "kotlin": (
        (r"(?<=[^\s{])[ \t](?=\})", ";"),
        (r"\bcontext\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", ""),
        (r"(?<=\S)\s+if\s+[^\n{}]*?(?=\s*->)", ""),
    ),
    "rust": ((r"\bsafe(?=\s+(?:fn|static)\b)", ""),),
    "swift": (
        (r"~(?=[A-Z]\w*(?:\.\w+)*\.self\b)", ""),
        (r"(?<=[:,=] )\(\)|(?<=\()\(\)(?=\))|(?<=\breturn )\(\)", "x"),
        (r"\.\.\.(?=\s*[,)])", ""),
        (r"@_\w+", ""),
        (r"(?m)\b(?:try[?!]?|await)(?=\s[^\n]*\{[ \t]*$)", ""),
    ),
}
_FOREIGN_LETTER = re.compile(r"[^\W\d_a-zA-Z]")
"""Some grammars do not expect them in names."""
REWRITTEN: dict[str, list[Replacement]] = {
    grammar: [(re.compile(pattern), word) for pattern, word in pairs] for grammar, pairs in _PATTERNS.items()
}
_UNKNOWN: dict[str, re.Pattern[str]] = {
    "c": re.compile(r"\b(?:offsetof|va_arg)\b|__\w+\s*\(\("),
    "cpp": re.compile(
        r"=\s*\{\s*\}\s*[,)]|\*\s*(?:const\s*)?(?:/\*.*\*/\s*)?=\s*(?:nullptr|0|NULL)\s*[,>)]|&\s*\)\s*;"
        r"|\btypename\s+\w+::|::template\b|\busing\s[\w:]+,|\benum\s*:|\bdelete\b\s*(?:\[\s*\])?\s*\(|\b(?:PRI|SCN)\w+|\[.*\.\.\.\w"
    ),
    "c-sharp": re.compile(
        r"^\s*#|\bextension\b|\bfield\b|[\[,]\s*\.\.|\[\]|\boperator\b.*=|\?\[|[(,]\s*(?:ref|out)\s+\w+\s*[,)].*=>"
    ),
    "swift": re.compile(
        r"^\s*#|\bsending\b|~\w|\bborrowing\b|\bconsuming\b|(?<!\w)/[^/\s]|\b(?:associatedtype|typealias)\b.*\bwhere\b"
        r"|\bcatch\b.*,|[(,]\s*_\s*:|\s;"
    ),
    "kotlin": re.compile(
        r"\bcontext\s*\(|\bif\b.*->|@\w+:|\bfield\s*=|\bconstructor\b|\[[\w\s,:?.]*\]\s*->|\b(?:val |in |= ?)\["
        r"|\bsuspend\s*\{|\b(?:override|value|data|open|inner|out|by|where|operator)\b\s*->"
    ),
    "rust": re.compile(r"\bunsafe\s+static\b|<\s*-\d|~|[(,]\s*#\[|\b(?:str|char|bool|[iu]\d+|f32|f64)!"),
    "go": re.compile(r"^\s*(?:const|var|type)\s*\(.*;.*\)"),
    "java": re.compile(r"\bcase\b.*\b_\b|\d__+\d"),
    "ruby": re.compile(r"^\s*(?:&&|\|\|)|\bdef\s+[\w.]+[?!]?(?:\([^()]*\))?\s*=\s+\w|:\$"),
    "php": re.compile(r"\(void\)"),
}


def rewrite_unknown_syntax(grammar: str, text: str) -> str:
    """The text with every match masked, of the same length and with the same lines."""
    text = _FOREIGN_LETTER.sub("x", text)
    for pattern, word in REWRITTEN.get(grammar, ()):
        text = pattern.sub(partial(_padded, word), text)
    return text


def _padded(word: str, found: re.Match[str]) -> str:
    blanks = re.sub(r"[^\n]", " ", found[0])
    fits = len(word) <= len(blanks) and "\n" not in blanks[: len(word)]
    return word + blanks[len(word) :] if fits else found[0]


def has_unknown_syntax(grammar: str, line: str) -> bool:
    pattern = _UNKNOWN.get(grammar)
    return pattern is not None and pattern.search(line) is not None
