"""Keywords that stand where a name should: the parsers take them for names when nothing else fits."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Rules, at, parent_kind, text_of

_C = (
    "auto break case char const continue do double else enum extern float for goto if int long register "
    "return short signed static struct switch typedef union unsigned void volatile while"
)
_JAVA = (
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends "
    "final finally float for goto if implements import instanceof int interface long native new package private "
    "protected public return short static strictfp switch synchronized throw throws transient try void volatile while"
)
_RUST = (
    "as break const continue else enum extern fn for if impl in let loop match mod move mut pub ref return static "
    "struct trait type unsafe use where while async await dyn"
)
_GO = (
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package "
    "range return select struct switch type var"
)
_SHARP = (
    "break case catch class const continue do else enum finally for foreach goto if interface lock namespace new "
    "return struct switch throw try while"
)
_RESERVED = {
    name: words(listed)
    for name, listed in {
        "c": _C,
        "cpp": _C + " catch class delete new template throw try typename virtual namespace",
        "java": _JAVA,
        "rust": _RUST,
        "go": _GO,
        "c-sharp": _SHARP,
        "kotlin": "else fun val var in is when",
        "swift": "else",
    }.items()
}
_DECLARED = {
    "c-sharp": (
        "variable_declarator",
        words(
            "abstract as base bool byte char decimal default delegate double event explicit extern false fixed float "
            "implicit in int internal is long null object operator out override params private protected public "
            "readonly ref sealed short sizeof static string this true typeof unsafe using virtual void volatile"
        ),
    ),
    "swift": (
        "pattern",
        words(
            "class func let var if for while return switch case struct enum protocol extension import guard where in "
            "as is nil true false throw try do repeat break continue defer static init deinit subscript"
        ),
    ),
}
"""What cannot be the name of something that is declared, and can stand where a name does."""
_NAMES = (
    "simple_identifier",
    "identifier",
    "type_identifier",
    "field_identifier",
    "statement_identifier",
    "namespace_identifier",
)
_FREE = words(
    "token_tree attribute attribute_item macro_invocation token_tree_pattern "
    "token_repetition token_repetition_pattern argument_list preproc_params lifetime "
    "value_argument_label navigation_suffix parameter switch_label "
    "module_partition module_name"
)


_MODIFIERS = words(
    "abstract actual const data enum expect external final infix inline inner internal lateinit open operator override "
    "private protected public sealed suspend tailrec value"
)
_CONVERTING = words("char double float int long short signed unsigned void")
"""Types that are called like functions: unsigned(x)."""


def _is_misread(grammar: str, node: Node, name: str) -> bool:
    """`unsigned(x)` is a conversion, and after annotations `private val x` may be read as two operands."""
    parent = node.parent
    if parent is None:
        return False
    if grammar == "cpp":
        return name in _CONVERTING and parent.type == "call_expression"
    first = text_of(parent.named_children[0]) if parent.named_children else ""
    return grammar == "kotlin" and parent.type == "infix_expression" and first in _MODIFIERS


def reserved_rules(grammar: str) -> Rules:
    reserved = _RESERVED.get(grammar)
    owner, unfit = _DECLARED.get(grammar, ("", frozenset()))
    if reserved is None:
        return []

    def reserved_name(source: Source, node: Node) -> Finding | None:
        name = text_of(node)
        if (name not in reserved and name not in unfit) or _is_misread(grammar, node, name):
            return None
        parent = parent_kind(node)
        is_member = source.data[node.start_byte - 1 : node.start_byte] == b"."
        if (name in reserved and parent not in _FREE) or (name in unfit and parent == owner and not is_member):
            return at(source, f"'{name}' is a reserved word and cannot stand here", node)
        return None

    return [(reserved_name, _NAMES)]
