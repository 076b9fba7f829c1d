"""The fixture server and the product itself as processes of their own, and the Node tools that speak to them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.node import ROOT, installed_tools
from tests.e2e.servers import processes_in


@pytest.fixture(scope="session")
def node_tools() -> Path:
    """The folder of the installed Node packages."""
    packages = installed_tools()
    if packages is None:
        pytest.skip("the Node tools are not installed: run `make node-tools`")
    return packages


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running fixture server."""
    log = tmp_path_factory.mktemp("server") / "stderr.txt"
    command = [sys.executable, "-m", "tests.conformance.serve"]
    with (
        log.open("w") as stderr,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
    ):
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, f"The fixture server did not start:\n{log.read_text()}"
        yield address
        process.terminate()


@pytest.fixture(scope="module")
def product_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the product as people run it."""
    folder = tmp_path_factory.mktemp("product")
    with processes_in(folder / "work") as processes:
        yield processes.serve({"data_dir": str(folder / "data")}).address + "/mcp"
