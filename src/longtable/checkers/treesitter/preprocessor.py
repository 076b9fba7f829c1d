"""Reads C and C++ roughly as a preprocessor would, line by line, so that what the grammars cannot know is gone.

Every line stays where it is. The result is for the parser only."""

import re
from dataclasses import dataclass

from longtable.checkers.source import words

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)(.*)", re.DOTALL)
_SHARP = "if elif else endif region endregion pragma nullable define undef line error warning"
_SWIFT = "if elseif else endif warning error sourceLocation"
_CONDITIONAL = re.compile(r"[ \t]*#[ \t]*(ifdef|ifndef|if|elifdef|elifndef|elif|else|endif)\b")
_OPEN_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*(?:<[^>]*|\"[^\"]*)$")
_DEFINE = re.compile(r"\s*(\w+)(\(([^()]*)\))?(.*)", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_TOKEN = re.compile(
    r'(?P<skip>R"(?P<mark>[^()\\\s]{0,16})\((?:.*?\)(?P=mark)"|.*)|//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)
_BRACKET = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[()\[\]{},]')
_SILENT = re.compile(
    r'R"(?P<mark>[^()\\\s]{0,16})\((?:.*?\)(?P=mark)"|.*)|"""(?:.*?"""|.*)|//[^\n]*|/\*.*?(?:\*/|\Z)'
    r'|"(?:\\.|[^"\\\n])*"',
    re.DOTALL,
)
"""Comments and long strings, in which a # begins nothing."""
_GUARD = re.compile(
    r"^[ \t]*#[ \t]*(?:ifndef[ \t]+|if[ \t]*![ \t]*defined[ \t]*\(?[ \t]*)(\w+)[^\n]*\n"
    r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*#[ \t]*define[ \t]+\1\b",
    re.MULTILINE,
)
_GUARDED = re.compile(r"[ \t]*(?:![ \t]*defined[ \t]*\(?[ \t]*)?(\w+)")
_DEEPEST = 6
_LONGEST = 1 << 18
_LONGEST_CALL = 4_000
NEVER_TRUE = ("0", "__cplusplus", "defined(__cplusplus)", "defined __cplusplus")


_KNOWN = {"c-sharp": words(_SHARP), "swift": words(_SWIFT)}


@dataclass(frozen=True, slots=True)
class Macro:
    parameters: tuple[str, ...] | None
    body: str


@dataclass(slots=True)
class _Branch:
    outer: bool
    taken: bool
    active: bool


class _DirectiveReader:
    def __init__(self, take_last: bool, never: tuple[str, ...], expands: bool, guards: frozenset[str]) -> None:
        self.expands = expands
        self.take_last = take_last
        self.guards = guards
        self.never = never
        self.stack: list[_Branch] = []
        self.macros: dict[str, Macro] = {}

    @property
    def active(self) -> bool:
        return not self.stack or self.stack[-1].active

    def directive(self, word: str, rest: str) -> None:
        if word in ("if", "ifdef", "ifndef"):
            self._open(word, rest)
        elif word in ("elif", "elseif", "elifdef", "elifndef", "else", "endif"):
            self._branch(word)
        elif word == "define" and self.active and self.expands:
            self._define(rest)
        elif word == "undef" and self.active:
            self.macros.pop(rest.strip(), None)

    def _open(self, word: str, rest: str) -> None:
        true = rest.strip() not in self.never and (not self.take_last or self._is_guard(word, rest))
        self.stack.append(_Branch(self.active, true, self.active and true))

    def _is_guard(self, word: str, rest: str) -> bool:
        """Of a header: what it encloses is the whole text, and has no other branch."""
        found = _GUARDED.match(rest) if word != "ifdef" else None
        return found is not None and found[1] in self.guards

    def _branch(self, word: str) -> None:
        if word == "endif":
            self.stack.pop()
        elif self.stack:
            branch = self.stack[-1]
            branch.active = branch.outer and not branch.taken and (word == "else" or not self.take_last)
            branch.taken = branch.taken or branch.active

    def _define(self, rest: str) -> None:
        found = _DEFINE.match(rest)
        if found:
            parameters = tuple(name.strip() for name in found[3].split(",")) if found[2] else None
            body = _COMMENT.sub(" ", found[4]).replace("\\\n", " ").replace("\n", " ").strip()
            self.macros[found[1]] = Macro(parameters, body)


def preprocess(grammar: str, text: str, take_last: bool = False) -> str:
    """Without directives, with one branch of each conditional, and with the macros expanded that the text defines."""
    reader = _reader(grammar, text, take_last)
    known = _KNOWN.get(grammar)
    lines = text.split("\n")
    kept: list[str] = []
    pending: list[str] = []
    row = 0
    while row < len(lines):
        found = _DIRECTIVE.match(lines[row])
        if found is None or (known is not None and found[1] not in known):
            pending.append(lines[row] if reader.active else "")
            row += 1
            continue
        last = _last_row(lines, row)
        if pending:
            kept.append(_expand("\n".join(pending), reader.macros))
            pending = []
        rest = found[2] + "".join("\n" + line for line in lines[row + 1 : last + 1])
        reader.directive(found[1], rest)
        kept.extend([""] * (last + 1 - row))
        row = last + 1
    if pending:
        kept.append(_expand("\n".join(pending), reader.macros))
    return "\n".join(kept)


def _reader(grammar: str, text: str, take_last: bool) -> _DirectiveReader:
    guards = frozenset(found[1] for found in _GUARD.finditer(text)) if take_last else frozenset()
    never = NEVER_TRUE if grammar == "c" else NEVER_TRUE[:1]
    return _DirectiveReader(take_last, never, expands=grammar in ("c", "cpp"), guards=guards)


def _last_row(lines: list[str], row: int) -> int:
    """Of a directive: it goes on after a backslash, and as long as a comment that begins in it."""
    last = row
    while lines[last].rstrip("\r").endswith("\\") and last + 1 < len(lines):
        last += 1
    silent = [found[0] for found in _TOKEN.finditer("\n".join(lines[row : last + 1])) if found["skip"]]
    if silent and silent[-1].startswith("/*") and not silent[-1].endswith("*/"):
        last = next((at for at in range(last + 1, len(lines)) if "*/" in lines[at]), last)
    return last


def unbalanced_conditional(text: str) -> tuple[int, str] | None:
    """The row of a conditional that is never ended, or of an end that ends nothing, and what is wrong with it."""
    opened: list[int] = []
    for row, line in enumerate(_SILENT.sub(_without_lines, text).split("\n")):
        if _OPEN_INCLUDE.match(line):
            return row, "the name of the file to include is not closed"
        found = _CONDITIONAL.match(line)
        if found is None:
            continue
        if found[1].startswith("if"):
            opened.append(row)
        elif not opened:
            return row, f"#{found[1]} without #if"
        elif found[1] == "endif":
            opened.pop()
    return (opened[-1], "#if is never ended by #endif") if opened else None


def _without_lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _expand(text: str, macros: dict[str, Macro]) -> str:
    for _ in range(_DEEPEST):
        done = _once(text, macros) if macros else text
        if done == text or len(done) > _LONGEST:
            break
        text = done
    return text


def _once(text: str, macros: dict[str, Macro]) -> str:
    parts: list[str] = []
    at = size = 0
    for found in _TOKEN.finditer(text):
        macro = macros.get(found["name"] or "")
        if macro is None or found.start() < at:
            continue
        end = found.end()
        if macro.parameters is None:
            body = macro.body if macro.body != found["name"] else macro.body + " "
        else:
            arguments, end = arguments_at(text, end)
            if arguments is None:
                continue
            body = _fill(macro, arguments)
        parts += [text[at : found.start()], body, "\n" * text.count("\n", found.start(), end)]
        at = end
        size += len(body)
        if size > _LONGEST:
            return text
    return "".join(parts) + text[at:]


def arguments_at(text: str, at: int) -> tuple[list[str] | None, int]:
    """The arguments in the parentheses that follow, and where they end; None without such."""
    start = at
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    if text[start : start + 1] != "(":
        return None, at
    depth, last = 0, start + 1
    arguments: list[str] = []
    for found in _BRACKET.finditer(text, start, start + _LONGEST_CALL):
        sign, place = found[0], found.start()
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return [*arguments, text[last:place].strip()], place + 1
        elif sign == "," and depth == 1:
            arguments.append(text[last:place].strip())
            last = place + 1
    return None, at


def _fill(macro: Macro, arguments: list[str]) -> str:
    values = _values(macro, arguments)
    body = re.sub(r"__VA_OPT__\s*\(([^()]*)\)", lambda found: found[1] if values.get("__VA_ARGS__") else "", macro.body)
    body = re.sub(r"(?<!#)#\s*(\w+)", lambda found: '"s"' if found[1] in values else found[0], body)
    if not values.get("__VA_ARGS__", "x"):
        body = re.sub(r",\s*##\s*__VA_ARGS__", "", body)
    body = re.sub(r"[A-Za-z_]\w*", lambda found: values.get(found[0], found[0]), body)
    return re.sub(r"\s*##\s*", "", body)


def _values(macro: Macro, arguments: list[str]) -> dict[str, str]:
    """What each parameter stands for; the last one takes the arguments that are left."""
    names = [name.removesuffix("...").strip() or "__VA_ARGS__" for name in macro.parameters or ()]
    values = {name: value.replace("\n", " ") for name, value in zip(names, arguments, strict=False)}
    if len(arguments) > len(names) and names:
        values[names[-1]] = ", ".join(arguments[len(names) - 1 :]).replace("\n", " ")
    for name in names:
        values.setdefault(name, "")
    return values
