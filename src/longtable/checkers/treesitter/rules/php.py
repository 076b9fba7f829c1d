"""PHP: words that end a block which was never begun, and imports inside functions."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import parent_kind, text_of, walk

_WORDS = words("endif endwhile endfor endforeach endswitch else elseif")


def check_php(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []

    def statement(node: Node) -> None:
        word = text_of(node.children[0]) if node.child_count else ""
        if word.lower() in _WORDS:
            message = f"unexpected '{word}'; nothing is open that it could belong to"
            found.append(source.finding(message, node.start_byte))

    def imported(node: Node) -> None:
        block = node.parent
        if block is not None and block.type == "compound_statement" and parent_kind(block) != "namespace_definition":
            found.append(source.finding("'use' may only stand at the top level", node.start_byte))

    walk(tree, {"expression_statement": statement, "namespace_use_declaration": imported})
    return found
