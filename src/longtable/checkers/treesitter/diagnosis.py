"""Says what is wrong where the parser gave up: what was found, what was expected, and where it starts."""

from dataclasses import dataclass

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.blame import MOST_BYTES, Blame, find_blame
from longtable.checkers.treesitter.grammars import Grammar, TookTooLong
from longtable.checkers.treesitter.hints import Scene, earlier_trouble
from longtable.checkers.treesitter.leaves import Leaf, Opener, closes, leaves, nodes, still_open
from longtable.checkers.treesitter.names import called, expected, words

_MISSED = words("; ) ] } , ( { : = => -> end then do done fi in _automatic_semicolon identifier")
"""What people leave out; a parser that recovers by adding anything else only guesses."""


_MEMBERS = ("field_declaration_list", "enumerator_list")
_ENDED = ("c", "cpp", "java", "c-sharp", "rust")


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """`certain` when no gap of a grammar explains it: a string or bracket that is never closed, or closes nothing.
    `blamed` is where the parser stopped, which may be later than where the finding says that the trouble starts."""

    finding: Finding
    blamed: int
    certain: bool = False


def first_fault(grammar: Grammar, source: Source, tree: Tree) -> SyntaxFault:
    blame = _blame(grammar, source) if len(source.data) <= MOST_BYTES else None
    if blame is None:
        return _by_tree(source, tree)
    tokens = [leaf for leaf in leaves(tree.root_node, blame.start) if leaf.end > leaf.start and not leaf.is_comment]
    stack = still_open(tokens)
    hint = earlier_trouble(Scene(grammar.name, source, tree, blame, tokens, stack))
    if hint is not None:
        return SyntaxFault(hint, blame.start, certain=True)
    return (
        _bracket(source, blame, stack)
        or _still_inside(source, blame, tokens, stack)
        or _unended_type(grammar, source, blame, tokens)
        or _missing(source, tree, blame, tokens)
        or _unended(grammar, source, blame, tokens)
        or _unexpected(grammar, source, blame)
    )


def _blame(grammar: Grammar, source: Source) -> Blame | None:
    try:
        return find_blame(grammar, source)
    except TookTooLong:
        return None


def _bracket(source: Source, blame: Blame, stack: list[Opener]) -> SyntaxFault | None:
    if blame.at_end:
        return _at_end(source, stack)
    token = source.cut(blame.start, blame.end)
    wanted = closes(token) if len(token) == 1 else None
    if wanted is None:
        return None
    if not stack:
        message = f"unexpected {shown(token)}; nothing is open that it could close"
    elif stack[-1].sign != wanted:
        line, _ = source.place(stack[-1].start)
        message = f"unexpected {shown(token)}; '{stack[-1].sign}' opened at line {line} is not closed yet"
    else:
        return None
    return SyntaxFault(source.finding(message, blame.start, blame.end), blame.start, certain=True)


def _at_end(source: Source, stack: list[Opener]) -> SyntaxFault:
    at = source.last()
    if not stack:
        return SyntaxFault(source.finding("unexpected end of input", at), at)
    line, _ = source.place(stack[-1].start)
    message = f"unexpected end of input; '{stack[-1].sign}' opened at line {line} is never closed"
    return SyntaxFault(source.finding(message, at), at, certain=True)


def _still_inside(source: Source, blame: Blame, tokens: list[Leaf], stack: list[Opener]) -> SyntaxFault | None:
    """A new line begins with what does not fit into brackets that are open: they should have ended before."""
    if not tokens or not stack or stack[-1].sign not in ("(", "["):
        return None
    last = tokens[-1].end
    if source.row(last) == source.row(blame.start):
        return None
    line, _ = source.place(stack[-1].start)
    token = shown(source.cut(blame.start, blame.end))
    return SyntaxFault(
        source.finding(f"unexpected {token} on the next line; '{stack[-1].sign}' opened at line {line} is open", last),
        blame.start,
    )


def _unended_type(grammar: Grammar, source: Source, blame: Blame, tokens: list[Leaf]) -> SyntaxFault | None:
    """`struct point { ... } int main()`: the parser goes on well beyond the brace."""
    for token in tokens[-4:] if grammar.name in ("c", "cpp") else ():
        if token.kind == "}" and token.parent in _MEMBERS and source.row(token.start) < source.row(blame.start):
            return SyntaxFault(source.finding("missing ';' after '}'", token.end), blame.start)
    return None


def _missing(source: Source, tree: Tree, blame: Blame, tokens: list[Leaf]) -> SyntaxFault | None:
    word = called(blame.missing) if blame.missing else None
    if (
        word is None
        or blame.missing not in _MISSED
        or not any(node.is_missing and node.end_byte <= blame.start for node in _faulty(tree))
    ):
        return None
    at = tokens[-1].end if tokens else blame.start
    token = source.cut(blame.start, blame.end)
    return SyntaxFault(source.finding(f"missing {word} before {shown(token)}", at), blame.start)


def _unended(grammar: Grammar, source: Source, blame: Blame, tokens: list[Leaf]) -> SyntaxFault | None:
    """A line begins with what cannot follow, and the one before could have ended: compilers name that one."""
    if grammar.name not in _ENDED or not tokens or source.row(tokens[-1].end) == source.row(blame.start):
        return None
    iterators = [grammar.language.lookahead_iterator(state) for state in blame.states]
    if not any(";" in iterator.names() for iterator in iterators if iterator is not None):
        return None
    token = shown(source.cut(blame.start, blame.end))
    return SyntaxFault(source.finding(f"missing ';' before {token}", tokens[-1].end), blame.start)


def _unexpected(grammar: Grammar, source: Source, blame: Blame) -> SyntaxFault:
    message = f"unexpected {shown(source.cut(blame.start, blame.end) or 'end of line')}"
    could = expected(grammar, blame.states)
    if could:
        message += f"; expected {could}"
    return SyntaxFault(source.finding(message, blame.start, blame.end), blame.start)


def _faulty(tree: Tree) -> list[Node]:
    return [node for node in nodes(tree) if node.is_missing or node.is_error]


def _by_tree(source: Source, tree: Tree) -> SyntaxFault:
    """For long texts: the first token that the tree has no place for."""
    node = _first_error(tree.root_node)
    if node.is_missing:
        message = f"missing {called(node.type) or node.type}"
    else:
        message = f"unexpected {shown(source.cut(node.start_byte, min(node.end_byte, node.start_byte + 80)))}"
    return SyntaxFault(source.finding(message, node.start_byte), node.start_byte)


def _first_error(node: Node) -> Node:
    """Follows the first faulty child down; never more steps than the tree is deep."""
    while True:
        faulty = next((child for child in node.children if child.has_error or child.is_missing), None)
        if faulty is None:
            return node
        node = faulty
