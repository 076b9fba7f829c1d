"""What languages allow and our grammars do not know yet, rewritten in place. Used on texts that fail."""

import re
from collections.abc import Callable

Replace = Callable[[re.Match[str]], str]
Gap = tuple[re.Pattern[str], Replace]


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


def _keep(first: str) -> Replace:
    """Keeps the group, which begins the match, and blanks the rest."""

    def replace(found: re.Match[str]) -> str:
        return found[first] + _blank(found)[len(found[first]) :]

    return replace


def _first_only(*patterns: str) -> list[Gap]:
    """What begins with the group `first` and goes on with what is left out."""
    return [(re.compile(pattern), _keep("first")) for pattern in patterns]


def _exchanged(pattern: str, old: str, new: str) -> Gap:
    """Signs of the match, each for another."""
    table = str.maketrans(old, new)
    return re.compile(pattern), lambda found: found[0].translate(table)


_CONTEXT = 100
_UNDERSCORED = (r"(?<=[\w*])\s+__[a-z]\w*(?=\s+\w)", None)
_NAMELESS_BITS = (r"(?:(?<=signed)|(?<=int)|(?<=char)|(?<=long)|(?<=short)|(?<=_t)|(?<=bool))\s*:\s*\d+(?=\s*;)", " x")
_CASE_RANGE = (r"(?<=\bcase )([^:\n]*?)\.\.\.[^:\n]*(?=:)", "1")
_EACH = (r"(?<![\w:.>])\w*(?i:for_?each)\w*\s*\([^;{}]*\)(?=\s*\{|[ \t]*\n\s*\w)", "if(1)")
"""The macros of the Linux kernel, of Qt and of many libraries of lists."""
_ATTRIBUTED = (r"\b__\w+\s*\(\([^()]*\)\)", None)
_PLAIN_TYPE = r"(?:int|char|long|short|float|double|void|bool|unsigned|signed|u?int\d+_t|size_t)"
_TYPES_AS_ARGUMENTS = (
    (r"\b(?:va_arg|offsetof)\s*\([^,;()]+,[^;()]+\)", "f()"),
    (r"(?<=[(,])\s*(?:struct|union|enum)(?=\s+\w+\s*\**\s*[,)])", None),
    (r"(?<=[(,])\s*(?:const\s+)?\w+\s*\*+(?=\s*,)|(?<=,)\s*(?:const\s+)?\w+\s*\*+(?=\s*\))", "x"),
    (rf"(?<=[(,])\s*(?:const\s+)?{_PLAIN_TYPE}(?:\s+{_PLAIN_TYPE})*\s*\**(?=\s*[,)])", "x"),
)
"""What only macros take: va_arg(list, char *), container_of(node, struct item, link)."""
_CALLING = (r"(?<=\()\s*[A-Z_][A-Z0-9_]+(?=\s*\*+\s*\w*\s*\)\s*\()", None)
"""How a function is called that is pointed to: `BOOL (WINAPI *open)(int)`."""
_C = _gaps(
    _ATTRIBUTED,
    *_TYPES_AS_ARGUMENTS,
    _EACH,
    (r"\b_Atomic\s*\(\s*\w+\s*\*?\s*\)", "int"),
    (r"\b_BitInt\s*\(\s*\w+\s*\)", "int"),
    (r"\bauto(?=\s+\w+\s*=)", "int"),
    (r"(?<=[,;{])\s*:\s*\d+(?=\s*[,;])", " x"),
    _NAMELESS_BITS,
    (r"\b_Thread_local\b|\bthread_local\b", None),
    (r"(?<=enum)(\s+\w+)?\s*:\s*[\w ]+?(?=\s*[{;])", " E"),
    _UNDERSCORED,
    _CASE_RANGE,
)
_NESTED = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_CPP = [
    _exchanged(r"\bnew\s+(?:const\s+)?[\w:]+(?:<[^<>;]*>)?\s*\*+(?=\s*\[)", "*", " "),
    *_gaps(
        (r"(?<=[\s)&])=\s*(?:delete|default)\s*(?:\(\s*\"[^\"\n]*\"\s*\))?(?=\s*;)", None),
        (r"\bdecltype\s*" + _NESTED, "D"),
        (r"(?<=enum)\s*:\s*[\w: ]+?(?=\s*\{)", None),
        (r"\*\s*(?:/\*[^*]*\*/\s*)?=\s*(?:nullptr|0|NULL)(?=\s*[,>)])", None),
        (r"(?<=delete)\s*(?:\[\s*\]\s*)?\([\w:\s]+\*+\s*\)(?=\s*\w)", None),
        (r"\boperator\s*(?:\(\)|\[\]|[^\s\w(;]{1,3})(?=\s*\([^;{}]*\)\s*[;,)&|}])", "f"),
        _CALLING,
        *_TYPES_AS_ARGUMENTS,
        (r"(?<=\")\s*\b(?:PRI|SCN)[a-zA-Z]+(?:\d+|PTR|MAX)\b", None),
        (r"(?:(?<=[(,=])|(?<=return))\s*typename(?=\s+\w+::)|(?<=::)template(?=\s)", None),
        (r"(?<=[\w>])\s*&+(?=\s*\)\s*;)", None),
        (
            r"(?<=[<,])\s*(?!(?:class|typename|auto|int|bool|size_t)\b)[A-Za-z_][\w:]*(?=\s+[A-Z]\w*\s*=\s*[A-Za-z])",
            "class",
        ),
        (r"=\s*\{\s*\}(?=\s*[,)])", "=0"),
        (r"(?<=using )[\w:]+(?:,\s*[\w:]+)+(?=\s*;)", "A::B"),
        (r"(?<=[\[,])\s*\.\.\.(?=\w+\s*\])", None),
        _UNDERSCORED,
        (r"\b(?:extern\s+)?template\s+(?:class|struct|union)\s[^;{}]*;", ";"),
        (r"\[\[[^\[\]]*\]\]", None),
        (r"(?<=\()\s*this(?=\s+[\w:<>]+\s*(?:const)?\s*[&\w])", None),
        (r"\bif\s+!?\s*consteval\b", "if(1)"),
        (r"(?<=\))\s*static(?=\s*\{|\s*->|\s+(?:constexpr|consteval|noexcept)\b)", None),
        (r"(?<=[^:]):\s*\d+(?=\s*(?:=|\{)[^;{}\n]*\}?;)", None),
        (r"(?<=[?:])\s*throw(?=\s+[\w:\"])", " -"),
        (r"(?<=[\w>])\s+[\w:]+::\*\s*(?=\w)", " * "),
        (r"\(\s*[\w:]+::\*(?=\s*\w*\s*\))", "(*"),
        (r"(?<=\w|\))\.\.\.(?=\s*[;)])", None),
        (r"(?m)^[ \t]*(?:export[ \t]+)?(?:module|import)\b[^;\n{}()=]*;", None),
        (r"\bexport(?=\s*\{|\s+\w|\s*\[\[)", None),
        (r"->\*", "->x"),
        (r"\b(?:slots|Q_SLOTS)(?=\s*:)", None),
        (r"\b(?:signals|Q_SIGNALS)(?=\s*:)", "public"),
    ),
]
_SHARP = _gaps(
    (r"(?<=[{,])\s*\[[^\[\]{};]*\](?=\s*(?:when\b|=>))", " _"),
    (r"\.\.(?=\s*(?:var|int|string|_)\b)", None),
    (r"(?<=[\[,])\s*\.\.(?=\s*[,\]])", "_"),
    (r"(?<=\boperator)(\s*[-+*/%&|^])=(?=\s*\()", " +"),
    (r"(?<=[(,])\s*(?:ref|out|in|scoped)(?=\s+\w+\s*[,)])", None),
    (r"\?(?=\[[^\]\n]*\]\s*(?:\?\?)?[-+*/]?=[^=>])", None),
    (r"\bextension\s*(?:<[^<>]*>)?\s*\([^()]*\)(?:\s*where\s[^{};]*)?(?=\s*\{)", "class X"),
    (r"\ballows\s+ref\s+struct\b", "class"),
)
_SOFT_WORDS = (
    "abstract|actual|annotation|by|companion|const|data|dynamic|enum|expect|external|final|infix|inline|inner|internal|"
    "lateinit|open|operator|out|override|private|protected|public|sealed|suspend|tailrec|value|vararg|where"
)
"""What may be a name too: `changes.forEach { override -> apply(override) }`."""
_LATE_CONSTRUCTOR = re.compile(
    r"(?P<name>\bclass\s+\w+(?:<[^<>{}]*>)?)(?P<lines>\s*\n\s*)"
    r"(?P<words>(?:@\w+(?:\([^()]*\))?\s+|(?:private|internal|protected|public)\s+)*constructor\s*)\("
)


