"""The process that checks cells: `python -m longtable.checkers.worker`. Jobs come in on standard input, answers leave
on what was standard output; it ends when its input does."""

import contextlib
import json
import os
import select
from collections.abc import Iterator
from typing import Any, BinaryIO

from longtable.checkers import by_language, confinement, framing, work

MOST_JOBS = 500
MOST_RESIDENT = 256 * 1_048_576
GRACE = 0.5
"""Seconds that the server has to end a late worker itself."""

_WARM = ("json", "yaml", "md", "py")
"""Loaded while nothing else is to be done."""


def main() -> None:
    jobs, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    # What a library prints must not get between the answers, nor programs that it starts read the jobs.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    confinement.confine()
    serve(jobs, answers)


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    done = 0
    to_warm = iter(_WARM)
    while True:
        _warm_up(jobs, to_warm)
        job = _read_job(jobs)
        if job is None:
            return
        confinement.limit_time(job["seconds"] + GRACE)
        answer = work.run(job)
        confinement.lift_time()
        done += 1
        is_spent = done >= MOST_JOBS or work.has_failed(answer) or confinement.memory_used() > MOST_RESIDENT
        for part in framing.encode(framing.to_json({"spent": is_spent}), framing.to_json(answer)):
            _write(answers, part)


def _warm_up(jobs: BinaryIO, languages: Iterator[str]) -> None:
    while not select.select([jobs], [], [], 0)[0]:
        language = next(languages, None)
        if language is None:
            return
        with contextlib.suppress(Exception):
            by_language.warm_up(language)


def _read_job(jobs: BinaryIO) -> dict[str, Any] | None:
    """None at the end of the input, also in the middle of a frame: then the server is gone."""
    prefix = _read(jobs, framing.PREFIX.size)
    if prefix is None:
        return None
    head_length, body_length = framing.PREFIX.unpack(prefix)
    head, body = _read(jobs, head_length), _read(jobs, body_length)
    if head is None or body is None:
        return None
    job: dict[str, Any] = json.loads(head)
    job["content"] = framing.to_text(body)
    return job


def _read(source: BinaryIO, length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        piece = source.read(length - len(data))
        if not piece:
            return None
        data += piece
    return bytes(data)


def _write(target: BinaryIO, data: bytes) -> None:
    while data:
        data = data[target.write(data) :]


if __name__ == "__main__":
    main()
