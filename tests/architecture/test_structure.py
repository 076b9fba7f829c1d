"""Rules of structure: functions stay simple, imports stand at the top and go in no circle, and the picture is true."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from tests.architecture.test_sources import ROOT, modules, relative

MOST_COMPLEX = 10
"""Of one function with everything inside it, counted as radon does: branches, loops, handlers, conditions, `and`s."""

_LEAN_START = "loaded after the settings are read: a wrong option is answered at once"
_EVERY_COMMAND = "every other command would load it, too"
IMPORTS_IN_FUNCTIONS = {
    "src/longtable/kernel/tracing.py": "metrics are loaded where they are recorded",
    "src/longtable/__main__.py": "each of four ways in loads what it needs and no more",
    "src/longtable/app.py": "slices are loaded at the first call; stores, gateway and providers where they are used",
    "src/longtable/checkers/python_text.py": "a worker loads the parsers of the languages that it meets",
    "src/longtable/checkers/work.py": "a worker loads the parsers of the languages that it meets",
    "src/longtable/cli/announce.py": "a worker without a terminal does without Typer and rich",
    "src/longtable/cli/backup.py": "only who encrypts loads what it takes",
    "src/longtable/cli/bench.py": _EVERY_COMMAND,
    "src/longtable/cli/demo.py": _EVERY_COMMAND,
    "src/longtable/cli/flags.py": "the stdio server does without Typer",
    "src/longtable/cli/migrate.py": _EVERY_COMMAND,
    "src/longtable/cli/output.py": _EVERY_COMMAND,
    "src/longtable/cli/progress.py": _EVERY_COMMAND,
    "src/longtable/cli/status.py": _EVERY_COMMAND,
    "src/longtable/cli/stdio.py": _LEAN_START,
    "src/longtable/cli/supervise.py": "the supervisor loads nothing that serves",
    "src/longtable/cli/upstream_host.py": _LEAN_START,
    "src/longtable/cli/watch.py": _EVERY_COMMAND,
    "src/longtable/cli/worker.py": _LEAN_START,
    "src/longtable/console/openid_pages.py": "loaded where people sign in at an identity provider",
    "src/longtable/embedding/__main__.py": "the server hears of a library that cannot be loaded",
    "src/longtable/embedding/libraries.py": "libraries for models of other kinds are not installed with ours",
    "src/longtable/gateway/authorizations.py": "the SDK is loaded only where an upstream has oauth",
    "src/longtable/gateway/upstream_tokens.py": "the SDK is loaded only where an upstream has oauth",
    "src/longtable/kernel/logs.py": "loaded with the first line that is written",
    "src/longtable/storage/inspection.py": "the driver of PostgreSQL is loaded where that is the store",
    "src/longtable/cli/terminal_input.py": "not on every system",
    "src/longtable/operator_tools.py": "a command loads the slice that it uses, and no other",
    "src/longtable/server/intake.py": "not on every system",
    "src/longtable/server/serve.py": "not on every system",
    "src/longtable/server/shared_upstreams.py": "loaded where there are upstreams to share",
    "src/longtable/server/telemetry.py": "OpenTelemetry is loaded where a collector is named",
    "src/longtable/server/upstream_host.py": "not on every system",
    "src/longtable/server/upstream_tools.py": "loaded where there is a gateway",
    "src/longtable/server/worker.py": "not on every system, and upstreams only where there are some",
    "src/longtable/settings/load.py": "only for a name that nobody knows",
    "src/longtable/settings/options.py": "only where the option has no value",
    "src/longtable/upstreams/build.py": "kinds of upstreams are loaded where they are configured",
    "src/longtable/upstreams/launch.py": "between fork and exec, in a process of its own",
    "src/longtable/vectors/scan.py": "numpy is loaded with the first search",
}
"""Files with imports inside functions, and why. Start-up is measured: what is slow to load waits until it is needed."""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def branches(node: ast.AST) -> int:
    match node:
        case ast.If() | ast.IfExp() | ast.Assert() | ast.Lambda():
            found = 1
        case ast.For() | ast.AsyncFor() | ast.While():
            found = 1 + bool(node.orelse)
        case ast.Try() | ast.TryStar():
            found = len(node.handlers) + bool(node.orelse)
        case ast.comprehension():
            found = 1 + len(node.ifs)
        case ast.BoolOp():
            found = len(node.values) - 1
        case ast.Match():
            found = len(node.cases)
        case _:
            found = 0
    return found


def test_no_function_has_more_branches_than_a_reader_holds_in_mind() -> None:
    too_complex = {
        f"{relative(path)}:{function.lineno} {function.name}": number
        for path, tree in modules()
        if relative(path).startswith("src/")
        for function in functions(tree)
        if (number := 1 + sum(map(branches, ast.walk(function)))) > MOST_COMPLEX
    }

    assert too_complex == {}


def test_imports_stand_at_the_top_but_for_those_with_a_reason() -> None:
    found = {
        relative(path)
        for path, tree in modules()
        if relative(path).startswith("src/")
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }

    assert found == set(IMPORTS_IN_FUNCTIONS)


def imported(tree: ast.AST) -> Iterator[str]:
    """Names of modules that are imported, also for types alone, and of what might be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")


def test_no_two_modules_import_each_other_even_for_types() -> None:
    trees = {module_name(path): tree for path, tree in modules() if relative(path).startswith("src/")}

    graph = {name: {other for other in imported(tree) if other in trees} - {name} for name, tree in trees.items()}

    # Raises CycleError with the modules in it.
    TopologicalSorter(graph).prepare()


def test_the_picture_of_the_architecture_has_every_package() -> None:
    picture = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1]
    packages = {path.parent.name for path in (ROOT / "src/longtable").glob("*/__init__.py")} - {"generated"}

    assert {name for name in packages if name not in picture.replace("│", " ").split()} == set()
