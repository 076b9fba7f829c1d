"""Plays the scene with a server of its own, writes down what the terminals show, and draws it."""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scripts.recording.animation import animated
from scripts.recording.terminals import Terminal, read_all, without_waiting_for

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "recording.svg"
TITLE = "A recording: two agents plan, note, write and ask; a person watches and answers; the agent goes on."
TENANT, SESSION = "acme", "release-2"
KINDS = ("scratchpad/question_added", "scratchpad/question_answered")
LIMIT = 90.0
_TEAM = Path(__file__).with_name("team.py")
_SETTLING = 2.5
"""Seconds in which a person reads a question before answering it."""


def record(picture: Path, pace: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copyfile(_TEAM, folder / "team.py")
        port = _free_port()
        environment = _environment(port, pace)
        _prepare(folder, environment)
        with _serving(folder, environment, port):
            terminals = _play(folder, environment, pace)
    without_waiting_for("→ brief", terminals)
    picture.write_text(animated(TITLE, [terminals[:1], terminals[1:]]), "utf-8")


def _environment(port: int, pace: float) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("LONGTABLE_")}
    address = f"http://127.0.0.1:{port}"
    return {
        **inherited,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{inherited['PATH']}",
        "LONGTABLE_DATA_DIR": "team",
        "LONGTABLE_ENABLE_SEMANTIC_SEARCH": "false",
        "SERVER": address,
        "TABLE": f"{address}/mcp",
        "PACE": str(pace),
        "TZ": "UTC",
    }


def _prepare(folder: Path, environment: Mapping[str, str]) -> None:
    def run(*words: str) -> str:
        ended = subprocess.run(words, cwd=folder, env=dict(environment), capture_output=True, text=True, check=True)
        return ended.stdout.strip()

    purpose = "Write the release note"
    run("longtable", "sessions", "create", "--tenant", TENANT, "--session-id", SESSION, "--purpose", purpose)
    token = ("longtable", "token", "create", "--tenant", TENANT)
    for agent in ("ada", "bob"):
        secret = run(*token, "--role", "agent", "--agent", agent, "--session", SESSION)
        (folder / f"{agent}.token").write_text(secret)
    (folder / "you.token").write_text(run(*token, "--role", "human", "--name", "you"))


@contextmanager
def _serving(folder: Path, environment: Mapping[str, str], port: int) -> Iterator[None]:
    server = subprocess.Popen(
        ["longtable", "serve", "--auth", "tokens", "--http-port", str(port)],
        cwd=folder,
        env=dict(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        yield
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def _play(folder: Path, environment: Mapping[str, str], pace: float) -> list[Terminal]:
    began = time.monotonic()
    titles = ("ada, an agent", "bob, another agent", "you, told of questions", "you, answering")
    terminals = [Terminal(title, folder, environment, began) for title in titles]
    try:
        _scene(terminals, pace)
    finally:
        for terminal in terminals:
            terminal.closes()
    return terminals


def _scene(everyone: list[Terminal], pace: float) -> None:
    ada, bob, watching, answering = everyone
    watching.types(" \\\n".join([f"longtable watch --tenant {TENANT}", *(f"--kinds {kind}" for kind in KINDS)]))
    _until(everyone, lambda: watching.says("Watching"))
    bob.types("python team.py bob")
    ada.types("python team.py ada")
    _until(everyone, lambda: watching.says("asked"))
    _until(everyone, lambda: False, _SETTLING * pace)
    answering.types(
        f"curl -s $SERVER/sessions/{SESSION}/answers \\\n"
        '-H "Authorization: Bearer $(cat you.token)" \\\n'
        '-H "Content-Type: application/json" \\\n'
        '-d \'{"answers": {"q1": "Friday"}}\''
    )
    _until(everyone, lambda: not (ada.runs or bob.runs or answering.runs))
    _until(everyone, lambda: watching.says("answered"))
    watching.stops()
    _until(everyone, lambda: not watching.runs)


def _until(terminals: list[Terminal], is_so: "Callable[[], bool]", seconds: float | None = None) -> None:
    """Reads all of them until then, or for so many seconds."""
    ends = time.monotonic() + (LIMIT if seconds is None else seconds)
    while not is_so():
        left = ends - time.monotonic()
        if left <= 0:
            if seconds is None:
                raise SystemExit("\n".join(line.text for terminal in terminals for line in terminal.lines))
            return
        read_all(terminals, min(left, 0.2))


def _wait_for(port: int) -> None:
    ends = time.monotonic() + LIMIT
    while time.monotonic() < ends:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("The server did not start.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=PICTURE, help="the file to write")
    parser.add_argument("--pace", type=float, default=1.1, help="seconds before each call of an agent")
    given = parser.parse_args()
    record(given.to, given.pace)


if __name__ == "__main__":
    main()
