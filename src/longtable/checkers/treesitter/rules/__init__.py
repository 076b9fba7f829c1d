"""Rules over trees that parsed well: what a language forbids and its grammar lets pass."""

from collections.abc import Callable

from tree_sitter import Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.rules.brackets import check_c
from longtable.checkers.treesitter.rules.go import check_go
from longtable.checkers.treesitter.rules.java import check_java
from longtable.checkers.treesitter.rules.kotlin import check_kotlin
from longtable.checkers.treesitter.rules.lua import check_lua
from longtable.checkers.treesitter.rules.php import check_php
from longtable.checkers.treesitter.rules.reserved import reserved_names
from longtable.checkers.treesitter.rules.ruby import check_ruby
from longtable.checkers.treesitter.rules.rust import check_rust
from longtable.checkers.treesitter.rules.swift import check_swift
from longtable.checkers.treesitter.rules.walk import TooDeep

Rule = Callable[[Source, Tree], list[Finding]]
_RULES: dict[str, tuple[Rule, ...]] = {
    "c": (check_c,),
    "cpp": (check_c,),
    "go": (check_go,),
    "java": (check_java,),
    "rust": (check_rust,),
    "ruby": (check_ruby,),
    "php": (check_php,),
    "lua": (check_lua,),
    "kotlin": (check_kotlin,),
    "swift": (check_swift,),
}
_MOST_BYTES = 256 * 1024


def broken_rules(grammar: str, source: Source, tree: Tree) -> list[Finding]:
    if len(source.data) > _MOST_BYTES:
        return []
    try:
        found = reserved_names(grammar, source, tree)
        for rule in _RULES.get(grammar, ()):
            found += rule(source, tree)
    except TooDeep:
        return []
    return sorted(found, key=lambda finding: (finding.line, finding.column))
