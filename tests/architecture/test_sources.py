"""The rules of the code base that a machine can see: sizes, names, docstrings, and no address of a machine."""

import ast
import gc
import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST_FILE = 400
LONGEST_FUNCTION = 40
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
SOURCE_SUFFIXES = {".py", ".ts", ".tsx", ".css"}

# A package is asked for by its name; where it comes from is the business of each machine. The words are
# written in two halves so that this file does not hold what it looks for.
REGISTRY_HOSTS = ["pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.de" + "bian.org"]
MACHINE_PATHS = ["/ro" + "ot/", "/wo" + "rk/", "/opt/py" + "pi"]


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is in the repository, or would be with the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return tuple(path for path in paths if path.is_file())


@cache
def sources() -> tuple[Path, ...]:
    """What people write and read: no generated code, and no snippet that a checker is tried on."""
    return tuple(
        path
        for path in project_files()
        if path.suffix in SOURCE_SUFFIXES and not {"generated", "corpus"} & set(path.parts)
    )


@cache
def modules() -> tuple[tuple[Path, ast.Module], ...]:
    paths = [path for path in sources() if path.suffix == ".py"]
    # A million nodes, of which none is garbage: to look through them again and again takes ten times as long.
    gc.disable()
    try:
        return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths)
    finally:
        gc.freeze()
        gc.enable()


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function after its signature and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_class_name_means_two_things() -> None:
    places: dict[str, list[str]] = {}
    for path, module in modules():
        # The client's errors are the server's, one for each code: the same thing, made from the same file.
        if relative(path) != "clients/python/src/longtable_client/errors.py":
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef):
                    places.setdefault(node.name, []).append(relative(path))

    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_two_classes_of_ours_differ_by_an_underscore_alone() -> None:
    names = Counter(
        node.name.lstrip("_")
        for path, module in modules()
        if relative(path).startswith("src/")
        for node in ast.walk(module)
        if isinstance(node, ast.ClassDef)
    )

    assert [name for name, count in names.items() if count > 1] == []


def test_no_component_or_type_of_the_console_means_two_things() -> None:
    declared = re.compile(
        r"^(?:export )?(?:default )?(?:const|function|class|interface|type) ([A-Z][a-z]\w*)(.*)", re.M
    )
    places: dict[str, list[str]] = {}
    for path in sources():
        if relative(path).startswith("web/") and path.suffix in {".ts", ".tsx"} and ".test." not in path.name:
            for name, rest in declared.findall(path.read_text(encoding="utf-8")):
                # The props of the one component of a file, and a component that is loaded later.
                if name != "Props" and "lazily(" not in rest:
                    places.setdefault(name, []).append(relative(path))

    assert places
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_file_is_longer_than_a_person_reads_at_once() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sources()}

    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{relative(path)}:{node.lineno} {node.name}": body_lines(node)
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_lines(node) > LONGEST_FUNCTION
    }

    assert long == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [relative(path) for path, tree in modules() if tree.body and ast.get_docstring(tree) is None]

    assert silent == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    nameless = [
        relative(path)
        for path in sources()
        if EMPTY_NAMES & {part.lower() for part in path.relative_to(ROOT).with_suffix("").parts}
    ]

    assert nameless == []


@pytest.mark.parametrize("kind", ["registry", "machine"])
def test_no_file_names_a_registry_or_a_path_of_one_machine(kind: str) -> None:
    words = REGISTRY_HOSTS if kind == "registry" else MACHINE_PATHS
    pattern = re.compile("|".join(re.escape(word) for word in words).encode())

    found = [
        f"{relative(path)}: {match.group().decode()}"
        for path in project_files()
        if (match := pattern.search(path.read_bytes()))
    ]

    assert found == []


def test_what_the_pages_of_the_console_share_knows_no_page() -> None:
    shared = [ROOT / "web" / "src" / name for name in ("api", "live", "parts")]
    read = [path for path in sources() if any(folder in path.parents for folder in shared)]

    found = [relative(path) for path in read if re.search(r'"@/(pages|shell)/', path.read_text(encoding="utf-8"))]

    assert read
    assert found == []


def test_no_lock_file_holds_an_address_to_download_from() -> None:
    locks = [path for path in project_files() if path.name == "package-lock.json" or path.suffix == ".lock"]

    found = [
        relative(path)
        for path in locks
        if re.search(r'"resolved"|--(extra-)?index-url|--find-links|@ \w+://', path.read_text(encoding="utf-8"))
    ]

    assert locks
    assert found == []
