"""Which tests say something about a file that was changed."""

import re
import subprocess
import sys
from collections.abc import Collection, Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
QUICK_FOLDERS: Final = ("tests/unit", "tests/spec", "tests/contracts", "tests/gateway")
"""Tests that run in the process of pytest: `make fast` takes all that are quick, and what it can of the others."""

_EVENTS: Final = ("tests/spec/test_event_*", "tests/spec/test_feed.py", "tests/spec/test_visible_from_afar.py")
_TOKENS: Final = ("tests/spec/test_token_routes.py", "tests/spec/test_web_tokens.py")

TESTS_OF: Final[dict[str, tuple[str, ...]]] = {
    "activity": ("tests/spec/test_looking_back.py", "tests/spec/test_tables.py"),
    "brief": ("tests/spec/test_brief.py",),
    "checkers": ("tests/unit/checkers/*", "tests/spec/notebooks/test_checking.py", "tests/validation/*"),
    "cli": (
        "tests/unit/test_cli_mistakes.py",
        "tests/e2e/test_cli*",
        "tests/e2e/test_hook.py",
        "tests/e2e/test_watch.py",
    ),
    "client": ("tests/spec/test_client*", "tests/clients/*", "tests/unit/test_client_records.py"),
    "client_setup": ("tests/unit/test_jsonc_text.py", "tests/e2e/test_connect.py"),
    "connections": (
        "tests/spec/test_connections.py",
        "tests/spec/test_subscriptions*",
        "tests/spec/test_table_app.py",
        "tests/unit/test_client_facts.py",
    ),
    "console": ("tests/spec/test_console_*",),
    "credentials": _TOKENS,
    "demo": ("tests/e2e/test_demo.py",),
    "doctor": ("tests/e2e/test_doctor*",),
    "draft": ("tests/spec/test_draft*", "tests/unit/test_draft_diff.py"),
    "embedding": ("tests/unit/embedding/*", "tests/embedding/*"),
    "fulltext": ("tests/spec/search/*", "tests/unit/test_words.py"),
    "gateway": (
        "tests/gateway/slice/*",
        "tests/gateway/protocol/*",
        "tests/gateway/listing/*",
        "tests/gateway/oauth/*",
        "tests/gateway/playbooks/*",
        "tests/gateway/traces/*",
    ),
    "generated": ("tests/spec/test_openapi.py", "tests/spec/test_tables.py"),
    "governance": ("tests/unit/governance/*", "tests/gateway/slice/test_policy.py"),
    "identity": (
        "tests/spec/test_header_mismatch.py",
        "tests/spec/test_identity.py",
        "tests/spec/test_impostors.py",
        "tests/spec/test_adoption.py",
        "tests/spec/test_agent_names.py",
        "tests/spec/test_existence.py",
        "tests/spec/test_impostors.py",
        "tests/spec/test_unnamed_agents.py",
        "tests/unit/test_discovery.py",
        "tests/unit/test_key_set.py",
        "tests/sign_in/*",
        "tests/unit/test_throttle.py",
        *_TOKENS,
    ),
    "inbox": ("tests/spec/test_inbox.py", "tests/spec/test_messages.py", "tests/unit/test_delivery_histories.py"),
    "kernel": ("tests/spec/test_background*", "tests/spec/test_durations.py", "tests/spec/test_payloads.py"),
    "log": (
        "tests/contracts/test_count_exchange.py",
        "tests/unit/test_shared_reads.py",
        "tests/spec/test_shared_pages.py",
        "tests/unit/test_sentences.py",
        "tests/unit/test_wakeups.py",
        "tests/spec/test_audit*",
        "tests/spec/test_unwritable_audit.py",
        "tests/spec/test_kept_pages.py",
        "tests/spec/test_repeats.py",
        "tests/spec/test_waiting_crowds.py",
        "tests/spec/test_idempotency_keys.py",
        *_EVENTS,
    ),
    "memory": ("tests/spec/test_memory.py",),
    "messages": (
        "tests/spec/test_newest_pages.py",
        "tests/spec/test_page_size.py",
        "tests/spec/test_messages.py",
        "tests/spec/test_directed_messages.py",
        "tests/spec/test_page_bytes.py",
        "tests/spec/test_visible_from_afar.py",
    ),
    "notebooks": ("tests/spec/notebooks/*", "tests/spec/test_cell_redaction.py", "tests/spec/test_scratchpad_*"),
    "holds": ("tests/spec/test_holds.py",),
    "usage": ("tests/spec/test_usage.py",),
    "now": ("tests/spec/test_now.py",),
    "notes": (
        "tests/spec/test_notes.py",
        "tests/spec/test_newest_pages.py",
        "tests/spec/test_page_size.py",
        "tests/spec/test_page_bytes.py",
        "tests/spec/search/test_ranked_notes.py",
    ),
    "plan": ("tests/spec/test_plan*", "tests/spec/test_replanning.py", "tests/spec/test_page_bytes.py"),
    "reservations": ("tests/spec/test_reservations.py", "tests/unit/test_reserved_paths.py"),
    "questions": (
        "tests/spec/test_questions.py",
        "tests/spec/test_answer*",
        "tests/spec/test_open_questions.py",
        "tests/spec/test_human_secret_notice.py",
    ),
    "records": ("tests/spec/test_audit_filters.py", "tests/spec/test_pauses.py"),
    "notifiers": ("tests/spec/test_notices.py", "tests/spec/test_notifiers*"),
    "sharing": ("tests/spec/test_shares.py",),
    "redaction": (
        "tests/spec/test_redaction.py",
        "tests/spec/test_cell_redaction.py",
        "tests/spec/test_every_text_redacted.py",
    ),
    "rest": (
        "tests/spec/test_openapi.py",
        "tests/spec/test_cut_answers.py",
        "tests/spec/test_event_stream.py",
        "tests/unit/test_api_description.py",
    ),
    "search": ("tests/spec/search/*", "tests/unit/test_fusion.py"),
    "server": (
        "tests/spec/test_prompts.py",
        "tests/spec/test_compression.py",
        "tests/spec/test_connections.py",
        "tests/spec/test_fast_path.py",
        "tests/spec/test_metrics.py",
        "tests/spec/test_resource*",
        "tests/spec/test_subscriptions*",
        "tests/spec/test_table_app.py",
        "tests/unit/test_sockets.py",
    ),
    "sessions": (
        "tests/spec/test_sessions.py",
        "tests/spec/test_shared_session.py",
        "tests/spec/test_session_waits.py",
        "tests/spec/test_many_tables.py",
        "tests/spec/test_purge.py",
    ),
    "settings": ("tests/unit/test_settings_*",),
    "storage": (
        "tests/contracts/*",
        "tests/spec/test_store_faults.py",
        "tests/spec/test_lost_commits.py",
        "tests/unit/test_histories.py",
        "tests/spec/test_writes.py",
        "tests/spec/test_isolation.py",
        "tests/spec/test_existence.py",
        "tests/spec/test_limits.py",
        "tests/unit/test_delivery_histories.py",
        "tests/spec/test_mixed_tenants.py",
        "tests/spec/test_nul.py",
        "tests/spec/test_tenant_walls.py",
    ),
    "transfer": ("tests/spec/transfer/*", "tests/e2e/test_cli_export.py"),
    "toolkit": (
        "tests/spec/test_fuzz.py",
        "tests/spec/test_argument_errors.py",
        "tests/spec/test_suggestions.py",
        "tests/spec/test_unique_names.py",
        "tests/spec/test_tool_list.py",
        "tests/spec/test_answer_size.py",
        "tests/spec/test_answer_tokens.py",
        "tests/spec/test_blank_arguments.py",
        "tests/spec/test_call_limits.py",
        "tests/spec/test_json_objects.py",
        "tests/spec/test_payloads.py",
        "tests/unit/test_declared_tools.py",
        "tests/unit/test_names.py",
        "tests/unit/test_json_text.py",
    ),
    "upstreams": ("tests/gateway/upstreams/*", "tests/gateway/mindscape/*"),
    "validation": ("tests/unit/validation/*", "tests/validation/*", "tests/spec/notebooks/test_checking.py"),
    "vectors": ("tests/vectors/*", "tests/spec/search/test_modes.py"),
    "workspace": ("tests/spec/test_exports.py", "tests/spec/test_whole_table.py", "tests/spec/test_looking_back.py"),
}
"""By a package of `src/longtable`: where what it promises is tested."""

