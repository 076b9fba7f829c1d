"""Checks program text with tree-sitter grammars: each language by its own, and what grammars miss by rules of ours."""

from longtable.checkers.treesitter.check import LANGUAGES, check

__all__ = ["LANGUAGES", "check"]
