"""A pytest plugin for the second run of tests that failed, one at a time. What passes now is named at the end, so that
somebody repairs it. More than a few are no accident and stay failed."""

import pytest

_FEW = 8


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if len(items) > _FEW:
        pytest.exit(f"{len(items)} tests failed: they are not run again", returncode=pytest.ExitCode.TESTS_FAILED)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for report in terminalreporter.getreports("passed"):
        if report.when == "call":
            terminalreporter.write_line(f"UNSTABLE {report.nodeid}: failed, and passed when it was run alone")
