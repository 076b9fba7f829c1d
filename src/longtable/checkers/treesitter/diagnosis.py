"""Describes the first fault of a text: what was found, what was expected, and where the trouble starts."""

import re
from dataclasses import dataclass

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.grammars import Grammar, TookTooLong
from longtable.checkers.treesitter.parse_log import MOST_BYTES, RejectedToken, find_rejected
from longtable.checkers.treesitter.tokens import Leaf, Opener, leaves, opener_of, skipped_text, still_open

_STAR_COMMENTS = ("rust", "c", "cpp", "java", "go", "php", "c-sharp", "kotlin", "swift")
_STRING_CONTENT = {
    "kotlin": ("string_literal", "string_content"),
    "swift": ("line_string_literal", "line_str_text"),
    "lua": ("string", "string_content"),
}
"""Grammars that let a plain string go on over lines."""
_WITH_SEMICOLONS = ("c", "cpp", "java", "c-sharp", "rust")
_MULTILINE_STRINGS = ("rust", "php", "ruby")
_ESCAPE = re.compile(rb"\\(?:z\s*|\r\n|.)", re.DOTALL)
_NAMES = {
    "identifier": "a name",
    "type_identifier": "a type name",
    "simple_identifier": "a name",
    "number": "a number",
    "string": "a string",
    "_automatic_semicolon": "';'",
    "_semi": "a new line",
    "_newline": "a new line",
    "\n": "a new line",
    "end": "the end",
}
_PLAIN_SYMBOL = re.compile(r"[^\w\s]{1,3}|[a-z]{2,12}")
_MOST_EXPECTED = 3


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """`certain` when no gap of a grammar explains it: a string or bracket that is never closed, or closes nothing.
    `rejected` is where the parser stopped, which may be later than where the finding says that the trouble starts."""

    finding: Finding
    rejected: int
    certain: bool = False


def first_fault(grammar: Grammar, source: Source, tree: Tree) -> SyntaxFault:
    token = _rejected(grammar, source)
    if token is None:
        return _by_tree(source, tree)
    before = [leaf for leaf in leaves(tree.root_node, token.start) if leaf.end > leaf.start and not leaf.is_comment]
    opened = still_open(before)
    earlier = (
        _open_comment(grammar, source, token, before)
        or _skipped(grammar, source, token, tree)
        or _unterminated_string(grammar, source, token, before, opened)
    )
    if earlier is not None:
        return SyntaxFault(earlier, token.start, certain=True)
    return _at_token(grammar, source, token, before, opened)


def _rejected(grammar: Grammar, source: Source) -> RejectedToken | None:
    try:
        return find_rejected(grammar, source) if len(source.data) <= MOST_BYTES else None
    except TookTooLong:
        return None


# ------------------------------------------------------------------- what began before the token that was rejected


def _open_comment(grammar: Grammar, source: Source, token: RejectedToken, before: list[Leaf]) -> Finding | None:
    start = source.data.rfind(b"/*", 0, token.end + 1)
    if grammar.name not in _STAR_COMMENTS or start < 0 or source.data.find(b"*/", start) >= 0:
        return None
    line = source.data[source.data.rfind(b"\n", 0, start) + 1 : start]
    inside = any(leaf.start < start < leaf.end for leaf in before[-400:])
    if inside or any(quote in line for quote in (b'"', b"'", b"`", b"//")):
        return None
    return source.finding("unterminated comment", start)


def _skipped(grammar: Grammar, source: Source, token: RejectedToken, tree: Tree) -> Finding | None:
    at = skipped_text(tree.root_node, source.data, token.start) if grammar.name == "kotlin" else None
    return source.finding(f"unexpected {shown(source.cut(at, at + 80))}", at) if at is not None else None


def _unterminated_string(
    grammar: Grammar, source: Source, token: RejectedToken, before: list[Leaf], opened: list[Opener]
) -> Finding | None:
    return (
        _broken_string(grammar, source, before)
        or _open_string(source, token, opened)
        or _swallowing_string(grammar, source, token, before)
    )


def _open_string(source: Source, token: RejectedToken, opened: list[Opener]) -> Finding | None:
    if opened and opened[-1].quotes:
        what = "here-document" if opened[-1].sign == "heredoc_start" else "string"
        return source.finding(f"unterminated {what}", opened[-1].start)
    if token.symbol == "ERROR" and source.cut(token.start, token.end) in ('"', "'", "`", '"""'):
        return source.finding("unterminated string", token.start)
    return None


def _broken_string(grammar: Grammar, source: Source, before: list[Leaf]) -> Finding | None:
    content = _STRING_CONTENT.get(grammar.name)
    for leaf in before if content else ():
        quote = source.data[leaf.start - 1 : leaf.start]
        if (leaf.parent, leaf.kind) != content or quote not in (b'"', b"'"):
            continue
        # Behind a fault the parser may take the end of a string for a beginning; then the quotes of a line are even.
        line = _ESCAPE.sub(b"", source.line(source.row(leaf.start)).encode())
        if line.count(quote) % 2 and b"\n" in _ESCAPE.sub(b"", source.data[leaf.start : leaf.end]):
            return source.finding("unterminated string", leaf.start - 1)
    return None


