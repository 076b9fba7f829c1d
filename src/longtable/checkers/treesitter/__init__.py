"""Checks program text with tree-sitter grammars, and by a few rules about what they let pass."""

from longtable.checkers.treesitter.check import LANGUAGES, check

__all__ = ["LANGUAGES", "check"]
