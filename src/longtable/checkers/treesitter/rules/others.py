"""Kotlin, PHP, Rust and Swift: what their grammars let pass."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.lost import first_lost
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Rules, parent_kind, text_of

_ENDS = words("endif endwhile endfor endforeach endswitch else elseif")
_COMMENTS = ("line_comment", "block_comment", "attribute_item")


def _lost(source: Source, root: Node) -> Finding | None:
    """Nothing may follow the end of a statement on its line."""
    lost = first_lost(root, source.data, len(source.data))
    return source.finding(f"unexpected {shown(source.cut(lost, lost + 80))}", lost) if lost is not None else None


def _property(source: Source, node: Node) -> Finding | None:
    """`var count Int` is read as the property Int of the type count."""
    kinds = [child.type for child in node.children]
    if "user_type" not in kinds or kinds[kinds.index("user_type") + 1 :][:1] != ["variable_declaration"]:
        return None
    return source.finding("missing ':' before the type", node.children[kinds.index("user_type")].end_byte)


def _lone_end(source: Source, node: Node) -> Finding | None:
    word = text_of(node.children[0]) if node.child_count else ""
    if word.lower() not in _ENDS:
        return None
    return source.finding(f"unexpected '{word}'; nothing is open that it could belong to", node.start_byte)


def _import(source: Source, node: Node) -> Finding | None:
    block = node.parent
    if block is None or block.type != "compound_statement" or parent_kind(block) == "namespace_definition":
        return None
    return source.finding("'use' may only stand at the top level", node.start_byte)


def _attribute(source: Source, node: Node) -> Finding | None:
    following = node.next_sibling
    while following is not None and following.type in _COMMENTS:
        following = following.next_sibling
    if following is not None and following.type not in ("}", ")"):
        return None
    return source.finding("nothing follows that this attribute could belong to", node.start_byte)


def _repeat(source: Source, node: Node) -> Finding | None:
    if not node.named_children or node.named_children[0].type != "lambda_literal":
        return None
    return source.finding("missing 'while' after the block of 'repeat'", node.end_byte - 1)


def _equal(source: Source, node: Node) -> Finding | None:
    kinds = [child.type for child in node.children]
    if "=" not in kinds or "==" in kinds:
        return None
    return source.finding("unexpected '='; expected '=='", node.children[kinds.index("=")].start_byte)


KOTLIN: Rules = [(_lost, ("source_file",)), (_property, ("property_declaration",))]
PHP: Rules = [(_lone_end, ("expression_statement",)), (_import, ("namespace_use_declaration",))]
RUST: Rules = [(_attribute, ("attribute_item",))]
SWIFT: Rules = [(_repeat, ("value_pack_expansion",)), (_equal, ("equality_constraint",))]