def _swallowing_string(grammar: Grammar, source: Source, token: RejectedToken, before: list[Leaf]) -> Finding | None:
    """A string over several lines that ends where another should begin was meant to end on its first line."""
    if grammar.name not in _MULTILINE_STRINGS or len(before) < 2 or before[-1].kind not in ('"', "'"):
        return None
    opener = next((leaf for leaf in reversed(before[:-1]) if leaf.kind == before[-1].kind), None)
    if token.start != before[-1].end or opener is None:
        return None
    is_long = b"\n" in source.data[opener.end : before[-1].start]
    return source.finding("unterminated string", opener.start) if is_long else None


# ----------------------------------------------------------------------------------------- the token that was rejected


def _at_token(
    grammar: Grammar, source: Source, token: RejectedToken, before: list[Leaf], opened: list[Opener]
) -> SyntaxFault:
    return (
        _bracket(source, token, opened)
        or _still_inside(source, token, before, opened)
        or _missing_semicolon(grammar, source, token, before)
        or _unexpected(grammar, source, token)
    )


def _bracket(source: Source, token: RejectedToken, opened: list[Opener]) -> SyntaxFault | None:
    if token.at_end:
        return _at_end(source, opened)
    text = source.cut(token.start, token.end)
    opener = opener_of(text) if len(text) == 1 else None
    if opener is None or (opened and opened[-1].sign == opener):
        return None
    message = f"unexpected {shown(text)}; nothing is open that it could close"
    if opened:
        line, _ = source.position(opened[-1].start)
        message = f"unexpected {shown(text)}; '{opened[-1].sign}' opened at line {line} is not closed yet"
    return SyntaxFault(source.finding(message, token.start, token.end), token.start, certain=True)


def _at_end(source: Source, opened: list[Opener]) -> SyntaxFault:
    at = source.last()
    if not opened:
        return SyntaxFault(source.finding("unexpected end of input", at), at)
    line, _ = source.position(opened[-1].start)
    message = f"unexpected end of input; '{opened[-1].sign}' opened at line {line} is never closed"
    return SyntaxFault(source.finding(message, at), at, certain=True)


def _still_inside(source: Source, token: RejectedToken, before: list[Leaf], opened: list[Opener]) -> SyntaxFault | None:
    """A new line begins with what does not fit into brackets that are open: they should have ended before."""
    if not before or not opened or opened[-1].sign not in ("(", "["):
        return None
    end = before[-1].end
    if source.row(end) == source.row(token.start):
        return None
    line, _ = source.position(opened[-1].start)
    text = shown(source.cut(token.start, token.end))
    message = f"unexpected {text} on the next line; '{opened[-1].sign}' opened at line {line} is open"
    return SyntaxFault(source.finding(message, end), token.start)


def _missing_semicolon(
    grammar: Grammar, source: Source, token: RejectedToken, before: list[Leaf]
) -> SyntaxFault | None:
    """A line begins with what cannot follow, and the one before could have ended: compilers name that one."""
    if grammar.name not in _WITH_SEMICOLONS or not before or source.row(before[-1].end) == source.row(token.start):
        return None
    iterators = [grammar.language.lookahead_iterator(state) for state in token.states]
    if not any(";" in iterator.names() for iterator in iterators if iterator is not None):
        return None
    text = shown(source.cut(token.start, token.end))
    return SyntaxFault(source.finding(f"missing ';' before {text}", before[-1].end), token.start)


def _unexpected(grammar: Grammar, source: Source, token: RejectedToken) -> SyntaxFault:
    message = f"unexpected {shown(source.cut(token.start, token.end) or 'end of line')}"
    could = _expected(grammar, token.states)
    if could:
        message += f"; expected {could}"
    return SyntaxFault(source.finding(message, token.start, token.end), token.start)


def _expected(grammar: Grammar, states: tuple[int, ...]) -> str:
    """What could have come, such as "',' or ')'"; empty when too much could have."""
    names: set[str] = set()
    for state in states:
        iterator = grammar.language.lookahead_iterator(state)
        for symbol in iterator.names() if iterator else ():
            if "comment" in symbol or symbol in ("ERROR", "preproc_directive"):
                continue
            name = _NAMES.get(symbol) or (f"'{symbol}'" if _PLAIN_SYMBOL.fullmatch(symbol) else None)
            if name is None or len(names | {name}) > _MOST_EXPECTED:
                return ""
            names.add(name)
    return " or ".join(sorted(names))


def _by_tree(source: Source, tree: Tree) -> SyntaxFault:
    """For long texts: the first token that the tree has no place for."""
    node: Node = tree.root_node
    while faulty := next((child for child in node.children if child.has_error or child.is_missing), None):
        node = faulty
    text = shown(source.cut(node.start_byte, min(node.end_byte, node.start_byte + 80)))
    message = f"missing '{node.type}'" if node.is_missing else f"unexpected {text}"
    return SyntaxFault(source.finding(message, node.start_byte), node.start_byte)
