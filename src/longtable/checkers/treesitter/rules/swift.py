"""Swift: a loop that repeats says how long, and types are compared by two signs."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.rules.walk import has_child, walk


def check_swift(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []

    def repeated(node: Node) -> None:
        if node.named_children and node.named_children[0].type == "lambda_literal":
            found.append(source.finding("missing 'while' after the block of 'repeat'", node.end_byte - 1))

    def equal(node: Node) -> None:
        sign = next((child for child in node.children if child.type == "="), None)
        if sign is not None and not has_child(node, "=="):
            found.append(source.finding("unexpected '='; expected '=='", sign.start_byte, sign.end_byte))

    walk(tree, {"value_pack_expansion": repeated, "equality_constraint": equal})
    return found
