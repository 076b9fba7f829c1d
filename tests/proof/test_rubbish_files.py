"""The same as in tests/spec/transfer, many more of each."""

import random
from pathlib import Path

import pytest

from tests.mixed.file_checks import FileChecks
from tests.stores import Store
from tests.table import open_table

pytestmark = pytest.mark.timeout(3600)


async def test_thirty_thousand_files_full_of_rubbish_are_refused_in_our_words(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rubbish"
    folder.mkdir()
    monkeypatch.chdir(folder)
    checks = FileChecks(folder, random.Random(5))
    async with open_table(store, tmp_path) as table:
        ada = table.agent("ada", await table.session("sess_one"))
        await ada.adds_note("a note")
        await ada.calls("add_tasks", tasks=[{"description": "a task"}])
        await ada.calls("scratch_create", scratch_id="pad")

        await checks.configurations(13_000)
        await checks.gateway_files(13_000)
        await checks.imports(table.app, 4_000)

    assert checks.wrong == []