def _early(found: re.Match[str]) -> str:
    """The parenthesis moves to the name of the class."""
    words = "".join(sign if sign == "\n" else " " for sign in found["words"])
    return f"{found['name']}({found['lines']}{words}"


_KOTLIN = [
    _exchanged(r"\[[\w\s,:?.]*\](?=\s*->|\s+in\b)|(?<=\bval )\[[\w\s,:?.]*\](?=\s*=)", "[]", "()"),
    (_LATE_CONSTRUCTOR, _early),
    *_gaps(
        (r"=\s*\[\s*\](?=\s*[,)])", "=x"),
        (r"\bsuspend(?=\s*\{)", None),
        (rf"\b(?:{_SOFT_WORDS})(?=\s*(?:->|[.,)\]]|\?\.))", "x"),
        (r"(?<=\n)[ \t]+field[ \t]*=[^\n]*", None),
        (r"\bcontext\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", None),
        (r"(?<=\S)\s+if\s+[^\n{}]*?(?=\s*->)", None),
    ),
]
_SWIFT = [
    (re.compile(r"[ \t]+;"), lambda found: ";" + _blank(found)[1:]),
    *_first_only(
        r"(?P<first>\bassociatedtype\b[^\n;{}]*?)\s+where\s[^\n;{}]*",
        r"(?P<first>\btypealias\b[^\n;{}]*?)\s+where\s[^\n;{}]*",
        r"(?P<first>\bcatch\s+[\w.]+)(?:\s*,\s*[\w.]+)+(?=\s*\{|\s+where\b)",
    ),
    *_gaps(
        (r"(?<=[(,])\s*_\s*:(?=\s*[\w@\[(])", None),
        (r"\.\.\.(?=\s*[,)])", None),
        (r"~(?=[A-Z]\w*(?:\.\w+)*\.self\b)", None),
        (r"(?<=[:,=] )\(\)|(?<=\()\(\)(?=\))|(?<=\breturn )\(\)", "x"),
        (r"@_\w+", None),
    ),
]
_HEAD = r"(?m)(?:^|[{;])[ \t]*(?:\}[ \t]*)?(?:else[ \t]+)?(?:if|while|guard|switch|for|let|var|case)\b[^\n]*\{"
_TRIES = re.compile(r"\btry[?!]?(?=\s)|\bawait(?=\s)")
_SWIFT_HEADS: list[Gap] = [(re.compile(_HEAD), lambda found: _TRIES.sub(_blank, found[0]))]
"""After `if await ready {` the block is taken for a closure, and the parser stumbles well behind it."""
_RUST = _gaps(
    (r"\b(?:str|char|bool|[iu](?:8|16|32|64|128|size)|f32|f64)(?=!\s*[(\[{])", "x"),
    (r"\bunsafe(?=\s+static\b)", None),
    (r"(?<=[<,])\s*-(?=\d+\s*[,>])", None),
    (r"\bsafe(?=\s+(?:fn|static)\b)", None),
    (r"(?<=[(\s\]])~(?=[\s)\$])", "-"),
    (r"~=", "=="),
    (r"(?<=[(,])\s*#\[[^\[\]]*\](?=\s*[\w&*(\"'-])", None),
)
_GO = _gaps((r"(?<=[\w\"`)\]}])[ \t](?=\)[ \t]*(?:;|\n|$))", ";"))
_JAVA = [
    *_first_only(
        r"(?P<first>\bcase\s+[\w.<>?]+(?:\([^\n]*?\))?(?:\s+_)?)(?:\s*,\s*[\w.<>?]+(?:\([^\n]*?\))?(?:\s+_)?)+"
        r"(?=\s*(?:->|:|when\b))"
    ),
    *_gaps(
        (r"(?<=import )module(?=\s+[\w.]+\s*;)", None),
        (r"\bsuper(?=\s*\()|\bthis(?=\s*\()", "f"),
        (r"(?<=\d)__+(?=\d)", "00"),
    ),
]
_RUBY = [
    *_gaps((r"\bdef\s+[\w.]+[?!]?(?:\([^()\n]*\))?\s*=(?=\s+\w[\w.]*[?!]?\s+[\w\"':@$\[])", None)),
    (re.compile(r"(\n[ \t]*)(&&|\|\|)"), lambda found: found[2] + found[1]),
    *_gaps((r":\$[^\w\s]", ":x")),
]
_PHP = _gaps((r"\(void\)", None))
_FOREIGN = _gaps((r"[^\W\d_a-zA-Z]", "x"))[0]
"""Letters that a grammar does not expect in names."""
GAPS: dict[str, list[Gap]] = {
    "c": _C,
    "cpp": _CPP,
    "c-sharp": _SHARP,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "rust": _RUST,
    "go": _GO,
    "java": _JAVA,
    "ruby": _RUBY,
    "php": _PHP,
}


ALL_OVER: dict[str, list[Gap]] = {
    "swift": _SWIFT_HEADS,
    "rust": _RUST[:1],
}
"""What comes many times in one text, and would take a round each."""


def closed_all_over(grammar: str, text: str) -> str:
    for pattern, replace in ALL_OVER.get(grammar, ()):
        text = pattern.sub(replace, text)
    return text


def candidates(grammar: str, text: str, start: int, end: int) -> list[str]:
    """The text with one gap closed between `start` and `end`, for each that is there."""
    first, last = max(0, start - _CONTEXT), end + _CONTEXT
    head, window, tail = text[:first], text[first:last], text[last:]
    found = []
    for pattern, replace in (*GAPS.get(grammar, ()), _FOREIGN):
        closed = pattern.sub(replace, window)
        if closed != window:
            found.append(head + closed + tail)
    everywhere = [pattern.sub(replace, text) for pattern, replace in ALL_OVER.get(grammar, ())]
    return [closed for closed in everywhere if closed != text] + found
