"""Where an upstream may be: checked at the connector. Nothing is ever sent here."""

from collections.abc import Sequence
from pathlib import Path

import httpx2
import pytest

from longtable.upstreams.addresses import check_address, check_host
from longtable.upstreams.safety import Destination, DestinationRefused, SafeTransport


def group(name: str) -> list[str]:
    """The words of one group of the table beside this file."""
    table = Path(__file__).with_name("addresses.txt").read_text(encoding="ascii")
    section = table.partition(f"[{name}]\n")[2].partition("\n[")[0]
    return [word.encode().decode("unicode_escape") for word in section.split()]


METADATA, DISGUISED, PUBLIC = group("metadata"), group("disguised"), group("public")
REFUSED = [*group("refused_4"), *group("refused_6")]


def resolving(*addresses: str) -> "Names":
    return Names(addresses)


class Names:
    """Answers the addresses it was given, and the next ones the next time."""

    def __init__(self, *turns: Sequence[str]) -> None:
        self._turns = list(turns)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        return self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]


def test_the_table_has_at_least_two_hundred_addresses() -> None:
    table = [*REFUSED, *DISGUISED]

    assert len(set(table)) >= 200


@pytest.mark.parametrize("address", REFUSED)
async def test_no_name_leads_to_an_address_that_is_not_public(address: str) -> None:
    destination = Destination("api.example.com", resolve=resolving(address))

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", "api.example.com", 443)


# A loopback address in the file is the operator's wish.
@pytest.mark.parametrize("address", [address for address in REFUSED if check_address(address) != "loopback"])
async def test_no_address_that_is_not_public_is_connected_to_by_itself(address: str) -> None:
    destination = Destination(address)

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", address, 443)


@pytest.mark.parametrize("host", DISGUISED)
async def test_no_address_gets_through_in_disguise(host: str) -> None:
    destination = Destination(host, resolve=resolving("8.8.8.8"))

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", host, 443)


@pytest.mark.parametrize("address", PUBLIC)
async def test_ordinary_public_addresses_are_connected_to(address: str) -> None:
    destination = Destination("api.example.com", resolve=resolving(address))

    assert await destination.addresses("https", "api.example.com", 443) == [address]


@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_are_known_as_such(address: str) -> None:
    assert check_address(address) == "a metadata service"


@pytest.mark.parametrize("scheme", ["http", "ftp", "file", "gopher", "ws", ""])
async def test_only_https_leaves_the_machine(scheme: str) -> None:
    destination = Destination("api.example.com", resolve=resolving("8.8.8.8"))

    with pytest.raises(DestinationRefused):
        await destination.addresses(scheme, "api.example.com", 80)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "[::1]", "127.0.0.9"])
async def test_http_on_loopback_is_allowed_when_the_operator_wrote_it(host: str) -> None:
    destination = Destination(host, resolve=resolving("127.0.0.1"))

    assert await destination.addresses("http", host, 80)


async def test_localhost_cannot_be_made_to_mean_another_machine() -> None:
    destination = Destination("localhost", resolve=resolving("8.8.8.8"))

    with pytest.raises(DestinationRefused):
        await destination.addresses("http", "localhost", 80)


@pytest.mark.parametrize("address", ["10.0.0.7", "192.168.1.1", "fd12::1", "127.0.0.1", "100.64.0.1", "8.8.8.8"])
async def test_a_host_that_the_operator_listed_may_be_private(address: str) -> None:
    destination = Destination("db.internal", frozenset({"DB.internal"}), resolving(address))

    assert await destination.addresses("http", "db.internal", 80) == [address]


@pytest.mark.parametrize("address", ["169.254.169.254", "fd00:ec2::254", "224.0.0.1", "0.0.0.0", "::ffff:10.0.0.1"])
async def test_a_listed_name_still_cannot_lead_to_a_metadata_service(address: str) -> None:
    destination = Destination("db.internal", frozenset({"db.internal"}), resolving(address))

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", "db.internal", 443)


async def test_a_listed_address_is_taken_at_the_operators_word() -> None:
    destination = Destination("10.1.2.3", frozenset({"10.1.2.3"}))

    assert await destination.addresses("http", "10.1.2.3", 80) == ["10.1.2.3"]


async def test_listing_one_host_does_not_list_another() -> None:
    destination = Destination("10.1.2.4", frozenset({"10.1.2.3", "internal"}))

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", "10.1.2.4", 443)


async def test_of_several_addresses_only_the_public_ones_are_used() -> None:
    destination = Destination("api.example.com", resolve=resolving("10.0.0.1", "8.8.8.8", "::1"))

    assert await destination.addresses("https", "api.example.com", 443) == ["8.8.8.8"]


async def test_another_host_than_the_upstreams_own_is_refused() -> None:
    destination = Destination("api.example.com", resolve=resolving("8.8.8.8"))

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", "evil.example.com", 443)


class RecordedRequests:
    """Keeps what would be sent, and to which address."""

    def __init__(self) -> None:
        self.sent: list[tuple[httpx2.Request, str]] = []

    async def send(self, request: httpx2.Request, address: str) -> httpx2.Response:
        self.sent.append((request, address))
        return httpx2.Response(200)

    async def close(self) -> None:
        """There is nothing to close."""


async def test_the_connection_goes_to_the_address_that_was_checked_under_the_name_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = Names(["93.184.216.34"], ["127.0.0.1"])
    transport = SafeTransport(Destination("api.example.com", resolve=names))
    recorded = RecordedRequests()
    monkeypatch.setattr(transport, "_connections", recorded)

    async with httpx2.AsyncClient(transport=transport) as client:
        await client.get("https://api.example.com/a?b=c")
        await client.get("https://api.example.com/again")

    assert [address for _, address in recorded.sent] == ["93.184.216.34", "93.184.216.34"]
    assert [request.headers["host"] for request, _ in recorded.sent] == ["api.example.com"] * 2
    assert [request.url.host for request, _ in recorded.sent] == ["api.example.com"] * 2
    assert names.asked == 1


async def test_a_name_that_turns_to_loopback_is_refused_when_it_is_looked_up_again() -> None:
    names = Names(["93.184.216.34"], ["127.0.0.1"])
    destination = Destination("api.example.com", resolve=names)
    await destination.addresses("https", "api.example.com", 443)

    with pytest.raises(DestinationRefused):
        await destination.addresses("https", "api.example.com", 443)


@pytest.mark.parametrize(
    "host", ["example.com", "a-b.example.co.uk", "xn--bcher-kva.example", "my_host", "1password.com"]
)
def test_ordinary_host_names_are_names(host: str) -> None:
    assert check_host(host) is None
