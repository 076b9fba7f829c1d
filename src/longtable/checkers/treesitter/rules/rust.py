"""Rust: an attribute belongs to something that follows it."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.rules.walk import walk

_COMMENTS = ("line_comment", "block_comment", "attribute_item")


def check_rust(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []

    def attribute(node: Node) -> None:
        following = node.next_sibling
        while following is not None and following.type in _COMMENTS:
            following = following.next_sibling
        if following is None or following.type in ("}", ")"):
            found.append(source.finding("nothing follows that this attribute could belong to", node.start_byte))

    walk(tree, {"attribute_item": attribute})
    return found
