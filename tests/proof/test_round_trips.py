"""The same as in tests/spec/transfer, in the full number."""

import tempfile
from pathlib import Path

import pytest

from tests.spec.transfer.generated import generated_notebook, generated_session
from tests.spec.transfer.transfers import exported, imported, opened
from tests.stores import Store

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]


async def test_1000_sessions_and_notebooks_go_to_postgresql_and_back(replicated: Store, tmp_path: Path) -> None:
    embedded = [Store("sqlite", str(tmp_path / name / "longtable.db")) for name in ("first", "last")]
    async with (
        opened(embedded[0], tmp_path) as first,
        opened(replicated, tmp_path) as middle,
        opened(embedded[1], tmp_path) as last,
    ):
        for seed in range(1_000):
            session, notebook = generated_session(seed), generated_notebook(seed)
            with tempfile.TemporaryDirectory() as folder:
                for app in (first, middle, last):
                    await imported(app, session, Path(folder))
                    await imported(app, notebook, Path(folder))
                    session = await exported(app, session_id=f"session-{seed}")
                    notebook = await exported(app, scratch_id=f"pad.{seed}")

            assert session == generated_session(seed), seed
            assert notebook == generated_notebook(seed), seed
