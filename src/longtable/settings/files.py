"""JSON files that people edit and we create: read strictly, written with mode 0600."""

import json
import os
import time
from pathlib import Path
from typing import Any

from longtable.kernel.errors import ConfigError


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written, repeated keys included."""


def read_pairs(path: Path, *, option: str) -> list[tuple[str, Any]]:
    """The keys and values of one JSON object. Raises ConfigError, which never quotes the contents."""
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=_Pairs)
    except OSError as error:
        raise _unusable(path, option, f"cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _unusable(path, option, f"is not valid JSON at {place}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise _unusable(path, option, "is not JSON in UTF-8") from error
    if not isinstance(value, _Pairs):
        raise _unusable(path, option, "must hold one JSON object")
    return value


def create_private(path: Path, content: dict[str, Any], *, option: str) -> None:
    """Writes a file of mode 0600 and its missing parents. A file that appeared meanwhile stays as it is."""
    # Plain ASCII, since a path may hold bytes that no UTF-8 text can.
    text = json.dumps(content, indent=2) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}.{time.monotonic_ns()}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        _publish(draft, path)
    except OSError as error:
        raise _unusable(path, option, f"cannot be created: {error.strerror}") from error


def _publish(draft: Path, path: Path) -> None:
    # A link makes the file appear whole or not at all, and never replaces one.
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems know no hard links; there the last of two simultaneous writers wins.
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _unusable(path: Path, option: str, problem: str) -> ConfigError:
    return ConfigError(f"{option}: the file {path} {problem}.", option=option, value=str(path))
