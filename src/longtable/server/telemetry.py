"""Sends traces and metrics to an OpenTelemetry collector, where an endpoint is set. Nothing of it is imported else."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from longtable import __version__
from longtable.kernel.errors import ConfigError
from longtable.kernel.logs import logger
from longtable.settings.options import Settings

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_ENDPOINTS: Final = (ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
_STOP_SECONDS: Final = 2.0
_STOPS: Final[list[Callable[[], None]]] = []


@contextmanager
def telemetry(settings: Settings) -> Iterator[None]:
    """For as long as a process serves. Raises ConfigError where the option is set and the extra is not installed."""
    if not _is_wanted(settings):
        yield
        return
    stop = _start(settings)
    if stop is not None:
        _STOPS.append(stop)
    try:
        yield
    finally:
        stop_telemetry()


def _is_wanted(settings: Settings) -> bool:
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return settings.otel_endpoint is not None or any(os.environ.get(name) for name in _ENDPOINTS)


def _start(settings: Settings) -> Callable[[], None] | None:
    try:
        from longtable.server.otlp import start_exporting
    except ImportError as error:
        problem = "OpenTelemetry is not installed: pip install 'longtable[otel]'."
        if settings.otel_endpoint is not None:
            raise ConfigError(f"otel_endpoint: {problem}") from error
        # The variable is often set for all programs of a machine.
        logger.warning("telemetry_not_installed", problem=problem)
        return None
    stop = start_exporting(settings.otel_endpoint, __version__)
    logger.info("telemetry_started")
    return stop


def stop_telemetry() -> None:
    """Sends what is left, unless the collector does not answer."""
    while _STOPS:
        stopping = threading.Thread(target=_STOPS.pop(), daemon=True)
        stopping.start()
        stopping.join(_STOP_SECONDS)
