"""LangGraph's recipes: a graph that stops at a question, and a store that behaves as those that LangGraph brings."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.pages import SHOWN_ADDRESS
from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import ROOT, Processes, Server
from tests.recipes.frameworks import LIMIT, python_of, surroundings

DRIVERS = Path(__file__).parent / "drivers"
QUESTION = "langgraph_question.py"


@pytest.fixture
def server(processes: Processes, embedded: Mapping[str, str]) -> Server:
    return processes.serve(embedded)


@pytest.fixture
def environment() -> dict[str, str]:
    return {**surroundings("http://127.0.0.1:9"), "PYTHONPATH": str(ROOT / "clients" / "python" / "src")}


@pytest.fixture
def question(server: Server, tmp_path: Path) -> Path:
    text = (ROOT / "recipes" / QUESTION).read_text(encoding="utf-8")
    program = tmp_path / QUESTION
    program.write_text(text.replace(SHOWN_ADDRESS, server.address.removeprefix("http://")))
    return program


def started(program: Path, environment: Mapping[str, str]) -> "subprocess.Popen[str]":
    command = [python_of("langgraph"), program]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=program.parent, env=environment, stdout=pipe, stderr=pipe, text=True)


def shown_first(program: "subprocess.Popen[str]") -> str:
    """Its first line; if it ended without one, what went wrong."""
    assert program.stdout is not None
    assert program.stderr is not None
    return program.stdout.readline() or program.stderr.read()


@pytest.fixture
def browser(server: Server, embedded: Mapping[str, str]) -> Iterator[httpx2.Client]:
    """Of a person who has signed in to the console."""
    with at_terminal(Program(Path(embedded["data_dir"])), "console", http_port=str(server.port)) as terminal:
        terminal.ends()
    link = re.search(r"http://\S+/login\?link=link_\S+", terminal.shown)
    assert link is not None, terminal.shown
    with httpx2.Client(base_url=server.address, follow_redirects=True, timeout=60) as client:
        client.get(link[0])
        client.headers.update({"X-CSRF-Token": client.get("/me").json()["csrf"], "Origin": server.address})
        yield client


def test_a_graph_stops_at_a_question_outlives_its_process_and_goes_on_with_the_answer(
    question: Path, environment: Mapping[str, str], browser: httpx2.Client
) -> None:
    with started(question, environment) as first:
        waiting = shown_first(first)
        first.kill()
    assert waiting == "waits for q1\n"
    session = browser.get("/sessions").json()["sessions"][0]["session_id"]
    questions = browser.get(f"/sessions/{session}/questions").json()["questions"]

    answered = browser.post(f"/sessions/{session}/answers", json={"answers": {"q1": "yes"}})
    with started(question, environment) as second:
        printed, wrong = second.communicate(timeout=LIMIT)

    assert [(each["question"], each["asked_by"]) for each in questions] == [("Shall 1.4 go out today?", "release_bot")]
    assert answered.json()["answered"] == ["q1"]
    assert printed.splitlines()[-1:] == ["yes"], wrong
    (settled,) = browser.get(f"/sessions/{session}/questions").json()["questions"]
    assert (settled["answer"], settled["by_human"]) == ("yes", True)
    assert "1.4 goes out: yes" in browser.get(f"/sessions/{session}/draft").text


def test_the_store_behaves_as_the_one_that_langgraph_brings(
    server: Server, environment: Mapping[str, str], tmp_path: Path
) -> None:
    for source in (ROOT / "recipes" / "langgraph_store.py", DRIVERS / "langgraph_stores.py"):
        (tmp_path / source.name).write_text(source.read_text(encoding="utf-8"))

    done = subprocess.run(
        [python_of("langgraph"), tmp_path / "langgraph_stores.py", server.address],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    assert results["longtable"] == results["langgraph"]
    # Read once without and once with a new lease of life: that is one more write.
    assert results["lifetimes"] == {"left": ["always", "usual"], "writes": 2, "expires": [True, False]}
    assert results["other"] == [], "another agent sees nothing of it"
