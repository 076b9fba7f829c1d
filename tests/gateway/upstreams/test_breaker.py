"""When an upstream is left alone, and when it is tried again."""

import pytest

from longtable.kernel.errors import UpstreamError
from longtable.upstreams.backoff import PROGRAM_GROWTH, RestartBackoff
from longtable.upstreams.circuit_breaker import CircuitBreaker
from tests.gateway.upstreams.conftest import Time


def broken(clock: Time) -> CircuitBreaker:
    breaker = CircuitBreaker("files", clock=clock)
    for _ in range(5):
        breaker.admit()
        breaker.failed()
    return breaker


def test_five_failures_in_a_row_open_the_circuit() -> None:
    breaker = broken(Time())

    with pytest.raises(UpstreamError) as refused:
        breaker.admit()

    assert breaker.is_open
    assert refused.value.details["retry_after"] == 30.0


def test_a_success_in_between_keeps_it_closed() -> None:
    breaker = CircuitBreaker("files", clock=Time())

    for failed in (True, True, True, True, False, True, True, True, True):
        breaker.admit()
        breaker.failed() if failed else breaker.succeeded()

    assert not breaker.is_open


def test_after_the_pause_exactly_one_call_tries() -> None:
    clock = Time()
    breaker = broken(clock)
    clock.now += 30

    breaker.admit()

    with pytest.raises(UpstreamError):
        breaker.admit()


def test_a_trial_that_works_closes_the_circuit() -> None:
    clock = Time()
    breaker = broken(clock)
    clock.now += 30

    breaker.admit()
    breaker.succeeded()

    assert not breaker.is_open


def test_a_trial_that_fails_opens_it_for_as_long_again() -> None:
    clock = Time()
    breaker = broken(clock)
    clock.now += 30

    breaker.admit()
    breaker.failed()
    clock.now += 29.5

    with pytest.raises(UpstreamError):
        breaker.admit()


def test_a_trial_whose_caller_went_away_lets_the_next_one_try() -> None:
    clock = Time()
    breaker = broken(clock)
    clock.now += 30

    breaker.admit()
    breaker.abandoned()

    breaker.admit()


def test_pauses_between_starts_grow_to_a_limit() -> None:
    clock = Time()
    backoff = RestartBackoff(max_starts=100, clock=clock, jitter=lambda: 1.0)
    pauses = []

    for _ in range(12):
        backoff.starting()
        backoff.ended()
        pauses.append(backoff.delay())
        clock.now += pauses[-1]

    assert [round(pause, 6) for pause in pauses[:4]] == [0.25, 0.5, 1.0, 2.0]
    assert round(pauses[-1], 6) == 60.0


def test_a_program_that_ends_at_once_is_started_three_times_in_five_seconds_at_most() -> None:
    clock = Time()
    backoff = RestartBackoff(growth=PROGRAM_GROWTH, clock=clock, jitter=lambda: 1.0)
    begun, starts = clock.now, 0

    while clock.now < begun + 5:
        backoff.starting()
        backoff.ended()
        starts += 1
        clock.now += backoff.delay()

    assert starts == 3


def test_pauses_vary_so_that_not_all_start_at_once() -> None:
    clock = Time()
    shortest, longest = RestartBackoff(clock=clock, jitter=lambda: 0.0), RestartBackoff(clock=clock, jitter=lambda: 1.0)

    shortest.ended()
    longest.ended()

    assert shortest.delay() == pytest.approx(longest.delay() / 2)


def test_a_process_is_started_ten_times_in_ten_minutes_at_most() -> None:
    clock = Time()
    backoff = RestartBackoff(clock=clock, jitter=lambda: 0.0)

    for _ in range(10):
        clock.now += backoff.delay()
        backoff.starting()
        backoff.ended()

    assert backoff.delay() > 300


def test_what_has_run_for_a_minute_starts_again_at_once_when_it_ends() -> None:
    clock = Time()
    backoff = RestartBackoff(clock=clock, jitter=lambda: 1.0)
    for _ in range(5):
        backoff.starting()
        backoff.ended()
    backoff.opened()
    clock.now += 61

    backoff.ended()

    assert backoff.delay() == pytest.approx(0.25)


def test_a_program_that_rests_between_its_calls_is_no_crash_loop() -> None:
    clock = Time()
    backoff = RestartBackoff(clock=clock, jitter=lambda: 1.0)

    for _ in range(20):
        backoff.starting()
        backoff.opened()
        clock.now += 30
        backoff.rested()
        clock.now += 15

    assert backoff.delay() == 0


def test_starts_before_a_rest_still_count() -> None:
    clock = Time()
    backoff = RestartBackoff(clock=clock, jitter=lambda: 0.0)
    for _ in range(9):
        backoff.starting()
        backoff.ended()
    backoff.starting()
    backoff.opened()

    backoff.rested()
    backoff.starting()
    backoff.ended()

    assert backoff.delay() > 300
