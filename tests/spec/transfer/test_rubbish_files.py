"""Configurations, gateway files and imports with something wrong in them: refused in our words, or read."""

import random
from pathlib import Path

import pytest

from tests.mixed.file_checks import FileChecks
from tests.table import Table

pytestmark = pytest.mark.slow


async def test_files_full_of_rubbish_are_refused_in_our_words(
    filled: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rubbish"
    folder.mkdir()
    monkeypatch.chdir(folder)
    checks = FileChecks(folder, random.Random(4))

    await checks.configurations(300)
    await checks.gateway_files(300)
    await checks.imports(filled.app, 200)

    assert checks.wrong == []
    assert len(checks.outcomes) == 6, "of each some are read, and some refused"
