"""Clients that people use call and listen while the server is stopped and started: they notice nothing."""

import signal
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, place_of
from tests.restarts.clients import KINDS
from tests.restarts.restarting import check_that_clients_notice_nothing, worker_lost
from tests.restarts.service import RestartedService
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


async def test_no_client_notices_that_a_worker_stops_or_is_killed(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    service = RestartedService(processes, place_of(store, tmp_path))
    rounds = [worker_lost(signal.SIGTERM), worker_lost(signal.SIGKILL)]

    await check_that_clients_notice_nothing(service, tmp_path / "clients", list(KINDS.values()), rounds)
