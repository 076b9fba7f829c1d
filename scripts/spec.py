"""Prints the names of the tests as sentences, grouped by file: what the project promises."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def promises(source: str) -> Iterator[str]:
    """The sentences of one test file, in the order they are written."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name.removeprefix("test_").replace("_", " ")


def main() -> None:
    """Print the promises of tests/spec, or of the folders named as arguments."""
    folders = [ROOT / name for name in sys.argv[1:]] or [ROOT / "tests" / "spec"]
    for folder in folders:
        for path in sorted(folder.rglob("test_*.py")):
            print(path.stem.removeprefix("test_").replace("_", " "))
            for sentence in promises(path.read_text(encoding="utf-8")):
                print(f"  - {sentence}")
            print()


if __name__ == "__main__":
    main()
