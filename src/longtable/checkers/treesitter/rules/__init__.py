"""Rules over trees that parsed well: what a language forbids and its grammar lets pass."""

from tree_sitter import Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.leaves import TreeTooDeep
from longtable.checkers.treesitter.rules import c, go, java, lua, others, ruby
from longtable.checkers.treesitter.rules.reserved import reserved_rules
from longtable.checkers.treesitter.rules.walk import Rules, broken

_OWN: dict[str, Rules] = {
    "c": c.RULES,
    "cpp": c.RULES,
    "go": go.RULES,
    "java": java.RULES,
    "rust": others.RUST,
    "ruby": ruby.RULES,
    "php": others.PHP,
    "lua": lua.RULES,
    "kotlin": others.KOTLIN,
    "swift": others.SWIFT,
    "c-sharp": [],
}
RULES: dict[str, Rules] = {grammar: [*rules, *reserved_rules(grammar)] for grammar, rules in _OWN.items()}
_MOST_BYTES = 256 * 1024


def broken_rules(grammar: str, source: Source, tree: Tree) -> list[Finding]:
    if len(source.data) > _MOST_BYTES:
        return []
    try:
        found = broken(RULES.get(grammar, ()), source, tree)
    except TreeTooDeep:
        return []
    return sorted(found, key=lambda finding: (finding.line, finding.column))
