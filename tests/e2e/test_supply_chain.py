"""What is built: the same bytes whenever it is built, and a list of everything that is in it."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.licences import console_licences, python_licences, refused
from tests.e2e.servers import ROOT

pytestmark = pytest.mark.slow


def built(folder: Path, project: Path) -> tuple[str, str]:
    """Name and digest of the wheel of a copy of the project that lies in another place and is of another time."""
    copy = folder / "project"
    shutil.copytree(
        project, copy, ignore=shutil.ignore_patterns(".venv", ".tools", "node_modules", ".git", "build", "dist")
    )
    for path in copy.rglob("*"):
        os.utime(path, (1, 1_000_000_000))
    uv = shutil.which("uv", path=str(ROOT / ".venv" / "bin"))
    assert uv is not None
    subprocess.run([uv, "build", "--quiet", "--wheel", "--out-dir", folder / "wheel", copy], check=True)
    (wheel,) = (folder / "wheel").glob("*.whl")
    return wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()


@pytest.mark.parametrize("project", [ROOT, ROOT / "clients" / "python"], ids=["server", "client"])
def test_a_wheel_that_is_built_twice_has_the_same_bytes(tmp_path: Path, project: Path) -> None:
    assert built(tmp_path / "one", project) == built(tmp_path / "two" / "deeper", project)


def test_every_package_that_is_delivered_has_a_licence_that_we_accept() -> None:
    assert [*refused(python_licences()), *refused(console_licences())] == []


def test_a_licence_that_we_do_not_accept_is_named() -> None:
    assert list(refused({"good": "MIT", "bad": "GPL-3.0-only", "silent": ""})) == [
        "bad: GPL-3.0-only",
        "silent: no licence is stated",
    ]
