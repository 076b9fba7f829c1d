"""Parses a text as it is and, if that fails, once more with what the grammar does not know rewritten."""

import re
from dataclasses import dataclass

from tree_sitter import Tree

from longtable.checkers.source import Source
from longtable.checkers.treesitter.diagnosis import SyntaxFault, first_fault
from longtable.checkers.treesitter.grammars import Grammar, parse
from longtable.checkers.treesitter.macros import mask_macros
from longtable.checkers.treesitter.preprocessor import preprocess, unbalanced_conditional
from longtable.checkers.treesitter.workarounds import rewrite_unknown_syntax

_PREPROCESSED = ("c", "cpp", "c-sharp", "swift")
_MOST_REPAIRED = 128 * 1024
"""Bytes; beyond it one parse has to do."""
_WITH_MACROS = ("c", "cpp")
_FUNCTION = re.compile(r"^[\w:<>,*& ]*\w[*& ]+[\w:~]+\([^;{}]*\)[\w\s]*\{", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """What was parsed in the end, which has the lines of the text, and what is wrong with it, if anything."""

    grammar: Grammar
    source: Source
    tree: Tree
    fault: SyntaxFault | None = None


def parse_source(grammar: Grammar, source: Source) -> ParsedSource:
    with_directives = grammar.name in _PREPROCESSED and b"#" in source.data
    unbalanced = unbalanced_conditional(source.text) if with_directives else None
    if unbalanced is not None:
        return _with_wrong_directive(grammar, source, *unbalanced)
    parsed = _parsed(grammar, source.text)
    if parsed.fault is None or len(source.data) > _MOST_REPAIRED:
        return parsed
    if not with_directives:
        return _as_fragment(_second_attempt(parsed))
    first = _second_attempt(_parsed(grammar, preprocess(grammar.name, source.text)))
    if first.fault is None:
        return first
    last = _second_attempt(_parsed(grammar, preprocess(grammar.name, source.text, take_last=True)))
    return last if last.fault is None else first


def _with_wrong_directive(grammar: Grammar, source: Source, row: int, message: str) -> ParsedSource:
    # C compilers name the line of the #if, that of C# the end.
    late = grammar.name == "c-sharp" and "never" in message
    at = source.offset(source.row(source.last()) if late else row, 0)
    fault = SyntaxFault(source.finding(message, at), at, certain=True)
    return ParsedSource(grammar, source, parse(grammar, b""), fault)


def _parsed(grammar: Grammar, text: str) -> ParsedSource:
    source = Source(text)
    tree = parse(grammar, source.data)
    fault = first_fault(grammar, source, tree) if tree.root_node.has_error else None
    return ParsedSource(grammar, source, tree, fault)


def _second_attempt(parsed: ParsedSource) -> ParsedSource:
    grammar, text = parsed.grammar, parsed.source.text
    if parsed.fault is None:
        return parsed
    easier = rewrite_unknown_syntax(grammar.name, text)
    easier = mask_macros(easier) if grammar.name in _WITH_MACROS else easier
    if easier == text:
        return parsed
    other = _parsed(grammar, easier)
    return other if other.fault is None or other.fault.rejected > parsed.fault.rejected else parsed


def _as_fragment(parsed: ParsedSource) -> ParsedSource:
    """Statements of C++ without a function around them: some are read as declarations unless there is one."""
    grammar, source = parsed.grammar, parsed.source
    if parsed.fault is None or grammar.name != "cpp" or _FUNCTION.search(source.text):
        return parsed
    body = b"void f(){" + source.data + b"\n}"
    if parse(grammar, body).root_node.has_error:
        return parsed
    return ParsedSource(grammar, source, parse(grammar, b""))
