"""`make fast` ends in time, and leaves nothing out for long."""

from dataclasses import replace

from tests.fast import ALL_UNTIL, RELATED_UNTIL, Candidate, plan

LEASES = "tests/spec/test_plan_leases.py"
PLAN = "tests/spec/test_plan.py"
NOTES = "tests/spec/test_notes.py"


def test_what_was_changed_is_tested_first_and_the_nearest_before_the_rest() -> None:
    names = [
        f"{NOTES}::test_c",
        f"{PLAN}::test_b",
        f"{LEASES}::test_slow",
        f"{LEASES}::test_a[1]",
        f"{LEASES}::test_a[2]",
    ]
    tests = [Candidate(name, 2.0 if "slow" in name else 0.01, 0.0) for name in names]

    assert order(tests, [LEASES, PLAN], {LEASES}) == [names[3], names[2], names[4], names[1], names[0]]


def test_nothing_begins_that_would_end_too_late() -> None:
    ours, other = Candidate(f"{PLAN}::test_a", 4.0, 0.0), Candidate(f"{NOTES}::test_b", 2.0, 0.0)

    assert [each.begins_before for each in plan([ours, other], [PLAN], set())] == [RELATED_UNTIL - 4, ALL_UNTIL - 2]


def test_each_time_another_example_of_a_test_runs() -> None:
    examples = [Candidate(f"{NOTES}::test_a[{n}]", 0.01, float(n)) for n in (3, 1, 2)]

    assert order(examples, [], set())[0] == f"{NOTES}::test_a[1]"


def test_everything_has_its_turn() -> None:
    tests = [Candidate(f"{NOTES}::test_{n // 4}[{n}]", 0.05 + n % 30 / 10, 0.0) for n in range(100)]
    waiting = {test.nodeid for test in tests}

    for run in range(1, 20):
        ran, left = set(), ALL_UNTIL
        seconds = {test.nodeid: test.seconds for test in tests}
        for nodeid in order(tests, [], set()):
            left -= seconds[nodeid]
            if left > 0:
                ran.add(nodeid)
        tests = [replace(test, last_run=float(run)) if test.nodeid in ran else test for test in tests]
        waiting -= ran

    assert waiting == set()


def test_what_takes_long_waits_for_a_change_of_its_subject_and_what_takes_minutes_never_runs() -> None:
    long, endless = Candidate(f"{PLAN}::test_a", 8.0, 0.0), Candidate(f"{PLAN}::test_b", 0.5, 0.0, never=True)

    assert order([long, endless], [], set()) == []
    assert order([long, endless], [PLAN], set()) == [long.nodeid]


def order(tests: list[Candidate], related: list[str], named: set[str]) -> list[str]:
    return [each.nodeid for each in plan(tests, related, named)]
