"""Owners say where people are called; addresses are checked, and secrets shown once."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.storage.database import Transaction
from tests.receivers import Receiver
from tests.spec.calling import add, ann, asks, calm, deliveries, person, receiver, run_jobs
from tests.table import Agent, Table

__all__ = ["ann", "calm", "receiver"]
pytestmark = pytest.mark.in_process("runs the jobs of a server by itself")


REFUSED = (
    "http://127.0.0.1:8080/",
    "https://localhost/",
    "https://10.0.0.1/hook",
    "https://[::1]/",
    "https://[fd00::1]/",
    "https://169.254.169.254/latest",
    "https://0x7f.1/",
    "http://hooks.example.org/",
    "https://eva:word@example.org/",
    "ftp://example.org/",
    "example.org",
    "https://",
)


async def test_an_address_that_is_private_or_none_is_refused(calm: Table) -> None:
    eva = await person(calm)

    for to in REFUSED:
        answer = await eva.post("/notifiers", json={"name": "hook", "kind": "webhook", "to": to})

        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ARGUMENT"), to
        assert answer.json()["error"]["error"].startswith("to: ")


async def test_a_metadata_service_is_refused_even_where_private_addresses_are_allowed(calm: Table) -> None:
    wish = {"name": "hook", "kind": "webhook", "to": "http://169.254.169.254/latest", "allow_private": True}

    answer = await (await person(calm)).post("/notifiers", json=wish)

    assert answer.status_code == 400


async def test_a_public_name_that_leads_to_a_private_address_is_refused_when_it_is_connected_to(
    calm: Table, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def rebound(*_: Any, **__: Any) -> list[Any]:
        return [(2, 1, 6, "", ("127.0.0.1", int(receiver.address.rpartition(":")[2])))]

    await add(calm, "https://hooks.example.org/", allow_private=False)
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", rebound)

    tested = (await (await person(calm)).post("/notifiers/hook/test")).json()

    assert tested["delivered"] is False
    assert "loopback" in tested["delivery"]["problem"]
    assert receiver.requests == []


async def test_one_e_mail_address_is_one_e_mail_address(calm: Table) -> None:
    eva = await person(calm)

    for to in ("ada", "ada@example.org, eve@example.org", "ada@example.org\r\nBcc: eve@x.org", "ada@"):
        answer = await eva.post("/notifiers", json={"name": "mail", "kind": "email", "to": to})

        assert answer.json()["error"]["error"] == "to: must be one e-mail address"


async def test_e_mail_needs_a_mail_server(calm: Table) -> None:
    wish = {"name": "mail", "kind": "email", "to": "ada@example.org"}

    answer = await (await person(calm)).post("/notifiers", json=wish)

    assert answer.status_code == 400
    assert "smtp_host" in answer.json()["error"]["error"]


async def test_only_owners_have_anything_to_do_with_notifiers(calm: Table) -> None:
    wish = {"name": "hook", "kind": "webhook", "to": "https://example.org/"}

    for role in (Role.HUMAN, Role.ORCHESTRATOR, Role.READER):
        client = await person(calm, role)
        answers = [
            await client.get("/notifiers"),
            await client.post("/notifiers", json=wish),
            await client.delete("/notifiers/hook"),
            await client.post("/notifiers/hook/test"),
            await client.get("/notifiers/hook/deliveries"),
        ]

        assert {answer.status_code for answer in answers} == {403}


async def test_a_tenant_has_its_own_notifiers_and_hears_of_its_own_alone(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await add(calm, f"{receiver.address}/acme")
    await add(calm, f"{receiver.address}/rival", tenant="rival")
    await asks(ann)

    await run_jobs(calm)

    assert [request.path for request in receiver.requests] == ["/acme"]
    assert await deliveries(calm, tenant="rival") == []
    rival = await person(calm, tenant="rival")
    assert (await rival.delete("/notifiers/hook")).status_code == 200
    assert (await rival.post("/notifiers/hook/test")).status_code == 404
    assert (await (await person(calm)).get("/notifiers")).json()["count"] == 1


async def _everything(tx: Transaction) -> list[Any]:
    tables = ("notifiers", "notices", "idempotency", "audit", "events")
    return [await tx.all(f"SELECT * FROM {table}") for table in tables]


async def test_the_secret_is_shown_once_and_kept_encrypted(calm: Table, receiver: Receiver) -> None:
    eva = await person(calm)
    to = "https://hooks.example.org/deep/path?token=hush"
    wish = {"json": {"name": "hook", "kind": "webhook", "to": to}, "headers": {"Idempotency-Key": "k"}}

    first, again = [(await eva.post("/notifiers", **wish)).json() for _ in range(2)]

    assert first["secret"].startswith("whsec_")
    assert again["secret"] is None
    listed = (await eva.get("/notifiers")).text
    rows = await calm.app.database.read("*", _everything)
    assert first["secret"].removeprefix("whsec_") not in f"{listed}{rows}"
    assert "hush" not in f"{listed}{rows}"


async def test_of_twenty_that_add_one_name_at_once_one_does(calm: Table, receiver: Receiver) -> None:
    wish = {"name": "hook", "kind": "webhook", "to": "https://example.org/"}
    eva = await person(calm)

    answers = await asyncio.gather(*(eva.post("/notifiers", json=wish) for _ in range(20)))

    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 19]
    removals = await asyncio.gather(*(eva.delete("/notifiers/hook") for _ in range(20)))
    assert sorted(answer.status_code for answer in removals) == [200, *[404] * 19]


async def test_of_twenty_tests_at_once_few_are_sent(calm: Table, receiver: Receiver) -> None:
    await add(calm, receiver.address)
    eva = await person(calm)

    answers = await asyncio.gather(*(eva.post("/notifiers/hook/test") for _ in range(20)))

    assert {answer.status_code for answer in answers} == {200, 429}
    assert len(receiver.requests) == 5


async def test_adding_testing_and_removing_is_in_the_audit_log(calm: Table, receiver: Receiver) -> None:
    await add(calm, receiver.address)
    eva = await person(calm)

    await eva.post("/notifiers/hook/test")
    await eva.delete("/notifiers/hook")

    records = (await eva.get("/audit?limit=20")).json()["entries"]
    found = {record["event_type"] for record in records if record["object"] == "notifier:hook"}
    assert found == {"notifier_added", "notifier_tested", "notifier_removed"}
