"""Loaded by schemathesis, in its own environment: of the ids in a path, most become ids of what is there. Else nearly
every answer would be that there is no such thing. At the end it tells which operations have succeeded."""

import atexit
import json
import random
from pathlib import Path
from typing import Any

import schemathesis

KNOWN: dict[str, list[str]] = json.loads(Path("known.json").read_text())
_ENDING = ("/close", "/redact", "/pins/accept")
_chance = random.Random(20)
_succeeded: set[str] = set()


def before_call(context: Any, case: Any, **others: Any) -> None:
    """What ends a thing mostly gets ids that it has made up, or there would soon be nothing left."""
    ends = case.method == "DELETE" or case.path.endswith(_ENDING)
    for name in case.path_parameters or {}:
        if name in KNOWN and _chance.random() < (0.02 if ends else 0.7):
            case.path_parameters[name] = _chance.choice(KNOWN[name])


def after_call(context: Any, case: Any, response: Any) -> None:
    if response.status_code < 300:
        _succeeded.add(case.operation.label)


schemathesis.hook(before_call)
schemathesis.hook(after_call)
atexit.register(lambda: Path("succeeded.json").write_text(json.dumps(sorted(_succeeded))))
