"""Finds the TypeScript client as `make typescript-client` builds it, and runs Node and npm for it."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "clients" / "typescript"


def skip_unless_built() -> None:
    if not (PACKAGE / "dist" / "index.js").exists() or shutil.which("npm") is None:
        pytest.skip("the TypeScript client is not built: run `make typescript-client`")


def run(command: Sequence[str | Path], folder: Path) -> str:
    """What it prints. Raises AssertionError with what it said when it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout
