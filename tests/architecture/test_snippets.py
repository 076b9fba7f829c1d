"""What the documents show can be run or read: `sh` and `python` are run by a test that names the page, `console` is for
what goes on for ever or needs more than this machine. All commands name what there is."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts import cli_page

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("integrations/**/*.md")]
    if "reference" not in path.parts
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = ("sh", "bash", "console")
RUN = ("sh", "python")
FOR_CONTRIBUTORS = ("CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "docs/conventions.md")
"""Their commands are those of the Makefile, which `make test` runs, and their programs are examples of style."""
THESE = Path(__file__).resolve()

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def blocks(page: Path, *kinds: str) -> list[str]:
    return [text for kind, text in FENCE.findall(page.read_text("utf-8")) if kind in kinds]


@cache
def sources_of_tests() -> str:
    return "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py") if path != THESE)


def name_in_tests(page: Path) -> str:
    """As tests name it: `docs/howto/x.md`, or below a constant for the folder."""
    inside = page.relative_to(ROOT).as_posix()
    return "/" + page.name if inside.startswith("docs/howto/") else page.stem if "recipes" in page.parts else inside


@each_page
def test_what_is_marked_as_run_is_run_by_a_test(page: Path) -> None:
    if page.relative_to(ROOT).as_posix() in FOR_CONTRIBUTORS or not blocks(page, *RUN):
        return

    assert name_in_tests(page).replace("-", "_") in sources_of_tests().replace("-", "_"), (
        "no test names this page: let one follow it, or mark its blocks as console"
    )


@each_page
def test_every_command_in_a_snippet_exists_with_its_options(page: Path) -> None:
    problems = [problem for text in blocks(page, *SHELL) for line in commands_in(text) for problem in problems_of(line)]

    assert problems == []


@each_page
def test_every_shell_snippet_can_be_read_by_a_shell(page: Path) -> None:
    script = "\n".join(blocks(page, *SHELL))
    read = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)

    assert read.stderr == ""


@each_page
def test_every_snippet_of_yaml_can_be_read(page: Path) -> None:
    for text in blocks(page, "yaml"):
        list(yaml.safe_load_all(text))


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command of ours, without what stands before it or behind it."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"\s(?:&&|\|\|?|;)\s", line):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                continue
            while words and (re.fullmatch(r"\w+=\S*|sudo|uvx|exec", words[0])):
                words = words[1:]
            if words and Path(words[0]).name in ("longtable", "make"):
                yield [Path(words[0]).name, *words[1:]]


def problems_of(words: list[str]) -> Iterator[str]:
    if words[0] == "make":
        yield from (f"make {each}" for each in words[1:] if re.fullmatch(r"[a-z-]+", each) and each not in targets())
        return
    known, rest = found_command(words[1:])
    if known is None:
        yield f"longtable {' '.join(rest[:2])}"
        return
    for word in rest:
        if word in ("--", ">", "<", "2>"):
            return
        if word.startswith("--") and word.partition("=")[0] not in known:
            yield f"{' '.join(words)}: {word}"


@cache
def targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@cache
def known_commands() -> dict[str, frozenset[str]]:
    """The options of each command. Those of `serve` are all that the bare program takes, too."""
    given = {name: options_of(command) for name, command in cli_page.commands()}
    return {**given, "": given["serve"]}


def options_of(command: Any) -> frozenset[str]:
    own = {word for each in getattr(command, "params", ()) for word in (*each.opts, *each.secondary_opts)}
    return frozenset(own | {"--help", "--version"})


def found_command(words: list[str]) -> tuple[frozenset[str] | None, list[str]]:
    for count in (2, 1):
        name = " ".join(words[:count])
        if len(words) >= count and name in known_commands():
            return known_commands()[name], words[count:]
    if not words or words[0].startswith("-"):
        return known_commands()[""], words
    return None, words
