"""Goes through a tree without recursing."""

from collections.abc import Callable, Mapping

from tree_sitter import Node, Tree

Leave = Callable[[], None]
Enter = Callable[[Node], Leave | None]


_DEEPEST = 1_000


class TooDeep(Exception):
    """Nobody wrote this by hand; to ask for parents down there would take too long."""


def walk(tree: Tree, enter: Mapping[str, Enter]) -> None:
    """Calls what is registered for the type of each named node, and what that returns when the node is left."""
    cursor = tree.walk()
    leaving: list[Leave | None] = []
    while True:
        node = cursor.node
        visit = enter.get(node.type) if node is not None else None
        leave = visit(node) if visit is not None and node is not None else None
        if cursor.goto_first_child():
            if len(leaving) >= _DEEPEST:
                raise TooDeep
            leaving.append(leave)
            continue
        if leave is not None:
            leave()
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            done = leaving.pop()
            if done is not None:
                done()


def text_of(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def has_child(node: Node, kind: str) -> bool:
    return any(child.type == kind for child in node.children)


def parent_kind(node: Node) -> str:
    return node.parent.type if node.parent is not None else ""
