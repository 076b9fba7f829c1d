"""The statements that can be read off the source, without running it."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import longtable
from tests.walls.recorder import name_of

_PACKAGE = Path(longtable.__file__).parent
_STATEMENT = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s+\S+\s+\S+")
_ASKING = {"execute", "enqueue", "execute_many", "first", "all"}
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Written:
    function: str
    sql: str


def source_statements() -> list[Written]:
    """All whose text is known without a call: constants, and texts put together of constants of their module."""
    found: list[Written] = []
    for path in sorted(_PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        if ":tenant" in text or "storage.database" in text:
            name = ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
            tree = ast.parse(text)
            found += [Written(name_of(name, where), sql) for where, sql in _texts(_without_parts(tree), name, "")]
    return found


def source_functions() -> set[str]:
    """The names of all functions, as `Written` has them."""
    found: set[str] = set()
    for path in sorted(_PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
        found |= {name_of(module, name) for name in _functions(ast.parse(path.read_text("utf-8")), "")}
    return found


def asking_functions() -> set[str]:
    """The functions that run statements of their own in a transaction."""
    found: set[str] = set()
    for path in sorted(_PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
        found |= {name_of(module, name) for name in _askers(ast.parse(path.read_text("utf-8")), "")}
    return found


def _askers(node: ast.AST, where: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        inner = f"{where}.{child.name}".strip(".") if isinstance(child, _NAMED) else where
        called = child.func if isinstance(child, ast.Call) else None
        if (
            isinstance(called, ast.Attribute)
            and called.attr in _ASKING
            and ast.unparse(called.value) in ("tx", "work.tx")
        ):
            yield inner
        yield from _askers(child, inner)


def _functions(node: ast.AST, where: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        inner = f"{where}.{child.name}".strip(".") if isinstance(child, _NAMED) else where
        if inner != where:
            yield inner
        yield from _functions(child, inner)


def _without_parts(tree: ast.Module) -> ast.Module:
    """Without the constants that other texts are made of: such a text is a statement only when it is whole."""
    parts = {
        name.id
        for value in ast.walk(tree)
        if isinstance(value, ast.FormattedValue)
        for name in ast.walk(value)
        if isinstance(name, ast.Name)
    }

    def is_part(node: ast.stmt) -> bool:
        return isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id in parts for to in node.targets)

    return ast.Module([node for node in tree.body if not is_part(node)], [])


def _texts(node: ast.AST, module: str, where: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        name = child.name if isinstance(child, _NAMED) else "<lambda>" if isinstance(child, ast.Lambda) else ""
        inner = f"{where}.{name}".strip(".") if name else where
        if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            sql = _text(child, module)
            if sql is not None and _STATEMENT.match(sql):
                yield inner, sql
        else:
            yield from _texts(child, module, inner)


def _text(node: ast.JoinedStr | ast.Constant, module: str) -> str | None:
    """None for a text that is known only when it runs."""
    if isinstance(node, ast.Constant):
        return _whole(str(node.value))
    code = compile(ast.Expression(node), module, "eval")
    known: dict[str, Any] = vars(importlib.import_module(module))
    try:
        return _whole(str(eval(code, dict(known))))
    except Exception:  # noqa: BLE001 - whatever it lacks, it lacks it here only
        return None


def _whole(text: str) -> str | None:
    """None for a text with places that are filled in later."""
    return None if "{" in text.replace("'{}'", "") else text
