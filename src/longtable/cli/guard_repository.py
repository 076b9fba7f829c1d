"""A git repository as the guard of commits sees it: where its hooks are, what is set in its configuration, and which
files a commit touches. It loads next to nothing, as every commit waits for it."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from longtable.kernel.errors import ConfigError, NotFound

HOOK = "pre-commit"
KEPT = "pre-commit.before-longtable"
MARK = "# Longtable guard."
_SECTION = "longtable"


@dataclass(frozen=True, slots=True)
class GuardOptions:
    """How the guard reaches its server. The token itself is never stored."""

    url: str | None = None
    session: str | None = None
    agent: str | None = None
    token_file: str | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    """`top` is the folder of this worktree, `hooks` where git looks for hooks. `is_linked` says that it is a further
    worktree of a repository that lies elsewhere."""

    top: Path
    hooks: Path
    merge_head: Path
    is_linked: bool

    @classmethod
    def here(cls) -> "Repository":
        """Raises NotFound outside of a repository with files."""
        words = ("--show-toplevel", "--git-path", "hooks", "--git-path", "MERGE_HEAD", "--git-dir", "--git-common-dir")
        found = _run("rev-parse", "--path-format=absolute", *words)
        if found.returncode != 0:
            raise NotFound("This is no git repository.", hint="Run it inside of one.")
        top, hooks, merge_head, own, shared = (Path(os.fsdecode(line)) for line in found.stdout.splitlines())
        return cls(top, hooks, merge_head, own != shared)

    @property
    def hook(self) -> Path:
        return self.hooks / HOOK

    @property
    def kept(self) -> Path:
        """The hook that was there before."""
        return self.hooks / KEPT

    @property
    def is_guarded(self) -> bool:
        try:
            return MARK in self.hook.read_text("utf-8", "replace")
        except OSError:
            return False

    def options(self, environment: Mapping[str, str]) -> GuardOptions:
        """As they are set for this worktree; the environment comes first."""
        values: dict[str, str] = {}
        for entry in _run("config", "-z", "--get-regexp", rf"^{_SECTION}\.").stdout.split(b"\0"):
            name, _, value = os.fsdecode(entry).partition("\n")
            values[name.removeprefix(f"{_SECTION}.")] = value
        return GuardOptions(
            url=values.get("url"),
            session=environment.get("LONGTABLE_SESSION_ID") or values.get("session"),
            agent=environment.get("LONGTABLE_AGENT") or values.get(f"{self.top}.agent") or values.get("agent"),
            token_file=values.get("tokenfile"),
            strict=values.get("strict") == "true",
        )

    def store(self, options: GuardOptions) -> None:
        """In the repository's own configuration. An agent's name counts for its worktree alone, where there are
        several."""
        agent = f"{_SECTION}.{self.top}.agent" if self.is_linked else f"{_SECTION}.agent"
        for name, value in (
            (f"{_SECTION}.url", options.url),
            (f"{_SECTION}.session", options.session),
            (f"{_SECTION}.tokenFile", options.token_file),
            (f"{_SECTION}.strict", "true" if options.strict else "false"),
            (agent, options.agent),
        ):
            if value is not None and _run("config", "--local", name, value).returncode != 0:
                raise ConfigError(f"{name} could not be written to the configuration of git.")

    def forget(self) -> None:
        for name in _run("config", "--local", "-z", "--name-only", "--get-regexp", rf"^{_SECTION}\.").stdout.split(
            b"\0"
        ):
            if name:
                _run("config", "--local", "--unset-all", os.fsdecode(name))

    def touched(self) -> list[str]:
        """The files of the commit that is about to be made, by their paths. A file that is renamed counts with both of
        its names, one that a merge brings along unchanged with none."""
        files = _changed_from()
        for parent in self._merged():
            files &= _changed_from(parent)
        return sorted(files)

    def _merged(self) -> list[str]:
        try:
            return self.merge_head.read_text("ascii").split()
        except FileNotFoundError:
            return []


def _changed_from(*parent: str) -> set[str]:
    found = _run("diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z", *parent, "--")
    if found.returncode != 0:
        raise ConfigError("git could not tell which files this commit touches.")
    return {os.fsdecode(path) for path in found.stdout.split(b"\0") if path}


def _run(*words: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(["git", *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise NotFound("There is no program 'git' on the path.") from None
