"""The hostile servers as entries of a gateway file."""

import sys
from pathlib import Path
from typing import Any

from longtable.upstreams.entries import ResourceLimits, StdioEntry
from longtable.upstreams.references import SecretMask

ROOT = Path(__file__).resolve().parents[3]


def hostile(script: str, *words: object, name: str | None = None, **more: Any) -> StdioEntry:
    """`more` are fields of the entry, or of its caps."""
    limits = {key: more.pop(key) for key in tuple(more) if key in ResourceLimits.__slots__}
    env: dict[str, str] = more.pop("env", {})
    return StdioEntry(
        name=name or script,
        pack=more.pop("pack", name or script),
        command=sys.executable,
        args=("-m", f"tests.gateway.hostile.{script}", *(str(word) for word in words)),
        env=env,
        cwd=str(ROOT),
        limits=ResourceLimits(**limits),
        mask=SecretMask(env.values()),
        **more,
    )


def hostile_json(script: str, *words: object, **more: Any) -> dict[str, Any]:
    """The same as it stands in a gateway file."""
    return {
        "command": sys.executable,
        "args": ["-m", f"tests.gateway.hostile.{script}", *(str(word) for word in words)],
        "cwd": str(ROOT),
        **more,
    }
