"""The grammars, each imported when it is first needed, then kept with its parser."""

import functools
import importlib
import warnings
from dataclasses import dataclass

from tree_sitter import Language, Parser, Tree

PARSE_MICROS = 2_000_000
"""The inner guard; the worker around has its own limit."""


class TookTooLong(Exception):
    """The parser ran into its time limit."""


@dataclass(frozen=True, slots=True)
class Grammar:
    name: str
    language: Language
    parser: Parser

    @property
    def checker(self) -> str:
        return f"tree-sitter-{self.name}"


_SOURCES = {
    "rust": ("tree_sitter_rust", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "bash": ("tree_sitter_bash", "language"),
    "java": ("tree_sitter_java", "language"),
    "go": ("tree_sitter_go", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "c-sharp": ("tree_sitter_c_sharp", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "lua": ("tree_sitter_lua", "language"),
}


@functools.cache
def load(name: str) -> Grammar:
    module, function = _SOURCES[name]
    language = Language(getattr(importlib.import_module(module), function)())
    return Grammar(name, language, Parser(language))


def parse(grammar: Grammar, data: bytes) -> Tree:
    parser = grammar.parser
    with warnings.catch_warnings():
        # The binding calls the time limit deprecated; what replaces it crashes the process.
        warnings.simplefilter("ignore", DeprecationWarning)
        parser.timeout_micros = PARSE_MICROS  # type: ignore[misc]  # the stubs of the binding call it read-only
    try:
        return parser.parse(data)
    except ValueError as error:
        parser.reset()
        raise TookTooLong from error
