"""Frameworks convert the schemas of all tools by code of their own, which runs here on what `tools/list` shows."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import ROOT
from tests.recipes.frameworks import python_of

DRIVERS = Path(__file__).parent / "drivers"
LISTED = ROOT / "src" / "longtable" / "generated" / "tools.json"


def tools() -> list[dict[str, Any]]:
    """As any client gets them; which of them depends on roles, groups and profiles."""
    return [tool["wire"] for tool in json.loads(LISTED.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    ("framework", "driver"),
    [
        pytest.param("openai-agents", "openai_agents.py", id="strict mode of OpenAI"),
        pytest.param("google-genai", "google_genai.py", id="declarations of Gemini"),
        pytest.param("autogen", "autogen.py", id="models of AutoGen"),
    ],
)
def test_the_converter_of_a_framework_takes_every_tool(framework: str, driver: str) -> None:
    done = subprocess.run(
        [python_of(framework), "-W", "ignore", DRIVERS / driver],
        input=json.dumps(tools()),
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )

    assert json.loads(done.stdout.splitlines()[-1]) == {}
