"""JavaScript and TypeScript: early errors that no grammar can find."""

from tree_sitter import Tree

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.rules.script_flow import Flow
from longtable.checkers.treesitter.rules.script_forms import Forms
from longtable.checkers.treesitter.rules.script_jsx import GenericArrows, Jsx
from longtable.checkers.treesitter.rules.script_members import Members
from longtable.checkers.treesitter.rules.script_names import Names
from longtable.checkers.treesitter.rules.script_words import Words
from longtable.checkers.treesitter.rules.walk import walk
from longtable.checkers.treesitter.source import Source


def check_script(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []
    for rules in (Flow, Forms, Jsx, Members, Names, Words):
        walk(tree, rules(source, found).enter)
    return found


def check_tsx(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []
    walk(tree, GenericArrows(source, found).enter)
    return found
