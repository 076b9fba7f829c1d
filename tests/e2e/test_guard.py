"""`longtable guard`: a commit to files that another agent has reserved is refused by git, in a real repository."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import httpx2
import pytest

from tests.e2e.preloaded import fork_server
from tests.e2e.program import Program
from tests.e2e.servers import Processes, Server, environment, processes_in

pytestmark = pytest.mark.slow

QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "EMAIL": "ada@example.org"}
NOBODY = "http://127.0.0.1:1"
SESSION = "sess_code"


@dataclass(frozen=True)
class Done:
    status: int
    text: str


@dataclass(frozen=True)
class Folder:
    """A folder of a git repository, and an agent at work in it."""

    path: Path

    def runs(self, *words: str, **variables: str) -> Done:
        with TemporaryFile() as output:
            given = {**environment({}), **QUIET, **variables}
            ended = subprocess.run(
                words, cwd=self.path, env=given, stdout=output, stderr=output, timeout=120, check=False
            )
            return _done(ended.returncode, output)

    def git(self, *words: str) -> str:
        done = self.runs("git", *words)
        assert done.status == 0, done.text
        return done.text

    def guard(self, *words: str, **variables: str) -> Done:
        with TemporaryFile() as output, open(os.devnull) as nothing:
            streams = [nothing.fileno(), output.fileno(), output.fileno()]
            given = {**environment({}), **QUIET, "COLUMNS": "200", **variables}
            process = fork_server().start(["guard", *words], given, streams, cwd=self.path)
            return _done(process.wait(120), output)

    def writes(self, name: str, text: str = "text") -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.git("add", "-A")

    def commits(self, *flags: str, **variables: str) -> Done:
        return self.runs("git", "commit", "-q", "-m", "change", *flags, **variables)


def _done(status: int, output: IO[bytes]) -> Done:
    output.seek(0)
    text = output.read().decode()
    assert "Traceback" not in text, text
    return Done(status, text)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("guard")
    with processes_in(folder / "work") as processes:
        yield processes.serve({"data_dir": str(folder / "data"), "enable_semantic_search": "false"})


@pytest.fixture
def session(server: Server) -> str:
    with httpx2.Client(base_url=server.address) as http:
        return str(http.post("/sessions", json={}).json()["session_id"])


def reserves(server: Server, session: str, agent: str, *paths: str, **more: Any) -> str:
    """When it ends."""
    with httpx2.Client(base_url=server.address, headers={"X-Caller-Agent": agent}) as http:
        answer = http.post(f"/sessions/{session}/reservations", json={"paths": paths, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["expires_at"])


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "a repository"
    path.mkdir()
    folder = Folder(path)
    folder.git("init", "-q", "-b", "main")
    folder.writes("src/app.py")
    folder.writes("docs/read me.md", "words " * 50)
    folder.git("commit", "-q", "-m", "first")
    return folder


@pytest.fixture
def guarded(folder: Folder, server: Server, session: str) -> Folder:
    done = folder.guard("install", "--url", server.address, "--session", session, "--agent", "ada")
    assert done.status == 0, done.text
    return folder


def test_a_commit_to_what_another_holds_is_refused_with_who_until_when_and_why(
    guarded: Folder, server: Server, session: str
) -> None:
    until = reserves(server, session, "bob", "src/**", reason="Refactoring")
    guarded.writes("src/app.py", "mine")
    guarded.writes("docs/new.md")

    done = guarded.commits()

    assert done.status == 1
    assert f"bob holds src/** until {until}: Refactoring" in done.text
    assert "src/app.py" in done.text
    assert "docs/new.md" not in done.text
    assert "--no-verify" in done.text
    assert guarded.git("log", "--oneline").count("\n") == 1


def test_what_is_free_ones_own_or_shared_is_committed(guarded: Folder, server: Server, session: str) -> None:
    reserves(server, session, "ada", "src")
    reserves(server, session, "bob", "docs", mode="shared")
    reserves(server, session, "bob", "lib")
    for name in ("src/app.py", "docs/new.md", "else.txt"):
        guarded.writes(name, "new")

    done = guarded.commits()

    assert (done.status, done.text) == (0, "")


@pytest.mark.parametrize("way", ["removed", "renamed away", "renamed to", "strange name"])
def test_every_name_that_a_commit_touches_counts(guarded: Folder, server: Server, session: str, way: str) -> None:
    reserves(server, session, "bob", "docs/read me.md", "held", "Größe *\u00e9/")
    match way:
        case "removed":
            guarded.git("rm", "-q", "docs/read me.md")
        case "renamed away":
            guarded.git("mv", "docs/read me.md", "docs/other.md")
        case "renamed to":
            (guarded.path / "held").mkdir()
            guarded.git("mv", "src/app.py", "held/app.py")
        case _:
            guarded.writes('Gro\u0308\u00dfe 1\u00e9/with "quotes"\nand a line.txt')

    done = guarded.commits()

    assert done.status == 1
    assert "bob holds" in done.text


def test_an_agent_is_known_by_its_environment_first(guarded: Folder, server: Server, session: str) -> None:
    reserves(server, session, "Bob", "src")
    guarded.writes("src/app.py", "by bob")

    assert guarded.commits().status == 1
    assert guarded.commits(LONGTABLE_AGENT="bob").status == 0


def test_each_worktree_has_an_agent_of_its_own(guarded: Folder, server: Server, session: str) -> None:
    reserves(server, session, "bob", "src")
    reserves(server, session, "ada", "docs")
    guarded.git("worktree", "add", "-q", "-b", "side", "../side")
    side = Folder(guarded.path.parent / "side")
    assert side.guard("install", "--agent", "bob").status == 0

    for each in (guarded, side):
        each.writes("src/app.py", "new")
    assert (guarded.commits().status, side.commits().status) == (1, 0)

    for each in (guarded, side):
        each.git("reset", "-q", "--hard")
        each.writes("docs/new.md", "new")
    assert (guarded.commits().status, side.commits().status) == (0, 1)


def test_an_existing_hook_runs_first_and_comes_back_in_the_end(folder: Folder, server: Server, session: str) -> None:
    hook = folder.path / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho checked by hand >&2\ntest ! -e stop\n")
    hook.chmod(0o755)
    before = hook.read_text()
    assert folder.guard("install", "--url", server.address, "--session", session).status == 0
    assert folder.guard("install", "--agent", "ada").status == 0
    reserves(server, session, "bob", "src")

    folder.writes("src/app.py", "new")
    both = folder.commits()
    folder.git("reset", "-q", "--hard")
    folder.writes("stop")
    stopped = folder.commits()

    assert both.status == 1
    assert both.text.index("checked by hand") < both.text.index("bob holds")
    assert (stopped.status, stopped.text) == (1, "checked by hand\n")
    assert folder.guard("uninstall").status == 0
    assert hook.read_text() == before
    assert [path.name for path in hook.parent.iterdir() if "longtable" in path.name] == []
    assert folder.runs("git", "config", "--get-regexp", "longtable").text == ""


def test_hooks_of_another_folder_are_guarded(folder: Folder, server: Server, session: str) -> None:
    folder.git("config", "core.hooksPath", ".githooks")
    assert folder.guard("install", "--url", server.address, "--session", session, "--agent", "ada").status == 0
    reserves(server, session, "bob", "src")
    folder.writes("src/app.py", "new")

    assert (folder.path / ".githooks" / "pre-commit").exists()
    assert folder.commits().status == 1


@pytest.mark.parametrize("way", ["variable", "flag"])
def test_there_is_a_way_past_it(guarded: Folder, server: Server, session: str, way: str) -> None:
    reserves(server, session, "bob", "src")
    guarded.writes("src/app.py", "new")

    done = guarded.commits(LONGTABLE_GUARD="off") if way == "variable" else guarded.commits("--no-verify")

    assert (done.status, done.text) == (0, "")


@pytest.mark.parametrize("strict", [False, True])
def test_without_a_server_a_commit_passes_with_a_warning_unless_the_guard_is_strict(
    folder: Folder, strict: bool
) -> None:
    assert folder.guard("install", "--url", NOBODY, *(["--strict"] if strict else [])).status == 0
    folder.writes("src/app.py", "new")

    done = folder.commits()

    assert done.status == int(strict)
    assert "not checked" in done.text
    assert NOBODY in done.text
    assert ("refused" if strict else "passes") in done.text


def test_a_session_that_is_unknown_is_named(folder: Folder, server: Server) -> None:
    assert folder.guard("install", "--url", server.address, "--session", "nowhere").status == 0
    folder.writes("src/app.py", "new")

    done = folder.commits()

    assert done.status == 0
    assert "SESSION_NOT_FOUND" in done.text


async def test_without_a_session_the_one_that_all_local_agents_share_counts(folder: Folder, server: Server) -> None:
    bob = server.agent("bob")
    await bob.calls("reserve", paths=["src"])
    assert folder.guard("install", "--url", f"{server.address}/mcp", "--agent", "ada").status == 0
    folder.writes("src/app.py", "new")

    refused = folder.commits()
    await bob.calls("release")
    await bob.client.aclose()

    assert (refused.status, "bob holds src" in refused.text) == (1, True)
    assert folder.commits().status == 0


def test_a_merge_brings_what_others_have_committed(guarded: Folder, server: Server, session: str) -> None:
    guarded.git("switch", "-q", "-c", "side")
    guarded.writes("src/app.py", "by bob")
    guarded.writes("docs/read me.md", "by bob")
    guarded.git("commit", "-q", "-m", "of bob")
    guarded.git("switch", "-q", "main")
    guarded.writes("docs/read me.md", "by ada")
    guarded.git("commit", "-q", "-m", "of ada")
    reserves(server, session, "bob", "src")
    assert guarded.runs("git", "merge", "-q", "side").status == 1

    guarded.writes("docs/read me.md", "by both")
    assert guarded.commits().status == 0


def test_status_tells_what_is_set_and_what_is_held(guarded: Folder, server: Server, session: str) -> None:
    reserves(server, session, "bob", "src", "docs")

    shown = guarded.guard("status")
    as_json = guarded.guard("status", "--json")

    assert (shown.status, as_json.status) == (0, 0)
    assert all(word in shown.text for word in (server.address, session, "ada"))
    assert '"held_by_others": 2' in as_json.text
    assert guarded.guard("uninstall").status == 0
    assert guarded.guard("status").status == 1


def test_a_token_comes_from_a_file_or_the_environment_and_is_stored_nowhere(
    folder: Folder, processes: Processes, tmp_path: Path
) -> None:
    program = Program(tmp_path / "data")
    made = ("token", "create", "--tenant", "acme", "--role")
    lead = program.does(*made, "orchestrator", "--name", "lead")["secret"]
    server = processes.serve({"data_dir": str(program.data_dir), "auth": "tokens", "enable_semantic_search": "false"})
    with httpx2.Client(base_url=server.address, headers={"Authorization": f"Bearer {lead}"}) as http:
        assert http.post("/sessions", json={"session_id": SESSION}).status_code == 201
        for agent, path in (("ada", "docs"), ("bob", "src")):
            sent = {"X-Caller-Agent": agent}
            answer = http.post(f"/sessions/{SESSION}/reservations", json={"paths": [path]}, headers=sent)
            assert answer.status_code == 201, answer.text
    token = program.does(*made, "agent", "--name", "ada", "--agent", "ada", "--session", SESSION)["secret"]
    file = tmp_path / "token"
    file.write_text(f"{token}\n")

    assert folder.guard("install", "--url", server.address).status == 0
    folder.writes("docs/new.md")
    without = folder.commits()
    folder.writes("docs/more.md")
    by_variable = folder.commits(LONGTABLE_TOKEN=token)
    assert folder.guard("install", "--token-file", str(file)).status == 0
    folder.writes("src/app.py", "new")
    by_file = folder.commits()

    assert "UNAUTHORIZED" in without.text
    assert (by_variable.status, by_variable.text) == (0, "")
    assert (by_file.status, "bob holds src" in by_file.text) == (1, True)
    stored = (folder.path / ".git" / "config").read_text() + (folder.path / ".git/hooks/pre-commit").read_text()
    assert token not in stored


def test_a_folder_of_the_repository_cannot_get_into_the_check(guarded: Folder) -> None:
    for name in ("json.py", "longtable/__init__.py", "urllib/__init__.py"):
        guarded.writes(name, "raise SystemExit('taken over')")

    assert (guarded.commits().status, guarded.commits("--allow-empty").text) == (0, "")


def test_the_check_costs_little(guarded: Folder, server: Server, session: str) -> None:
    reserves(server, session, "bob", "lib")
    guarded.writes("src/app.py", "new")
    guarded.runs(sys.executable, "-P", "-m", "longtable", "guard", "check")

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = guarded.runs(sys.executable, "-P", "-m", "longtable", "guard", "check")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert done.status == 0, done.text
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 0.5


@pytest.mark.parametrize("way", ["all that is tracked", "only one"])
def test_what_a_commit_takes_up_by_itself_is_checked(guarded: Folder, server: Server, session: str, way: str) -> None:
    reserves(server, session, "bob", "src")
    guarded.writes("docs/new.md")
    (guarded.path / "src/app.py").write_text("not staged")

    taken = guarded.commits("-a") if way == "all that is tracked" else guarded.commits("src/app.py")

    assert (taken.status, "bob holds src" in taken.text) == (1, True)
    assert guarded.commits("docs/new.md").status == 0


def test_an_option_that_is_not_given_again_stays(folder: Folder) -> None:
    assert folder.guard("install", "--url", NOBODY, "--session", SESSION, "--strict").status == 0
    assert folder.guard("install", "--agent", "ada").status == 0
    folder.writes("src/app.py", "new")

    assert folder.commits().status == 1
    assert folder.guard("install", "--no-strict").status == 0
    assert folder.commits().status == 0
    assert folder.git("config", "longtable.session").strip() == SESSION


@pytest.mark.parametrize("url", ["ftp://x", "localhost:8765", "http://ada:secret@localhost"])
def test_an_address_that_cannot_be_one_is_refused(folder: Folder, url: str) -> None:
    done = folder.guard("install", "--url", url)

    assert done.status == 2
    assert "--url" in done.text


def test_outside_of_a_repository_it_says_so(tmp_path: Path) -> None:
    done = Folder(tmp_path).guard("status", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))

    assert done.status == 1
    assert "no git repository" in done.text
