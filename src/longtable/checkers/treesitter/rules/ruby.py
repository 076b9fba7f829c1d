"""Ruby: an `end` too many, here-documents without an end, parameters of one name, commas that are missing."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Rules, around, at, parent_kind, text_of

_BODIES = words("program body_statement then else ensure rescue do block_body begin_block")
_WORDS = words("end else elsif when ensure then")
_VARIABLES = ("instance_variable", "class_variable", "global_variable")
_METHODS = ("method", "singleton_method")
_OWNERS = (*_METHODS, "class", "module", "singleton_class")


def _name(source: Source, node: Node) -> Finding | None:
    word = text_of(node)
    if word not in _WORDS or parent_kind(node) not in _BODIES:
        return None
    return at(source, f"unexpected '{word}'; nothing is open that it could belong to", node)


def _array(source: Source, node: Node) -> Finding | None:
    """What is called with arguments inside of brackets needs parentheses; a comma was meant."""
    for child in node.named_children:
        arguments = child.child_by_field_name("arguments") if child.type == "call" else None
        if arguments is not None and not text_of(arguments).startswith(("(", "[")):
            return source.finding("missing ','", arguments.start_byte)
    return None


def _assignment(source: Source, node: Node) -> Finding | None:
    left, owner = node.child_by_field_name("left"), around(node, _OWNERS)
    if left is None or left.type != "constant" or owner is None or owner.type not in _METHODS:
        return None
    return at(source, f"'{text_of(left)}' is a constant and cannot be assigned in a method", left)


def _call(source: Source, node: Node) -> Finding | None:
    method = node.child_by_field_name("method")
    if method is None or method.type not in _VARIABLES or node.child_by_field_name("receiver") is not None:
        return None
    return source.finding(f"unexpected {shown(text_of(node.child_by_field_name('arguments')))}", method.end_byte)


def _heredoc(source: Source, node: Node) -> Finding | None:
    ends = [child for child in node.children if child.type == "heredoc_end"]
    if ends and ends[-1].start_byte < ends[-1].end_byte:
        return None
    begun = max(source.data.rfind(b"<<", 0, node.start_byte), 0)
    word = source.cut(begun, node.start_byte).split("\n")[0].split()[0]
    return source.finding(f"the here-document {word} is never ended", begun)


def _parameters(source: Source, node: Node) -> Finding | None:
    seen: set[str] = set()
    for child in node.named_children:
        name = child if child.type == "identifier" else child.child_by_field_name("name")
        text = text_of(name)
        if name is not None and text in seen and not text.startswith("_"):
            return at(source, f"'{text}' is the name of two parameters", name)
        seen.add(text)
    return None


RULES: Rules = [
    (_name, ("identifier",)),
    (_array, ("array",)),
    (_assignment, ("assignment",)),
    (_call, ("call",)),
    (_heredoc, ("heredoc_body",)),
    (_parameters, ("method_parameters", "lambda_parameters", "block_parameters")),
]
