"""Notifiers can stand in a file, which a server follows."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook

from longtable.kernel.clock import DAY
from longtable.kernel.errors import ConfigError, LongtableError
from longtable.storage.database import SYSTEM
from tests.receivers import Receiver
from tests.spec.calling import HERE, asks, person, receiver, run_jobs
from tests.stores import Store
from tests.table import Table, open_table

__all__ = ["receiver"]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
pytestmark = pytest.mark.in_process("runs the jobs of a server by itself")


def write(path: Path, *notifiers: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"notifiers": notifiers}), encoding="utf-8")
    return path


async def follow(table: Table) -> None:
    jobs = {job.name: job for job in table.app.slices.periodic_jobs}
    await jobs["follow_notifiers_file"].run()


async def names(table: Table) -> list[str]:
    return [each["name"] for each in (await (await person(table)).get("/notifiers")).json()["notifiers"]]


async def test_a_server_follows_the_notifiers_of_a_file(
    store: Store, tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    hook = {"tenant": "acme", "name": "hook", "kind": "webhook", "to": receiver.address, "allow_private": True}
    slack = {"tenant": "acme", "name": "team", "kind": "slack", "to": "https://hooks.example.org/services/a"}
    file = write(tmp_path / "notifiers.json", {**hook, "secret": "${env:HOOK_SECRET}"}, slack)
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", notifiers_file=str(file)) as table:
        await table.agent(token="acme-secret").calls("create_session", session_id=HERE, purpose="Plant tulips")
        await follow(table)
        both = await names(table)
        await asks(table.agent("ann", HERE, "acme-secret"))
        write(file, {**hook, "secret": "${env:HOOK_SECRET}"})
        os.utime(file, (DAY, DAY))
        await follow(table)
        one = await names(table)
        await run_jobs(table)
        eva = await person(table)
        refused = await eva.delete("/notifiers/hook")
        shown = (await eva.get("/notifiers")).json()["notifiers"][0]

    assert (both, one) == (["hook", "team"], ["hook"])
    (request,) = receiver.requests
    assert Webhook(SECRET).verify(request.body, request.headers)["type"] == "question"
    assert (refused.status_code, shown["source"], shown["created_by"]) == (409, "file", "longtable")


async def test_what_an_owner_has_added_stays_beside_the_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    file = write(tmp_path / "notifiers.json")
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", notifiers_file=str(file)) as table:
        own = {"name": "team", "kind": "slack", "to": "https://hooks.example.org/own"}
        await (await person(table)).post("/notifiers", json=own)
        write(file, {**own, "tenant": "acme", "to": "https://hooks.example.org/of-the-file"})
        await follow(table)

        (shown,) = (await (await person(table)).get("/notifiers")).json()["notifiers"]

    assert shown["source"] == "added"


async def test_a_change_of_the_file_is_followed_although_the_store_was_away_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    store = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    slack = {"tenant": "acme", "name": "team", "kind": "slack", "to": "https://hooks.example.org/services/a"}
    file = write(tmp_path / "notifiers.json", slack)
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", notifiers_file=str(file)) as table:
        await table.app.database.write(SYSTEM, lambda tx: tx.execute("ALTER TABLE notifiers RENAME TO away"))
        with pytest.raises(LongtableError):
            await follow(table)
        await table.app.database.write(SYSTEM, lambda tx: tx.execute("ALTER TABLE away RENAME TO notifiers"))

        await follow(table)

        assert await names(table) == ["team"]


async def test_a_wrong_file_is_told_of_once_until_it_changes(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    file = write(tmp_path / "notifiers.json")
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", notifiers_file=str(file)) as table:
        file.write_text("no JSON", encoding="utf-8")

        with pytest.raises(ConfigError):
            await follow(table)
        await follow(table)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"name": "a", "kind": "webhook", "to": "https://example.org/"}, "secret"),
        ({"name": "a", "kind": "slack", "to": "https://10.0.0.1/"}, "private"),
        ({"name": "a", "kind": "slack", "to": "${env:NOT_SET}"}, "NOT_SET"),
        ({"name": "a", "kind": "pigeon", "to": "https://example.org/"}, "kind"),
        ({"name": "a", "kind": "slack", "to": "https://example.org/", "colour": "red"}, "colour"),
    ],
)
async def test_a_wrong_file_is_told_before_anything_starts(tmp_path: Path, wrong: dict[str, Any], told: str) -> None:
    file = write(tmp_path / "notifiers.json", wrong)

    with pytest.raises(ConfigError) as refused:
        async with open_table(
            Store("sqlite", str(tmp_path / "data" / "longtable.db")), tmp_path, notifiers_file=str(file)
        ):
            pass

    assert told in refused.value.message
    assert refused.value.message.startswith("notifiers_file: ")
