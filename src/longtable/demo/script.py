"""The script of the demo, read from `story.toml`: one session that is played, and others that are there already."""

import tomllib
from pathlib import Path
from typing import Any, Final

SCRIPT: Final[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "story.toml").read_text(encoding="utf-8"))
HOST: Final = "demo"
"""The name that sessions are created under."""
