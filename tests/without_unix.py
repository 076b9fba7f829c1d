"""Runs Longtable as it would find itself on Windows: `python -m tests.without_unix imports`, or with the words of a
command. Libraries are loaded first, as they are those of this system; then what Windows does not have is taken away."""

import asyncio
import functools
import getpass
import importlib
import os
import pkgutil
import signal
import socket
import sys
import traceback
from contextlib import suppress
from typing import Any, Final, NoReturn

LIBRARIES: Final = (
    "anyio._backends._asyncio",
    "asyncpg",
    "concurrent.futures.process",
    "cryptography.fernet",
    "ctypes",
    "httptools",
    "httpx2",
    "jsonschema_rs",
    "jwt",
    "logging.config",
    "markdown_it",
    "mcp",
    "mcp.client.stdio",
    "mcp.server.lowlevel",
    "multiprocessing",
    "numpy",
    "opentelemetry.context",
    "platform",
    "platformdirs",
    "prometheus_client",
    "pydantic",
    "rich.console",
    "rich.progress",
    "shutil",
    "sqlglot",
    "ssl",
    "starlette.applications",
    "starlette.routing",
    "structlog",
    "subprocess",
    "tempfile",
    "tree_sitter",
    "typer",
    "typer.rich_utils",
    "uvicorn.protocols.http.httptools_impl",
    "webbrowser",
    "yaml",
)
OPTIONAL: Final = (
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk.metrics.export",
    "opentelemetry.sdk.trace.export",
)
"""Of an extra: where they are not installed, what needs them cannot be loaded anywhere."""
MODULES: Final = ("fcntl", "grp", "pwd", "resource", "termios", "tty", "uvloop")
SYSTEM_CALLS: Final = (
    "fchmod",
    "fork",
    "geteuid",
    "getpgid",
    "getuid",
    "killpg",
    "openpty",
    "pread",
    "pwrite",
    "sched_getaffinity",
    "setsid",
)
SIGNALS: Final = ("SIGCHLD", "SIGHUP", "SIGPIPE", "SIGUSR1", "SIGUSR2", "SIGXFSZ", "pthread_sigmask")


def take_away() -> None:
    """From here on `sys.platform` is that of Windows."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for name in OPTIONAL:
        with suppress(ModuleNotFoundError):
            importlib.import_module(name)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # the documented way to make an import fail
    for name in SYSTEM_CALLS:
        if hasattr(os, name):
            delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    # Windows has pairs of sockets, too, of another family.
    socket.socketpair = functools.partial(socket.socketpair, socket.AF_UNIX)
    del socket.AF_UNIX
    getpass.getuser = lambda: "somebody"
    asyncio.SelectorEventLoop.add_signal_handler = _refuse  # type: ignore[assignment,method-assign]  # as on Windows
    sys.platform = "win32"


def _refuse(*_: Any) -> NoReturn:
    raise NotImplementedError


def import_every_module() -> int:
    import longtable

    failed = 0
    for module in pkgutil.walk_packages(longtable.__path__, "longtable."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("opentelemetry."):
                failed += 1
                print(f"{module.name}: {error}", file=sys.stderr)
        except Exception:  # noqa: BLE001 - whatever keeps a module from being loaded is what is looked for
            failed += 1
            print(f"{module.name}: {traceback.format_exc(limit=-1)}", file=sys.stderr)
    return failed


def main() -> None:
    take_away()
    if sys.argv[1:] == ["imports"]:
        raise SystemExit(import_every_module())
    from longtable.__main__ import main as run

    run()


if __name__ == "__main__":
    main()
