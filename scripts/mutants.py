"""Changes one thing at a time in code that must not break unseen, and counts how often a test notices.

    python -m scripts.mutants log identity --sample 80 --seed 1

For each change the tests are run that run its line. Needs cosmic-ray, which `make mutants` installs apart. Files are
changed in place and put back: use a clean checkout."""

import argparse
import ast
import difflib
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from coverage import CoverageData

SOURCE = Path("src/longtable")
OTHER_PROCESSES = "tests/e2e/"
"""Tests of programs that they start: which lines those run is not known here, so they are run for every change."""
TIMEOUT_SECONDS = 900
COMPARISONS = [
    "Lt_LtE",
    "LtE_Lt",
    "Gt_GtE",
    "GtE_Gt",
    "Lt_GtE",
    "Gt_LtE",
    "Eq_NotEq",
    "NotEq_Eq",
    "Is_IsNot",
    "IsNot_Is",
]
OPERATORS = [
    "core/AddNot",
    "core/ExceptionReplacer",
    "core/NumberReplacer",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceBinaryOperator_Add_Sub",
    "core/ReplaceBinaryOperator_Sub_Add",
    "core/ReplaceBinaryOperator_Mul_Div",
    "core/ZeroIterationForLoop",
    *(f"core/ReplaceComparisonOperator_{each}" for each in COMPARISONS),
]
"""Without those that are nearly always equivalent (`==` for `is`) or break at the import (`|` in annotations)."""

DURABLE = (
    "counters",
    "database",
    "file_lock",
    "group",
    "leases",
    "migrate",
    "postgres_attempt",
    "postgres_buffer",
    "postgres_connection",
    "postgres_outcome",
    "postgres_side_by_side",
    "postgres_snapshot",
    "postgres_transaction",
    "postgres_upgrade",
    "postgres_wakeups",
    "postgres_writer",
    "sqlite_file",
    "sqlite_identity",
    "sqlite_snapshot",
    "sqlite_transaction",
    "sqlite_upgrade",
    "sqlite_writer",
    "statements",
)
"""The modules of the store that keep what was acknowledged. Copies, backups and sizes are left out."""


@dataclass(frozen=True)
class Target:
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    stores: str = "sqlite"


TARGETS = {
    "log": Target(
        ("log/*.py",),
        (
            "spec/test_writes.py",
            "spec/test_idempotency_keys.py",
            "spec/test_audit.py",
            "spec/test_audit_filters.py",
            "spec/test_audit_anchor.py",
            "spec/test_looking_back.py",
            "spec/test_messages.py",
            "spec/test_visible_from_afar.py",
            "spec/test_feed.py",
            "spec/test_event_kinds.py",
            "spec/test_event_gaps.py",
            "spec/test_event_stream.py",
            "spec/test_session_waits.py",
            "spec/test_answer_waits.py",
            "spec/test_call_limits.py",
            "spec/test_exports.py",
            "spec/test_subscriptions.py",
            "spec/test_kept_pages.py",
            "spec/test_waiting_crowds.py",
            "spec/test_now.py",
            "unit/test_shared_reads.py",
            "unit/test_wakeups.py",
            "contracts/test_count_exchange.py",
            "spec/test_background_failures.py",
            "e2e/test_cli_audit.py",
        ),
    ),
    "visibility": Target(
        ("log/model.py", "log/reader.py", "activity/store.py", "messages/store.py"),
        (
            "spec/test_shared_pages.py",
            "spec/test_waiting_crowds.py",
            "spec/test_messages.py",
            "spec/test_directed_messages.py",
            "spec/test_purge.py",
            "spec/test_redaction.py",
            "spec/test_visible_from_afar.py",
            "spec/test_looking_back.py",
            "spec/test_feed.py",
            "spec/test_event_stream.py",
            "spec/test_audit.py",
            "spec/test_inbox.py",
            "spec/test_isolation.py",
            "spec/test_exports.py",
        ),
    ),
    "identity": Target(
        ("identity/*.py",),
        (
            "spec/test_identity.py",
            "spec/test_adoption.py",
            "spec/test_agent_names.py",
            "spec/test_unnamed_agents.py",
            "spec/test_web_tokens.py",
            "spec/test_token_routes.py",
            "spec/test_console_login.py",
            "spec/test_human_secret_notice.py",
            "sign_in",
            "unit/test_discovery.py",
            "unit/test_key_set.py",
            "unit/test_throttle.py",
            "unit/test_names.py",
            "unit/test_settings_tokens.py",
            "e2e/test_cli_human_secret.py",
        ),
    ),
    "leases": Target(
        ("plan/leases.py", "plan/service.py", "plan/dependencies.py"),
        ("spec/test_plan.py", "spec/test_plan_leases.py", "spec/test_plan_reading.py", "spec/test_plan_model.py"),
    ),
    "decisions": Target(
        ("gateway/decisions.py", "gateway/decision_store.py", "gateway/policies.py"),
        (
            "gateway/slice/test_confirmations.py",
            "gateway/slice/test_approvers.py",
            "gateway/slice/test_binding.py",
            "gateway/slice/test_claims.py",
            "gateway/slice/test_policy.py",
            "gateway/slice/test_replicas.py",
            "gateway/slice/test_pinning.py",
            "gateway/slice/test_promises.py",
            "gateway/playbooks/test_governed.py",
        ),
    ),
    "connections": Target(
        ("connections/*.py",),
        (
            "spec/test_connections.py",
            "spec/test_subscriptions_http.py",
            "spec/test_isolation.py",
            "unit/test_client_facts.py",
            "gateway/listing",
        ),
    ),
    "storage": Target(
        tuple(f"storage/{each}.py" for each in DURABLE),
        (
            "contracts/test_statements.py",
            "contracts/test_file_lock.py",
            "contracts/test_migrations.py",
            "contracts/test_sqlite_file.py",
            "contracts/test_transactions.py",
            "contracts/test_sqlite_writer.py",
            "contracts/test_round_trips.py",
            "contracts/test_replicas.py",
            "contracts/test_writer_faults.py",
            "contracts/test_pooler.py",
            "contracts/test_damaged_files.py",
            "contracts/test_job_leases.py",
            "spec/test_store_faults.py",
            "spec/test_writes.py",
            "spec/test_exports.py",
            "spec/test_lost_commits.py",
            "e2e/test_disk_faults.py",
        ),
        stores="sqlite,postgresql",
    ),
}


