"""The web page of the official inspector, as one host of MCP Apps that other people use."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conformance.node import installed_tools, node

ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+\S*TOKEN=\S+)")
START_LIMIT = 60


@contextmanager
def inspector(folder: Path, url: str, **headers: str) -> Iterator[str]:
    """The address of its page, ready to connect to the server at `url`."""
    packages = installed_tools()
    if packages is None:
        pytest.skip("the Node tools are not installed: run `make node-tools`")
    package = packages / "@modelcontextprotocol" / "inspector"
    script = package / json.loads((package / "package.json").read_text("utf-8"))["bin"]["mcp-inspector"]
    given = [word for name, value in headers.items() for word in ("--header", f"{name.replace('_', '-')}: {value}")]
    own = {"HOME": str(folder), "NO_COLOR": "1", "CLIENT_PORT": str(_free_port()), "MCP_SANDBOX_PORT": "0"}
    quiet = {"MCP_AUTO_OPEN_ENABLED": "false", "MCP_INSPECTOR_SECRET_STORE": "memory"}
    command = [node(), str(script), "--web", "--transport", "http", "--server-url", url, *given]
    log = folder / "inspector.log"
    with log.open("w") as written:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **own, **quiet}, stdout=written, stderr=subprocess.STDOUT
        )
    try:
        yield _address(process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(START_LIMIT)


def _free_port() -> int:
    """It takes no port of its own choice."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    until = time.monotonic() + START_LIMIT
    while time.monotonic() < until and process.poll() is None:
        if found := ADDRESS.search(log.read_text("utf-8")):
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"The inspector did not start:\n{log.read_text('utf-8')}")
