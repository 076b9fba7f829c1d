"""The processes that check cells: warm, capped, replaced when they die or hang, and never left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time

import pytest

from longtable.kernel.errors import ShuttingDown, ValidationTimeout
from longtable.validation.service import Validation, ValidationLimits
from tests.validation.watching import HANGING, PATIENCE, busy_worker, cell, check_text, outlive, until_workers, workers


async def test_no_process_is_started_before_it_is_needed(validation: Validation) -> None:
    assert workers() == []

    await check_text(validation, "txt", "nothing to parse")

    assert workers() == []


async def test_processes_are_kept_for_the_next_cell(validation: Validation) -> None:
    await check_text(validation, "json", "1")
    before = {process.pid for process in await until_workers(2)}

    for number in range(20):
        await check_text(validation, "json", str(number))

    assert {process.pid for process in workers()} == before


async def test_a_cell_whose_worker_is_killed_gets_a_warning_and_the_others_their_answers(
    validation: Validation,
) -> None:
    await check_text(validation, "json", "1")
    checking = asyncio.create_task(validation.check([HANGING, cell("json", "[1,]", index=1)]))
    busy = await busy_worker()

    os.kill(busy.pid, signal.SIGSEGV)
    died, other = await checking

    assert [warning.code for warning in died.warnings] == ["CHECKER_FAILED"]
    assert (died.valid, died.details.syntax.checked) == (True, False)
    assert [error.code for error in other.errors] == ["SYNTAX_ERROR"]


async def test_a_worker_that_someone_kills_between_two_cells_is_replaced(validation: Validation) -> None:
    await check_text(validation, "json", "1")
    first, second = await until_workers(2)

    first.kill()
    second.kill()
    result = await check_text(validation, "json", "2")

    assert result.warnings == []
    assert {process.pid for process in workers()}.isdisjoint({first.pid, second.pid})


@pytest.mark.slow
async def test_a_request_that_takes_too_long_fails_whole(hasty: Validation) -> None:
    await check_text(hasty, "json", "1")
    begun = time.perf_counter()

    with pytest.raises(ValidationTimeout) as refused:
        await hasty.check([cell("json", "{}", index=1), HANGING])

    assert 0.9 < time.perf_counter() - begun < 1.0 + PATIENCE
    assert refused.value.details == {"seconds": 1.0}


@pytest.mark.slow
async def test_a_late_worker_is_killed_and_replaced(hasty: Validation) -> None:
    await check_text(hasty, "json", "1")
    checking = asyncio.create_task(hasty.check([HANGING]))
    late = await busy_worker()

    with pytest.raises(ValidationTimeout):
        await checking

    await until_workers(2, but={late.pid})
    assert (await check_text(hasty, "json", "[1,]")).valid is False


@pytest.mark.slow
async def test_slow_cells_of_one_request_leave_a_worker_to_the_others(hasty: Validation) -> None:
    await check_text(hasty, "json", "1")
    slow = asyncio.create_task(hasty.check([HANGING, cell("json", "2", HANGING.schema)]))
    await busy_worker()

    result = await check_text(hasty, "json", "[1,]")

    assert not slow.done()
    assert result.valid is False
    with pytest.raises(ValidationTimeout):
        await slow


@pytest.mark.slow
async def test_slow_requests_of_one_party_leave_a_worker_to_the_others(hasty: Validation) -> None:
    await check_text(hasty, "json", "1")
    slow = [asyncio.create_task(hasty.check([HANGING], party="acme")) for _ in range(3)]
    await busy_worker()

    [result] = await hasty.check([cell("json", "[1,]")], party="rival")

    assert result.valid is False
    outcomes = await asyncio.gather(*slow, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ValidationTimeout] * 3


@pytest.mark.slow
async def test_a_caller_that_goes_away_leaves_no_worker_busy(validation: Validation) -> None:
    await check_text(validation, "json", "1")
    checking = asyncio.create_task(validation.check([HANGING]))
    busy = await busy_worker()

    checking.cancel()

    await asyncio.gather(checking, return_exceptions=True)
    await until_workers(2, but={busy.pid})


async def test_a_worker_is_renewed_after_many_jobs() -> None:
    validation = Validation(ValidationLimits(workers=1))
    await check_text(validation, "json", "0")
    [first] = workers()

    await validation.check([cell("json", str(number), index=number) for number in range(500)])
    await check_text(validation, "json", "{}")

    [second] = await until_workers(1, but={first.pid})
    assert second.pid != first.pid
    await validation.close()


async def test_closing_ends_the_processes_and_refuses_what_waits() -> None:
    validation = Validation(ValidationLimits())
    checking = asyncio.create_task(validation.check([HANGING, cell("json", "1", index=1)]))
    await until_workers(2)

    await validation.close()

    assert workers() == []
    with pytest.raises(ShuttingDown):
        await checking
    with pytest.raises(ShuttingDown):
        await check_text(validation, "json", "2")


async def test_workers_see_no_secret_and_none_of_our_files(
    validation: Validation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGTABLE_TOKEN", "a-secret")

    await check_text(validation, "json", "1")

    [worker, _] = await until_workers(2)
    assert "LONGTABLE_TOKEN" not in worker.environ()
    assert worker.cwd() == os.sep
    assert worker.net_connections() == []


SERVER = """
import asyncio
from longtable.validation.service import Validation, ValidationLimits
from tests.validation.watching import HANGING, check_text

async def main():
    validation = Validation(ValidationLimits())
    print((await check_text(validation, "py", "print(1)")).valid, flush=True)
    await validation.check([HANGING])

asyncio.run(main())
"""


@pytest.mark.slow
def test_no_worker_outlives_a_server_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        left = workers(server.pid)

        server.kill()

        alive = outlive(left)
    assert left != []
    assert alive == []


@pytest.mark.slow
def test_nothing_but_the_server_writes_to_its_standard_output() -> None:
    code = SERVER.replace("    await validation.check([HANGING])", "    await validation.close()")

    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)

    assert (finished.stdout, finished.stderr) == ("True\n", "")
