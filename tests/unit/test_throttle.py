"""Guessing credentials: slowed down for an address and for a credential, by network where addresses are plenty."""

import pytest

from longtable.identity.throttle import MAX_FAILURES, WINDOW, SignInThrottle
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import RateLimited


class Guessing:
    def __init__(self) -> None:
        self.now = 0
        self.guesses = 0
        self.throttle = SignInThrottle(lambda: self.now)

    def waits(self, address: str | None, secret: str | None = None) -> int:
        """Seconds that the refusal of a wrong credential names; 0 for one that may be tried again at once."""
        self.guesses += 1
        refusal = self.throttle.refusal(address, secret or f"guess {self.guesses}")
        return int(refusal.details["retry_after"]) if isinstance(refusal, RateLimited) else 0

    def fails(self, address: str | None, secret: str | None = None) -> None:
        assert [self.waits(address, secret) for _ in range(MAX_FAILURES)] == [0] * MAX_FAILURES


@pytest.mark.parametrize(
    ("address", "same", "other"),
    [
        ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:1::1"),
        ("no address", "no address", "another"),
        (None, None, "192.0.2.7"),
    ],
)
def test_an_address_that_failed_often_waits_and_others_do_not(
    address: str | None, same: str | None, other: str | None
) -> None:
    guessing = Guessing()
    guessing.fails(address)

    assert guessing.waits(same) == WINDOW // SECOND + 1
    assert guessing.waits(other) == 0


def test_a_credential_that_failed_often_waits_wherever_it_comes_from() -> None:
    guessing = Guessing()
    for number in range(MAX_FAILURES):
        assert guessing.waits(f"192.0.2.{number}", "the same") == 0

    assert guessing.waits("198.51.100.1", "the same") > 0
    assert guessing.waits("198.51.100.2", "another") == 0


def test_a_failure_counts_for_a_minute_and_refusals_do_not_prolong_it() -> None:
    guessing = Guessing()
    guessing.fails("192.0.2.7")

    guessing.now = WINDOW - SECOND
    assert guessing.waits("192.0.2.7") == 2
    guessing.now = WINDOW
    assert guessing.waits("192.0.2.7") == 0
