"""The entry point for clients that start a process: flags, settings, serve. It loads as little as possible."""

import asyncio
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from longtable.cli.flags import parse_stdio_flags
from longtable.kernel.errors import ConfigError, LongtableError
from longtable.kernel.logs import logger
from longtable.settings.load import load_unbound

_FOR_PEOPLE = (
    "Waiting for an MCP client on standard input: this is what clients start. Ctrl+C ends it.\n"
    "To start a server with its console: longtable serve. All commands: longtable --help.\n"
)


def serve_stdio(argv: Sequence[str]) -> None:
    flags = parse_stdio_flags(argv)
    try:
        settings = load_unbound(flags, os.environ).settings
        if not settings.enable_stdio:
            raise ConfigError("enable_stdio: it is false, so there is nothing to serve here.")
        logger.configure(settings.log_level)
        if sys.stdin.isatty():
            sys.stderr.write(_FOR_PEOPLE)
        with _without_collections():
            from longtable.server.stdio import run_stdio

        asyncio.run(run_stdio(settings))
    except LongtableError as error:
        sys.stderr.write(f"longtable: {error.code}: {error.message}\n")
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


@contextmanager
def _without_collections() -> Iterator[None]:
    """What is loaded stays: looking through it for garbage, again and again, would take a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
