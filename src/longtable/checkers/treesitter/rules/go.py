"""Go: what may stand at the top of a file, commas before line ends, braces on the line of their statement."""

from itertools import pairwise

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Rules

_DECLARATIONS = words(
    "package_clause import_declaration const_declaration var_declaration type_declaration function_declaration "
    "method_declaration comment"
)


def _top(source: Source, root: Node) -> Finding | None:
    """A text without a package clause is a fragment, in which statements are welcome."""
    children = [child for child in root.named_children if child.type != "comment"]
    if not any(child.type == "package_clause" for child in children):
        return None
    declared = False
    for child in children:
        if child.type not in _DECLARATIONS:
            return source.finding("a statement outside of a function", child.start_byte)
        if child.type == "import_declaration" and declared:
            return source.finding("imports must come before other declarations", child.start_byte)
        declared = declared or child.type not in ("package_clause", "import_declaration")
    return None


def _sign(source: Source, node: Node) -> Finding | None:
    word = source.cut(node.start_byte, node.start_byte + 2)
    if word not in ("++", "--"):
        return None
    return source.finding(f"unexpected '{word}'", node.start_byte, node.start_byte + 2)


def _brace(source: Source, node: Node) -> Finding | None:
    """What ends a line before the brace of a loop or a condition: the language puts a semicolon there."""
    parts = [child for child in node.children if child.type != "comment"]
    for head, block in pairwise(parts):
        if block.type == "block" and head.end_point.row < block.start_point.row:
            return source.finding("unexpected end of line; expected '{'", head.end_byte)
    return None


def _comma(source: Source, node: Node) -> Finding | None:
    """The last item of a list whose closing bracket is on a later line, when no comma follows it."""
    items = [child for child in node.children if child.type != "comment"]
    if len(items) < 3 or items[-2].type == "," or items[-1].start_point.row <= items[-2].end_point.row:
        return None
    return source.finding("missing ',' before the end of the line", items[-2].end_byte)


RULES: Rules = [
    (_top, ("source_file",)),
    (_comma, ("literal_value", "argument_list", "parameter_list")),
    (_brace, ("for_statement", "if_statement")),
    (_sign, ("unary_expression",)),
]