_WIRING: Final = ("tests/spec/test_background*", "tests/spec/test_scenario.py")
"""Of the modules beside the packages, which put them together."""

_IMPORT = re.compile(r"^from (tests[\w.]*) import|^import (tests[\w.]*)", re.MULTILINE)
_TOO_MANY = 25
"""What so many files import says nothing about one of them in particular."""


def changed_files() -> list[str]:
    """What is not on the main branch yet; on that branch, what is not committed, or else the last commit."""
    base = _git("merge-base", "HEAD", "main") or _git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    changed = {*_git("diff", "--name-only", *base), *_git("ls-files", "--others", "--exclude-standard")}
    return sorted(changed or _git("diff", "--name-only", "HEAD~1"))


def related_tests(changed: Collection[str]) -> list[str]:
    """The test files for these changes, those first whose name speaks of what was changed."""
    found = {test for path in changed for test in _related(path)}
    named = named_alike(changed)
    return sorted(found, key=lambda test: (test not in named, test))


def named_alike(changed: Collection[str]) -> set[str]:
    """The test files with a word in their name that a changed file has in its name, too."""
    words = {word for path in changed for word in _words(path)}
    return {test for test in all_test_files() if words & (_words(test) - {"test"})}


def _words(path: str) -> set[str]:
    return set(re.split(r"[\W_]+", Path(path).stem))


def _related(path: str) -> Iterable[str]:
    if path.startswith(("src/longtable/", "clients/")):
        patterns = TESTS_OF["client"] if path.startswith("clients/") else TESTS_OF.get(path.split("/")[2], _WIRING)
        return [test for test in all_test_files() if any(fnmatch(test, pattern) for pattern in patterns)]
    if not (path.startswith("tests/") and path.endswith(".py")) or not (ROOT / path).exists():
        return []
    if Path(path).name.startswith("test_"):
        return [path]
    importing = [test for test in all_test_files() if _module(path) in _imported(test)]
    return importing if len(importing) <= _TOO_MANY else []


def all_test_files() -> list[str]:
    skipped = ("tests/proof/", "tests/architecture/")
    found = (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests").rglob("test_*.py")))
    return [path for path in found if not path.startswith(skipped)]


def _imported(path: str) -> set[str]:
    return {first or second for first, second in _IMPORT.findall((ROOT / path).read_text("utf-8"))}


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _git(*words: str) -> list[str]:
    """The lines that it writes; none where it cannot say."""
    ended = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return ended.stdout.split() if ended.returncode == 0 else []


if __name__ == "__main__":
    elsewhere = [test for test in related_tests(changed_files()) if not test.startswith(QUICK_FOLDERS)]
    sys.stdout.write(" ".join([*QUICK_FOLDERS, *elsewhere]))
