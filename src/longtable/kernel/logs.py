"""Structured log lines on stderr: JSON, and plain text where that is a terminal. The library behind them is loaded with
the first line that is written."""

import logging
import sys
import traceback
from functools import cached_property
from pathlib import Path
from typing import Any

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_MOST_WORDS = 200
_MOST_PLACES = 8


class _Logger:
    """Names of events and plain facts only: never contents, tokens or headers."""

    def __init__(self) -> None:
        self._threshold = _LEVELS["info"]
        self.is_debugging = False

    def configure(self, level: str) -> None:
        self._threshold = _LEVELS[level]
        self.is_debugging = level == "debug"
        logging.basicConfig(level=max(self._threshold, logging.WARNING), handlers=[_LibraryLines()])

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

        processors = structlog.processors
        render: list[Any]
        if sys.stderr.isatty():
            stamp, render = processors.TimeStamper(fmt="%H:%M:%S", utc=False), [processors.format_exc_info, _plain]
        else:
            stamp = processors.TimeStamper(fmt="iso", utc=True)
            # Without local variables: they hold what callers wrote.
            transformer = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
            render = [processors.ExceptionRenderer(transformer), processors.JSONRenderer()]
        structlog.configure(
            processors=[processors.add_log_level, stamp, *render],
            logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
            cache_logger_on_first_use=True,
        )
        return structlog.get_logger()


class _LibraryLines(logging.Handler):
    """What a library says, as a line like ours: its words before anything is put into them, and of an error its kind
    and where it came from. What the error says may quote what a caller has sent."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        where = {} if error is None else {"error": type(error).__name__, "at": _places_of(error)}
        level = next((name for name, number in _LEVELS.items() if record.levelno <= number), "error")
        said = str(record.msg).partition("\n")[0][:_MOST_WORDS]
        logger.log(level, "library_message", library=record.name, message=said, **where)


def _places_of(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_PLACES:]
    return [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]


def _plain(_: Any, __: str, line: dict[str, Any]) -> str:
    """`14:03:11 warning  worker_died worker=0`: for people, who have the same facts in JSON everywhere else."""
    begin = f"{line.pop('timestamp')} {line.pop('level'):<8} {line.pop('event')}"
    exception = line.pop("exception", None)
    facts = "".join(f" {name}={_shown(value)}" for name, value in line.items())
    return f"{begin}{facts}" + (f"\n{exception}" if exception else "")


def _shown(value: Any) -> str:
    text = str(value)
    visible = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    return f'"{visible}"' if " " in visible else visible


logger = _Logger()
