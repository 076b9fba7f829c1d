"""What people install has the console in it, already built."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.console.chromium import ROOT
from tests.console.console_server import BUILT, need_built_page


def find_uv() -> str:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("uv is not installed: 'make setup' installs it")
    return found


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """The files of the wheel and their sizes, built as `make wheel` does."""
    need_built_page()
    folder = tmp_path_factory.mktemp("wheel")
    command = [find_uv(), "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)]
    ended = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, timeout=50, check=False)
    assert ended.returncode == 0, ended.stderr
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        return {entry.filename: entry.file_size for entry in packed.infolist()}


def test_the_wheel_has_the_page_and_everything_that_it_loads(inside: dict[str, int]) -> None:
    source = BUILT.parents[3]
    wanted = {str(path.relative_to(source)): path.stat().st_size for path in BUILT.parent.rglob("*") if path.is_file()}

    assert "longtable/console/static/index.html" in wanted
    assert {name: inside.get(name) for name in wanted} == wanted


def test_the_wheel_has_the_demo_and_its_story(inside: dict[str, int]) -> None:
    source = BUILT.parents[3]
    wanted = {str(path.relative_to(source)) for path in (source / "longtable" / "demo").glob("*.[pt]*")}

    assert "longtable/demo/story.toml" in wanted
    assert wanted <= set(inside)


def test_the_wheel_has_no_sources_of_the_page_and_no_tests(inside: dict[str, int]) -> None:
    tops = {name.partition("/")[0] for name in inside if ".dist-info/" not in name}

    assert tops == {"longtable", "longtable_client"}
    assert [name for name in inside if "node_modules" in name or name.endswith((".tsx", ".map"))] == []
