"""Finds and runs the Node tools that `make node-tools` installs."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / ".tools" / "node" / "node_modules"
OLDEST_NODE = 22


def installed_tools() -> Path | None:
    """The folder of the packages, or nothing when they were not installed."""
    return PACKAGES if (PACKAGES.parent / ".installed").exists() else None


@cache
def node() -> str:
    """A Node that is new enough: the one from the packages, else the one of the machine."""
    for candidate in (str(PACKAGES / ".bin" / "node"), shutil.which("node")):
        if candidate and _major(candidate) >= OLDEST_NODE:
            return candidate
    raise RuntimeError(f"The test tools need Node {OLDEST_NODE} or newer.")


def _major(binary: str) -> int:
    try:
        version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    return int(version.removeprefix("v").split(".")[0])


def run(script: Path, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of a package in a folder of its own, which is its home too."""
    return subprocess.run(
        [node(), str(script), *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "MCP_CATALOG_PATH": str(folder / "catalog.json"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