@dataclass(frozen=True)
class Mutation:
    path: Path
    line: int
    operator: str
    occurrence: int


def mutations(target: Target) -> Iterator[Mutation]:
    for pattern in target.modules:
        for path in sorted(SOURCE.glob(pattern)):
            source = path.read_text()
            for name in OPERATORS:
                occurrence = 0
                for node in ast_nodes(get_ast(source)):
                    for start, _ in get_operator(name)().mutation_positions(node):
                        if not _is_chosen(source.splitlines()[start[0] - 1]):
                            yield Mutation(path, start[0], name, occurrence)
                        occurrence += 1


def _is_chosen(line: str) -> bool:
    """A value that somebody chose for a module or a class, such as a pause in seconds: any other works as well."""
    return bool(re.match(r"@|_?[A-Z]", line))


@dataclass(frozen=True)
class Covering:
    """Which of `tests` run which lines, by what `scripts.covering_tests` has stored in `data`."""

    tests: list[str]
    data: CoverageData

    def tests_of(self, mutation: Mutation) -> list[str]:
        """The tests that can notice it. A line that runs at an import, before any test, concerns them all."""
        by_line = self.data.contexts_by_lineno(str(mutation.path.resolve()))
        ids = {each for line in statement_lines(mutation) for each in by_line.get(line, ())}
        if "" in ids:
            return self.tests
        functions = {each.partition("[")[0] for each in ids}
        found = [each for file in self.tests for each in sorted(functions) if each.startswith(file)]
        return found + [file for file in self.tests if file.startswith(OTHER_PROCESSES)]


def statement_lines(mutation: Mutation) -> set[int]:
    """The lines of the statement that is changed; of one with a body the lines before that."""
    changed = mutation.line
    around = [
        node
        for node in ast.walk(ast.parse(mutation.path.read_text()))
        if isinstance(node, ast.stmt | ast.ExceptHandler) and node.lineno <= changed <= (node.end_lineno or 0)
    ]
    if not around:
        return {changed}
    inner = max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)))
    body: list[ast.stmt] = getattr(inner, "body", [])
    end = min([inner.end_lineno or 0, *(max(node.lineno - 1, inner.lineno) for node in body[:1])])
    return {changed, *range(inner.lineno, end + 1)}


def covering(tests: list[str]) -> Covering | None:
    """None where the tests fail without a change."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "covering")
        if not passes(["-p", "scripts.covering_tests", *tests], LONGTABLE_COVERING=path):
            return None
        data = CoverageData(path)
        data.read()
        loaded = CoverageData(no_disk=True)
        loaded.update(data)
        return Covering(tests, loaded)


def mutated(mutation: Mutation) -> str | None:
    """The text of the file with the change; None for one that cosmic-ray lists and cannot make."""
    try:
        return str(mutate_code(mutation.path.read_text(), get_operator(mutation.operator)(), mutation.occurrence))
    except AttributeError:
        return None


def outcome(mutation: Mutation, mutant: str, tests: list[str]) -> tuple[str, str]:
    """Whether a test noticed, and what was changed."""
    source = mutation.path.read_text()
    change = "".join(
        line
        for line in difflib.unified_diff(source.splitlines(True), mutant.splitlines(True), n=0)
        if line[:2] not in ("--", "++", "@@")
    )
    if not tests:
        return "never run", change
    try:
        mutation.path.write_text(mutant)
        return ("survived" if passes(tests) else "killed"), change
    except subprocess.TimeoutExpired:
        return "hung", change
    finally:
        mutation.path.write_text(source)


def passes(tests: list[str], **more: str) -> bool:
    options = ["-q", "-x", "-p", "no:cacheprovider", "--timeout=120", "--timeout-method=thread"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    environment = {**os.environ, **more}
    ended = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False, env=environment)
    return ended.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    parser.add_argument("--sample", type=int, default=80, help="mutants of each target")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name in options.targets:
        os.environ["LONGTABLE_TEST_STORES"] = TARGETS[name].stores
        found = list(mutations(TARGETS[name]))
        chosen = random.Random(options.seed).sample(found, min(options.sample, len(found)))
        known = covering([f"tests/{each}" for each in TARGETS[name].tests])
        if known is None:
            sys.exit(f"{name}: the tests fail without a change, so they say nothing about one")
        counts: Counter[str] = Counter()
        for mutation in chosen:
            if (mutant := mutated(mutation)) is None:
                continue
            result, change = outcome(mutation, mutant, known.tests_of(mutation))
            counts[result] += 1
            if result != "killed":
                print(f"{result}: {mutation.path}:{mutation.line} {mutation.operator}\n{change}", flush=True)
        unnoticed = ", ".join(f"{number} {result}" for result, number in counts.items() if result != "killed")
        print(
            f"{name}: {counts['killed']} killed, {unnoticed or 'none left'}, of {counts.total()} "
            f"({len(found)} mutants in all)",
            flush=True,
        )


if __name__ == "__main__":
    main()
