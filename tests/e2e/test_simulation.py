"""What the page about scale says comes out of the simulation, and the simulation out of what is true."""

from benchmarks.simulate import PAGE, FanOut, Tenant, WritePath, deliver, filled


def test_the_tables_about_scale_are_those_of_the_simulation() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert filled(page) == page, "run python -m benchmarks.simulate --write"


def test_a_lone_writer_waits_for_its_own_round_trips_and_no_more() -> None:
    path = WritePath(round_trip_ms=1.0, of_each=2, of_commit=1, outside=1, commit_ms=0.0, each_ms=0.5)

    found = Tenant(path, writers=1, replicas=1).run(1)

    assert found.p50 == found.p95
    assert round(found.p50, 6) == 4.5


def test_writers_that_wait_together_share_a_commit() -> None:
    path = WritePath(round_trip_ms=1.0, of_each=0, of_commit=4)

    alone, together = (Tenant(path, writers, replicas=1).run(2) for writers in (1, 64))

    assert together.batch > 30
    assert together.per_second > 5 * alone.per_second


def test_a_replica_with_more_to_deliver_than_time_is_seen_to_have_it() -> None:
    _, idle = deliver(FanOut(replicas=1, events_per_second=1, listeners=1, calls_per_second=0))
    _, overloaded = deliver(FanOut(replicas=1, events_per_second=100, listeners=1_000, calls_per_second=0))

    assert idle < 0.01
    assert overloaded > 1
