"""C and C++: statements belong in functions, functions have parameters, and what is missing is not to be guessed."""

import re

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Rules, around, parent_kind, text_of
from longtable.checkers.treesitter.strangers import is_macro

_STATEMENTS = words(
    "if_statement for_statement for_range_loop while_statement do_statement switch_statement return_statement"
)

_TEMPLATE = re.compile(r"std::(?!\w+_v$)\w+")
_NAMED = re.compile(rb"[\s*&]*[A-Za-z_]\w*\s*[;={,)]")
_CASTS = words("static_cast dynamic_cast const_cast reinterpret_cast")


def _function(source: Source, node: Node) -> Finding | None:
    declarator, kind = node.child_by_field_name("declarator"), node.child_by_field_name("type")
    if kind is not None and _is_unended(kind, declarator):
        return source.finding("missing ';' after '}'", kind.end_byte - 1, kind.end_byte)
    if declarator is None or declarator.type != "identifier" or kind is None or kind.type != "type_identifier":
        return None
    if parent_kind(node) != "translation_unit" or is_macro(text_of(kind)) or is_macro(text_of(declarator)):
        return None
    return source.finding(f"unexpected '{{' after '{text_of(kind)} {text_of(declarator)}'", declarator.end_byte)


def _comparison(source: Source, node: Node) -> Finding | None:
    """A cast whose angle bracket is not closed is read as a comparison."""
    left = node.child_by_field_name("left")
    if left is None or left.type != "identifier" or text_of(left) not in _CASTS:
        return None
    return source.finding(f"missing '>' after '{text_of(left)}<'", left.start_byte, left.end_byte)


def _joined(source: Source, node: Node) -> Finding | None:
    """A name after a string may be a macro that stands for a string; those of the standard have capitals."""
    last = node.children[-1]
    name = text_of(last)
    if last.type != "identifier" or not name.islower() or re.search(rf"#\s*define\s+{name}\b", source.text):
        return None
    return source.finding(f"missing ',' before '{name}'", last.start_byte, last.end_byte)


def _call_as_type(source: Source, node: Node) -> Finding | None:
    """A call without its semicolon is read as the type of what is assigned on the next line."""
    follower = node.next_sibling
    if follower is None or follower.start_point.row == node.end_point.row or parent_kind(node) != "declaration":
        return None
    if is_macro(text_of(node.child_by_field_name("name"))):
        return None
    return source.finding("missing ';' after ')'", node.end_byte - 1, node.end_byte)


def _case(source: Source, node: Node) -> Finding | None:
    """The block of a misspelled `switch` is read as that of a function without a type."""
    block = around(node, ("switch_statement", "function_definition"))
    if block is None or block.type == "switch_statement" or block.child_by_field_name("type") is not None:
        return None
    name = text_of(block).split("(", 1)[0].strip()
    if parent_kind(block) != "compound_statement" or not name.islower() or "define" in source.text:
        return None
    return source.finding(f"unexpected '{{' after '{name}(...)'", block.start_byte)


def _arguments(source: Source, node: Node) -> Finding | None:
    """`vector<unique_ptr<T> x;` reads as a comparison among the arguments."""
    for child in node.named_children:
        left = child.child_by_field_name("left") if child.type == "binary_expression" else None
        is_template = left is not None and bool(_TEMPLATE.fullmatch(text_of(left)))
        is_type = _NAMED.match(source.data, node.end_byte) is not None
        if is_template and is_type and any(part.type == "<" for part in child.children):
            return source.finding("missing '>' after the arguments of a template", node.end_byte - 1, node.end_byte)
    return None


def _is_unended(kind: Node, declarator: Node | None) -> bool:
    """A type that is defined on the lines before the function which would return it."""
    body = kind.child_by_field_name("body")
    return body is not None and declarator is not None and declarator.start_point.row > body.end_point.row


def _outside(source: Source, root: Node) -> Finding | None:
    """A text with neither functions nor includes is a fragment, in which statements are welcome."""
    kinds = {child.type for child in root.named_children}
    if not kinds & {"function_definition", "preproc_include", "preproc_def"}:
        return None
    outside = next((child for child in root.named_children if child.type in _STATEMENTS), None)
    return source.finding("a statement outside of a function", outside.start_byte) if outside is not None else None


RULES: Rules = [
    (_outside, ("translation_unit",)),
    (_function, ("function_definition",)),
    (_comparison, ("binary_expression",)),
    (_joined, ("concatenated_string",)),
    (_call_as_type, ("macro_type_specifier",)),
    (_case, ("case_statement",)),
    (_arguments, ("template_argument_list",)),
]
