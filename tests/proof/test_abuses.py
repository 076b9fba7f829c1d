"""The same as in tests/gateway/slice, five thousand times."""

import random
from pathlib import Path

import pytest

from tests.gateway.slice.abuses import Abuses
from tests.gateway.slice.gateway import AUTH_ON, opened
from tests.stores import Store

pytestmark = pytest.mark.timeout(1800)


async def test_five_thousand_abuses_of_approvals_run_nothing(store: Store, tmp_path: Path) -> None:
    options = {**AUTH_ON, "call_rate": "0", "gateway_listing": "search"}
    async with opened(store, tmp_path, options, rate_limits={"tool": "100000/s"}) as gateway:
        for session in ("sess_one", "sess_two"):
            await gateway.agent(token="acme-secret").calls("create_session", session_id=session)
        abuses = Abuses(gateway, random.Random(6))
        await abuses.prepare()

        await abuses.run(5_000)

        assert len(gateway.ran()) == 1, "the one that was allowed and used"
        print(abuses.codes)
        assert "SUCCESS" not in abuses.codes
