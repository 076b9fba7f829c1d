"""The files of the Python client that are generated, each with what writes it."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from longtable.toolkit.tool import Tool
from scripts.client_methods import inputs_module, methods_module
from scripts.client_results import errors_module, results_module
from scripts.client_sync import MODULES, sync_file, sync_module

PACKAGE = Path(__file__).resolve().parent.parent / "clients" / "python" / "src" / "longtable_client"


def client_files(tools: Callable[[], Sequence[Tool[Any]]]) -> dict[Path, Callable[[], str]]:
    """In the order in which they are written: some are made from those before them."""
    generated = PACKAGE / "generated"
    written: dict[Path, Callable[[], str]] = {
        PACKAGE / "errors.py": errors_module,
        generated / "inputs.py": lambda: inputs_module(tools()),
        generated / "results.py": lambda: results_module(tools()),
        generated / "methods.py": lambda: methods_module(tools()),
        **{sync_file(PACKAGE, module): partial(sync_module, PACKAGE, module) for module in MODULES},
    }
    return {path: partial(_formatted, path, build) for path, build in written.items()}


def _formatted(path: Path, build: Callable[[], str]) -> str:
    """As the formatter leaves it, with its imports in order."""
    text = build()
    for step in (["check", "--quiet", "--fix-only", "--select", "I"], ["format"]):
        command = [sys.executable, "-m", "ruff", *step, "--stdin-filename", str(path), "-"]
        text = subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout
    return text
