"""Where the frameworks are that `make frameworks` installs, each in an environment of its own."""

from pathlib import Path

import pytest

from tests.e2e.servers import ROOT

FRAMEWORKS = ROOT / ".tools" / "frameworks"


def python_of(framework: str) -> Path:
    python = FRAMEWORKS / framework / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{framework} is not installed: run `make frameworks`")
    return python
