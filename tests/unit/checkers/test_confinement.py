"""What a worker process cannot do, each measure by itself and in a process of its own."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

CONNECT = """
import socket
try:
    with socket.socket() as peer:
        peer.settimeout(1)
        peer.connect(("127.0.0.1", 1))
except OSError as error:
    print(type(error).__name__, error.errno)
"""
UNIX = CONNECT.replace("socket.socket()", "socket.socket(socket.AF_UNIX)").replace('("127.0.0.1", 1)', '"/nothing"')
REFUSED, UNREACHABLE, NO_FILE = "PermissionError 1\n", "OSError 101\n", "FileNotFoundError 2\n"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="a measure of the Linux kernel")


def run(code: str) -> subprocess.CompletedProcess[str]:
    header = "from longtable.checkers import confinement\n"
    return subprocess.run(
        [sys.executable, "-c", header + code], capture_output=True, text=True, timeout=30, check=False
    )


def test_python_has_no_network_on_any_platform() -> None:
    assert run("confinement.refuse_network_in_python()" + CONNECT).stdout == REFUSED


@linux_only
@pytest.mark.parametrize("attempt", [CONNECT, UNIX], ids=["internet", "unix"])
def test_the_kernel_refuses_every_socket(attempt: str) -> None:
    assert run("assert confinement.refuse_sockets()" + attempt).stdout == REFUSED


@linux_only
def test_a_program_that_a_worker_starts_has_no_sockets_either() -> None:
    code = f"import subprocess, sys\nconfinement.refuse_sockets()\nsubprocess.run([sys.executable, '-c', {CONNECT!r}])"

    assert run(code).stdout == REFUSED


@linux_only
def test_without_a_filter_there_is_a_network_without_interfaces_where_that_is_allowed() -> None:
    finished = run("print(confinement.leave_network())" + CONNECT)

    assert finished.stdout in (f"True\n{UNREACHABLE}", "False\nConnectionRefusedError 111\n")


def test_without_any_measure_the_attempts_would_be_made() -> None:
    assert run(CONNECT).stdout == "ConnectionRefusedError 111\n"
    assert run(UNIX).stdout == NO_FILE


@linux_only
def test_much_memory_is_refused() -> None:
    finished = run(
        "confinement.limit_resources()\ntry:\n    bytearray(600 * 1024 * 1024)\nexcept MemoryError:\n    print('no')"
    )

    assert finished.stdout == "no\n"


def test_a_process_that_is_stuck_ends_itself() -> None:
    finished = run("confinement.limit_time(0.1)\nwhile True:\n    pass")

    assert finished.returncode == -14


def test_a_process_that_is_done_in_time_goes_on() -> None:
    code = "import time\nconfinement.limit_time(0.05)\nconfinement.lift_time()\ntime.sleep(0.1)\nprint('still here')"

    assert run(code).stdout == "still here\n"


def test_under_all_measures_programs_can_be_started() -> None:
    finished = run("import subprocess\nconfinement.confine()\nsubprocess.run(['echo', 'started'])")

    assert finished.stdout == "started\n"


def test_a_worker_loads_nothing_of_the_server() -> None:
    finished = run(
        "import sys, longtable.checkers.worker\n"
        "print([name for name in sys.modules if name.startswith('longtable.') and '.checkers' not in name])\n"
        "print('pydantic' in sys.modules)"
    )

    assert finished.stdout == "[]\nFalse\n"
