"""Kotlin: nothing may follow the end of a statement on its line, and the type of a property follows a colon."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.lost import first_lost
from longtable.checkers.treesitter.rules.walk import walk


def check_kotlin(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []
    lost = first_lost(tree, source.data, len(source.data))
    if lost is not None:
        found.append(source.finding(f"unexpected {shown(source.cut(lost, lost + 80))}", lost))

    def declared(node: Node) -> None:
        """`var count Int` is read as the property Int of the type count."""
        kinds = [child.type for child in node.children]
        if "user_type" in kinds and kinds[kinds.index("user_type") + 1 :][:1] == ["variable_declaration"]:
            name = node.children[kinds.index("user_type")]
            found.append(source.finding("missing ':' before the type", name.end_byte))

    walk(tree, {"property_declaration": declared})
    return found
