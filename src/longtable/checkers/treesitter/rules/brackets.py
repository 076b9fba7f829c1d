"""C and C++: statements belong in functions, and functions have parameters."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import parent_kind, text_of, walk
from longtable.checkers.treesitter.source import Source
from longtable.checkers.treesitter.strangers import is_macro

_STATEMENTS = words(
    "if_statement for_statement for_range_loop while_statement do_statement switch_statement return_statement"
)


def check_c(source: Source, tree: Tree) -> list[Finding]:
    found = _outside(source, tree.root_node)

    def function(node: Node) -> None:
        declarator, kind = node.child_by_field_name("declarator"), node.child_by_field_name("type")
        if declarator is None or declarator.type != "identifier" or kind is None or kind.type != "type_identifier":
            return
        if (
            parent_kind(node) == "translation_unit"
            and not is_macro(text_of(kind))
            and not is_macro(text_of(declarator))
        ):
            message = f"unexpected '{{' after '{text_of(kind)} {text_of(declarator)}'"
            found.append(source.finding(message, declarator.end_byte))

    walk(tree, {"function_definition": function})
    return found


def _outside(source: Source, root: Node) -> list[Finding]:
    """A text with neither functions nor includes is a fragment, in which statements are welcome."""
    kinds = {child.type for child in root.named_children}
    if not kinds & {"function_definition", "preproc_include", "preproc_def"}:
        return []
    for child in root.named_children:
        if child.type in _STATEMENTS:
            return [source.finding("a statement outside of a function", child.start_byte)]
    return []
