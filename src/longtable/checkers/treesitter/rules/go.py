"""Go: what may stand at the top of a file, commas before line ends, braces on the line of their statement."""

from itertools import pairwise

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import walk

_DECLARATIONS = words(
    "package_clause import_declaration const_declaration var_declaration type_declaration function_declaration "
    "method_declaration comment"
)
_LISTS = ("literal_value", "argument_list", "parameter_list")


def check_go(source: Source, tree: Tree) -> list[Finding]:
    found = _top(source, tree.root_node)

    def look(node: Node) -> None:
        last = _last_without_comma(node)
        if last is not None:
            found.append(source.finding("missing ',' before the end of the line", last.end_byte))

    def body(node: Node) -> None:
        head = _head_on_line_before(node)
        if head is not None:
            found.append(source.finding("unexpected end of line; expected '{'", head.end_byte))

    def sign(node: Node) -> None:
        word = source.cut(node.start_byte, node.start_byte + 2)
        if word in ("++", "--"):
            found.append(source.finding(f"unexpected '{word}'", node.start_byte, node.start_byte + 2))

    statements = dict.fromkeys(("for_statement", "if_statement"), body)
    walk(tree, {**dict.fromkeys(_LISTS, look), **statements, "unary_expression": sign})
    return found


def _top(source: Source, root: Node) -> list[Finding]:
    """A text without a package clause is a fragment, in which statements are welcome."""
    children = [child for child in root.named_children if child.type != "comment"]
    if not any(child.type == "package_clause" for child in children):
        return []
    found, declared = [], False
    for child in children:
        if child.type not in _DECLARATIONS:
            found.append(source.finding("a statement outside of a function", child.start_byte))
            break
        if child.type == "import_declaration" and declared:
            found.append(source.finding("imports must come before other declarations", child.start_byte))
            break
        declared = declared or child.type not in ("package_clause", "import_declaration")
    return found


def _head_on_line_before(node: Node) -> Node | None:
    """What ends a line before the brace of a loop or a condition: the language puts a semicolon there."""
    parts = [child for child in node.children if child.type != "comment"]
    for head, block in pairwise(parts):
        if block.type == "block" and head.end_point.row < block.start_point.row:
            return head
    return None


def _last_without_comma(node: Node) -> Node | None:
    """The last item of a list whose closing bracket is on a later line, when no comma follows it."""
    items = [child for child in node.children if child.type != "comment"]
    if len(items) < 3 or items[-2].type == ",":
        return None
    last, closer = items[-2], items[-1]
    return last if closer.start_point[0] > last.end_point[0] else None
