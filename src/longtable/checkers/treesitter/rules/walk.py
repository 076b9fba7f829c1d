"""Asks the rules of a language about each node of a tree."""

from collections.abc import Callable, Iterable

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.leaves import nodes

Rule = Callable[[Source, Node], Finding | None]
Rules = list[tuple[Rule, tuple[str, ...]]]
"""Each with the types of the nodes that it looks at."""
_DEEPEST = 1_000


def broken(rules: Iterable[tuple[Rule, tuple[str, ...]]], source: Source, tree: Tree) -> list[Finding]:
    """Raises TooDeep: to ask for what is around a node that is very deep would take too long."""
    by_kind: dict[str, list[Rule]] = {}
    for rule, kinds in rules:
        for kind in kinds:
            by_kind.setdefault(kind, []).append(rule)
    asked = (rule(source, node) for node in nodes(tree, _DEEPEST) for rule in by_kind.get(node.type, ()))
    return [finding for finding in asked if finding is not None]


def at(source: Source, message: str, node: Node) -> Finding:
    return source.finding(message, node.start_byte, node.end_byte)


def text_of(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def parent_kind(node: Node) -> str:
    return node.parent.type if node.parent is not None else ""


def around(node: Node, kinds: Iterable[str]) -> Node | None:
    """The nearest node around it of one of these types."""
    outer = node.parent
    while outer is not None and outer.type not in kinds:
        outer = outer.parent
    return outer
