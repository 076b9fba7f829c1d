"""There is one way to start a task that lives long: others die of their first failure, and nobody hears of it."""

import ast
from pathlib import Path

import longtable
from tests.architecture.test_sources import modules

SOURCE = Path(longtable.__file__).parent
STARTERS = {"create_task", "ensure_future", "TaskGroup", "create_task_group"}

ALLOWED = {
    "kernel/background.py": "the way itself: BackgroundTasks, and owned_task for what its starter awaits",
    "upstreams/stdio.py": "a group ends with its block: the pipes of one program, whose failure ends the connection",
    "upstreams/connection.py": "a group ends with its block: one connection, which its upstream opens again",
    "server/subscriptions.py": "a group ends with its block: one request",
    "server/upstream_listening.py": "a group ends with its block: one request",
}


def starts(tree: ast.Module) -> bool:
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool(names & STARTERS)


def test_tasks_are_started_by_the_supervisor_or_owned_by_whoever_waits_for_them() -> None:
    trees = {path.relative_to(SOURCE).as_posix(): tree for path, tree in modules() if path.is_relative_to(SOURCE)}

    found = {name for name, tree in trees.items() if starts(tree)}

    assert sorted(found - set(ALLOWED)) == []
    assert sorted(set(ALLOWED) - found) == []
