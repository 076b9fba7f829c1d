"""Clients that people use, connected over streamable HTTP with an open stream and subscriptions."""

from pathlib import Path

import pytest

from tests.e2e.servers import Processes, place_of
from tests.restarts.clients import KINDS
from tests.restarts.restarting import check_that_clients_notice_nothing
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


async def test_every_client_writes_to_its_own_session_and_hears_of_every_event(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    clients = list(KINDS.values())

    await check_that_clients_notice_nothing(processes, place_of(store, tmp_path), tmp_path / "clients", clients, [])
