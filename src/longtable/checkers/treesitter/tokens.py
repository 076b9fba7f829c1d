"""The tokens of a tree in order, and the brackets and quotes that are open at a place. Nothing here recurses."""

from dataclasses import dataclass, replace

from tree_sitter import Node

_CLOSES = {")": "(", "]": "[", "}": "{"}
_OPENS = frozenset("([{")
_QUOTES = frozenset(['"', "'", "`", '"""', "'''"])
_PREFIXED = frozenset(['R"', 'LR"', 'uR"', 'UR"', 'u8R"', 'L"', 'u"', 'U"', 'u8"', '@"', '$"', '$@"', 'b"', 'c"'])
_PREFIXED_CHARACTERS = frozenset(["L'", "u'", "U'", "u8'", "b'"])
_BEGIN_QUOTES = _PREFIXED | _PREFIXED_CHARACTERS
_RAW = frozenset(['R"', 'LR"', 'uR"', 'UR"', 'u8R"', "raw_string_delimiter"])
_QUOTING = ("string", "char", "template", "literal", "quote", "encapsed", "ERROR")


@dataclass(frozen=True, slots=True)
class Leaf:
    kind: str
    start: int
    end: int
    parent: str
    missing: bool

    @property
    def is_comment(self) -> bool:
        """Some grammars split comments into tokens."""
        return "comment" in self.kind or "comment" in self.parent


@dataclass(frozen=True, slots=True)
class Opener:
    sign: str
    start: int
    quotes: bool = False


def leaves(root: Node, end: int) -> list[Leaf]:
    """The tokens that begin before `end`."""
    found: list[Leaf] = []
    cursor = root.walk()
    parents: list[str] = [""]
    while True:
        node = cursor.node
        if node is None or node.start_byte >= end:
            return found
        if cursor.goto_first_child():
            parents.append(node.type)
            continue
        found.append(Leaf(node.type, node.start_byte, node.end_byte, parents[-1], node.is_missing))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
            parents.pop()


def still_open(tokens: list[Leaf]) -> list[Opener]:
    """What was opened and not closed, outermost first. A closer that fits nothing is passed over."""
    stack: list[Opener] = []
    before = ""
    for leaf in tokens:
        if leaf.missing or not leaf.kind:
            continue
        # Quotes before the end of a long string belong to it.
        token = replace(leaf, kind='"""') if leaf.kind.startswith('""""') else leaf
        if token.kind in _QUOTES or token.kind in _BEGIN_QUOTES:
            _toggle(stack, token)
        elif token.kind in ("heredoc_start", "heredoc_end"):
            _heredoc(stack, token)
        elif "raw_string" not in token.parent and before not in _RAW:
            _bracket(stack, token)
        before = token.kind
    return stack


def _bracket(stack: list[Opener], token: Leaf) -> None:
    if token.kind[-1] in _OPENS and len(token.kind) <= 3:
        stack.append(Opener(token.kind[-1], token.start))
    elif token.kind[0] in _CLOSES and len(token.kind) <= 2:
        _close(stack, _CLOSES[token.kind[0]])


def _heredoc(stack: list[Opener], token: Leaf) -> None:
    if token.kind == "heredoc_start":
        stack.append(Opener(token.kind, token.start, quotes=True))
    elif stack and stack[-1].sign == "heredoc_start":
        stack.pop()


def _toggle(stack: list[Opener], token: Leaf) -> None:
    if not any(word in token.parent for word in _QUOTING):
        return
    if token.kind in _BEGIN_QUOTES:
        stack.append(Opener(token.kind[-1], token.start, quotes=True))
    elif stack and stack[-1].quotes and stack[-1].sign == token.kind:
        stack.pop()
    else:
        stack.append(Opener(token.kind, token.start, quotes=True))


def _close(stack: list[Opener], sign: str) -> None:
    if stack and stack[-1].sign == sign:
        stack.pop()


def opener_of(token: str) -> str | None:
    """The opening bracket that a closing one needs."""
    return _CLOSES.get(token[:1])


def skipped_text(root: Node, data: bytes, end: int) -> int | None:
    """Where text before `end` became no token: the scanner of Kotlin takes anything for the end of a statement."""
    at = 0
    for leaf in (*leaves(root, end), Leaf("", end, end, "", missing=False)):
        piece = data[at : leaf.start]
        # Of a character only the quotes are tokens; `!` of `!is` and `?` of `as T?` are none.
        if data[at - 1 : at] != b"'" and piece.strip(b" \t\r\n\v\f;?!"):
            return leaf.start - len(piece.lstrip(b" \t\r\n\v\f;"))
        at = max(at, leaf.end)
    return None
