"""The recipes run: each program with its framework, against a real server, with a model that plays a script."""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.pages import SHOWN_ADDRESS, blocks_of
from tests.e2e.servers import ROOT, Processes, Server
from tests.recipes.frameworks import LIMIT, python_of, surroundings
from tests.recipes.scripted_model import Script, ScriptedCall, ScriptedModel, playing

FINDING = "WAL: readers see the last commit while one process writes."
TEAM: Script = {
    "researcher": [ScriptedCall("brief", {}), ScriptedCall("add_note", {"content": FINDING}), "Pinned."],
    "writer": [
        ScriptedCall("brief", {}),
        ScriptedCall("read_notes", {}),
        ScriptedCall("write_draft_section", {"section_id": "summary", "content": f"In short: {FINDING}"}),
        "Written.",
    ],
}


@dataclass(frozen=True)
class Recipe:
    """A program of `recipes/`, and the environment of its framework."""

    program: str
    framework: str


def _recipe(program: str, framework: str, *marks: pytest.MarkDecorator) -> Any:
    return pytest.param(Recipe(program, framework), id=framework, marks=marks)


TEAMS = [
    _recipe("openai_agents_team.py", "openai-agents"),
    _recipe("autogen_team.py", "autogen"),
    _recipe("pydantic_ai_team.py", "pydantic-ai", pytest.mark.proof),
    _recipe("google_adk_team.py", "google-adk", pytest.mark.proof),
    _recipe("crewai_team.py", "crewai", pytest.mark.proof),
]


def run(recipe: Recipe, server: Server, model: ScriptedModel, folder: Path) -> str:
    """What the program prints. Its address is that of the server of the test."""
    text = (ROOT / "recipes" / recipe.program).read_text(encoding="utf-8")
    assert SHOWN_ADDRESS in text
    program = folder / recipe.program
    program.write_text(text.replace(SHOWN_ADDRESS, server.address.removeprefix("http://")))
    done = subprocess.run(
        [python_of(recipe.framework), program],
        cwd=folder,
        env=surroundings(model.address),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("recipe", TEAMS)
async def test_two_agents_of_a_framework_work_at_one_table_under_their_own_names(
    recipe: Recipe, processes: Processes, embedded: Mapping[str, str], tmp_path: Path
) -> None:
    server = processes.serve(embedded)

    with playing(TEAM) as model:
        printed = run(recipe, server, model, tmp_path)

    reader = server.agent("somebody")
    async with reader.client:
        (note,) = (await reader.calls("read_notes"))["notes"]
        section = await reader.calls("read_draft", section_id="summary")
    assert (note["author"], note["content"]) == ("researcher", FINDING)
    assert '"writer"' in json.dumps(section)
    assert FINDING in json.dumps(section)
    assert re.search(r"researcher: .*Pinned", printed)
    assert re.search(r"writer: .*Written", printed)


@pytest.mark.parametrize("program", sorted(path.name for path in (ROOT / "recipes").glob("*.py")))
def test_a_page_shows_the_program_that_runs(program: str) -> None:
    pages = [page.relative_to(ROOT).as_posix() for page in (ROOT / "docs" / "recipes").glob("*.md")]
    shown = [block.text for page in pages for block in blocks_of(page) if block.kind == "python"]

    assert (ROOT / "recipes" / program).read_text(encoding="utf-8") in shown
