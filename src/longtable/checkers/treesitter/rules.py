"""Mistakes that a grammar lets pass, found in a tree without errors."""

from collections.abc import Callable
from itertools import pairwise

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown, words
from longtable.checkers.treesitter.tokens import skipped_text

Rule = Callable[[Source, Node], Finding | None]
_MOST_BYTES = 256 * 1024
_BLOCK_KEYWORDS = (b"end", b"else", b"elsif", b"when", b"ensure", b"then")
_DECLARATIONS = words(
    "package_clause import_declaration const_declaration var_declaration type_declaration function_declaration "
    "method_declaration"
)
_BODIES = ("program", "body_statement", "then", "else", "ensure", "rescue", "do", "block_body", "begin_block")


def first_broken_rule(grammar: str, source: Source, tree: Tree) -> Finding | None:
    rules = RULES.get(grammar) if len(source.data) <= _MOST_BYTES else None
    cursor = tree.walk()
    while rules is not None:
        node = cursor.node
        rule = rules.get(node.type) if node is not None else None
        found = rule(source, node) if rule is not None and node is not None else None
        if found is not None:
            return found
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return None
    return None


def _ruby_lone_keyword(source: Source, node: Node) -> Finding | None:
    """An `end` too many is read as the name of a method."""
    if node.text not in _BLOCK_KEYWORDS or node.parent is None or node.parent.type not in _BODIES:
        return None
    message = f"unexpected '{node.text.decode()}'; nothing is open that it could belong to"
    return source.finding(message, node.start_byte, node.end_byte)


def _go_statement_at_top(source: Source, root: Node) -> Finding | None:
    """A text without a package clause is a fragment, in which statements are welcome."""
    children = [child for child in root.named_children if child.type != "comment"]
    if not any(child.type == "package_clause" for child in children):
        return None
    wrong = next((child for child in children if child.type not in _DECLARATIONS), None)
    return source.finding("a statement outside of a function", wrong.start_byte) if wrong is not None else None


def _go_comma(source: Source, node: Node) -> Finding | None:
    """The last item of a list whose closing bracket is on a later line, when no comma follows it."""
    items = [child for child in node.children if child.type != "comment"]
    if len(items) < 3 or items[-2].type == "," or items[-1].start_point.row <= items[-2].end_point.row:
        return None
    return source.finding("missing ',' before the end of the line", items[-2].end_byte)


def _go_brace(source: Source, node: Node) -> Finding | None:
    """The language puts a semicolon at the end of a line before the brace of a loop or a condition."""
    for head, block in pairwise(child for child in node.children if child.type != "comment"):
        if block.type == "block" and head.end_point.row < block.start_point.row:
            return source.finding("unexpected end of line; expected '{'", head.end_byte)
    return None


def _kotlin_skipped(source: Source, root: Node) -> Finding | None:
    at = skipped_text(root, source.data, len(source.data))
    return source.finding(f"unexpected {shown(source.cut(at, at + 80))}", at) if at is not None else None


RULES: dict[str, dict[str, Rule]] = {
    "kotlin": {"source_file": _kotlin_skipped},
    "ruby": {"identifier": _ruby_lone_keyword},
    "go": {
        "source_file": _go_statement_at_top,
        **dict.fromkeys(("literal_value", "argument_list", "parameter_list"), _go_comma),
        **dict.fromkeys(("for_statement", "if_statement"), _go_brace),
    },
}
