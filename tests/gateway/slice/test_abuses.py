"""Hundreds of attempts, at every door, to have something run that no person has allowed: nothing runs."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from longtable.gateway.model import ExactCall
from tests.gateway.slice.abuses import Abuses
from tests.gateway.slice.gateway import AUTH_ON, GatewayServer, opened
from tests.gateway.slice.test_binding import POST
from tests.stores import Store

pytestmark = pytest.mark.slow
ABUSES = 320
REFUSALS = {
    *("CONFIRMATION_INVALID", "CONFIRMATION_REQUIRED", "CONFIRMATION_DENIED", "SESSION_MISMATCH", "INVALID_ARGUMENT"),
}


@pytest.fixture
async def gateway(store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
    options = {**AUTH_ON, "call_rate": "0", "gateway_listing": "search"}
    async with opened(store, tmp_path, options, rate_limits={"tool": "100000/s"}) as result:
        for session in ("sess_one", "sess_two"):
            await result.agent(token="acme-secret").calls("create_session", session_id=session)
        yield result


async def test_no_abuse_of_an_approval_runs_anything(gateway: GatewayServer) -> None:
    abuses = Abuses(gateway, random.Random(5))
    await abuses.prepare()
    before = gateway.ran()

    await abuses.run(ABUSES)

    assert gateway.ran() == before == [{**POST, "note": "used"}]
    assert set(abuses.codes) <= REFUSALS
    assert len(abuses.tried) == 8
    # What a person has allowed still runs, once.
    assert [(await abuses.call("approved", abuses.alice)).code for _ in range(2)] == ["SUCCESS", "CONFIRMATION_INVALID"]
    assert len(gateway.ran()) == 2


async def test_an_approval_that_is_bound_to_no_arguments_is_abused_at_once(
    gateway: GatewayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: an approval forgets the arguments of its call."""
    abuses = Abuses(gateway, random.Random(5))
    await abuses.prepare()
    real = vars(ExactCall)["digest"].fget
    inputs = {**POST, "note": "approved"}
    monkeypatch.setattr(ExactCall, "digest", property(lambda call: real(replace(call, inputs=inputs))))

    await abuses.run(40)

    assert len(gateway.ran()) > 1
