"""The same as in tests/restarts, ten times over, with more workers, and with several servers behind a balancer."""

import signal
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, place_of
from tests.restarts.clients import KINDS
from tests.restarts.fleet import fleet_of
from tests.restarts.restarting import (
    check_that_clients_notice_nothing,
    restarted,
    server_lost,
    worker_lost,
    workers_renewed,
)
from tests.restarts.service import RestartedService
from tests.stores import Store

EVERYBODY = list(KINDS.values())


@pytest.mark.parametrize("workers", ["1", "3"])
async def test_no_client_notices_ten_restarts_of_workers_and_of_the_service(
    processes: Processes, store: Store, tmp_path: Path, workers: str
) -> None:
    service = RestartedService(processes, {**place_of(store, tmp_path), "workers": workers})
    every_way = [
        workers_renewed(),
        worker_lost(signal.SIGTERM),
        worker_lost(signal.SIGKILL),
        restarted(signal.SIGTERM),
        restarted(signal.SIGKILL),
    ]

    await check_that_clients_notice_nothing(service, tmp_path / "clients", EVERYBODY, every_way * 2)


@pytest.mark.parametrize("workers", ["1", "3"])
async def test_clients_that_go_on_calling_lose_no_write_and_no_event_to_ten_restarts(
    processes: Processes, store: Store, tmp_path: Path, workers: str
) -> None:
    service = RestartedService(processes, {**place_of(store, tmp_path), "workers": workers})
    every_way = [worker_lost(signal.SIGKILL), restarted(signal.SIGTERM), restarted(signal.SIGKILL)]
    rounds = [one.while_calling() for one in every_way * 3] + [workers_renewed()]

    await check_that_clients_notice_nothing(service, tmp_path / "clients", EVERYBODY, rounds)


@pytest.mark.parametrize("servers", [2, 3])
async def test_no_client_notices_that_servers_behind_a_balancer_come_and_go(
    processes: Processes, store: Store, tmp_path: Path, servers: int
) -> None:
    rounds = [server_lost(signal.SIGTERM), server_lost(signal.SIGKILL)] * 5
    with fleet_of(servers, processes, place_of(store, tmp_path), tmp_path) as fleet:
        await check_that_clients_notice_nothing(fleet, tmp_path / "clients", EVERYBODY, rounds)


async def test_clients_that_go_on_calling_through_a_balancer_lose_no_write_and_no_event(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    every_way = [server_lost(signal.SIGTERM), server_lost(signal.SIGKILL)]
    rounds = [one.while_calling() for one in every_way * 5]
    with fleet_of(3, processes, place_of(store, tmp_path), tmp_path) as fleet:
        await check_that_clients_notice_nothing(fleet, tmp_path / "clients", EVERYBODY, rounds)
