"""Structured log lines on stderr. The library behind them is loaded with the first line that is written."""

import logging
import sys
from functools import cached_property
from typing import Any

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}


class _Logger:
    """Names of events and plain facts only: never contents, tokens or headers."""

    def __init__(self) -> None:
        self._threshold = _LEVELS["info"]
        self.is_debugging = False

    def configure(self, level: str) -> None:
        self._threshold = _LEVELS[level]
        self.is_debugging = level == "debug"
        logging.basicConfig(level=max(self._threshold, logging.WARNING), stream=sys.stderr, format="%(message)s")

    def log(self, level: str, event: str, **facts: Any) -> None:
        if _LEVELS[level] >= self._threshold:
            getattr(self._structlog, level)(event, **facts)

    def info(self, event: str, **facts: Any) -> None:
        self.log("info", event, **facts)

    def warning(self, event: str, **facts: Any) -> None:
        self.log("warning", event, **facts)

    def failed(self, event: str, error: BaseException, **facts: Any) -> None:
        self._structlog.error(event, exc_info=error, **facts)

    @cached_property
    def _structlog(self) -> Any:
        import structlog

        structlog.configure(
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                # Without local variables: they hold what callers wrote.
                structlog.processors.ExceptionRenderer(
                    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
                ),
                structlog.processors.JSONRenderer(),
            ],
            logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
            cache_logger_on_first_use=True,
        )
        return structlog.get_logger()


logger = _Logger()
