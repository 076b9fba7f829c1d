"""The frameworks that `make frameworks` installs, each in an environment of its own, and what their programs find
there."""

import os
from pathlib import Path

import pytest

from tests.e2e.servers import ROOT

FRAMEWORKS = ROOT / ".tools" / "frameworks"
LIMIT = 150
"""Seconds for a program: frameworks take up to half a minute to load on a busy machine."""


def python_of(framework: str) -> Path:
    python = FRAMEWORKS / framework / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{framework} is not installed: run `make frameworks`")
    return python


def surroundings(model: str) -> dict[str, str]:
    """Keys and addresses as each framework looks for them. Whatever is not on this machine cannot be reached: the proxy
    is a port at which nobody listens."""
    inherited = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")}
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    return {
        **inherited,
        **nowhere,
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{model}/v1",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "GOOGLE_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model,
        "OTEL_SDK_DISABLED": "true",
        "CREWAI_DISABLE_TELEMETRY": "true",
    }
