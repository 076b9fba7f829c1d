"""A server that calls people when a test says so, who it calls, and who asks."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.receivers import Receiver, http_receiver
from tests.stores import Store
from tests.table import Agent, Table, open_table

HERE = "sess_acme"
SECRET_TEXT = "the word is swordfish"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with http_receiver() as started:
        yield started


@pytest.fixture
async def calm(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Table]:
    """Two tenants, and jobs that run when a test says so."""
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    tokens = "acme:acme-secret,rival:rival-secret"
    async with open_table(store, tmp_path, auth_tokens=tokens, public_url="https://table.example.org") as opened:
        await opened.agent(token="acme-secret").calls("create_session", session_id=HERE, purpose="Plant tulips")
        yield opened


@pytest.fixture
def ann(calm: Table) -> Agent:
    return calm.agent("ann", HERE, "acme-secret")


async def person(table: Table, role: Role = Role.OWNER, tenant: str = "acme") -> Any:
    credential = Credential(tenant, role, "eva", agent="eva" if role is Role.AGENT else None)
    return table.agent(token=(await table.app.tokens.create(credential, None)).secret).client


async def add(table: Table, to: str, **more: Any) -> dict[str, Any]:
    """A webhook, unless something else is said."""
    tenant = more.pop("tenant", "acme")
    wish = {"name": "hook", "kind": "webhook", "to": to, "allow_private": True, **more}
    answer = await (await person(table, tenant=tenant)).post("/notifiers", json=wish)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def asks(agent: Agent, **more: Any) -> None:
    await agent.calls("add_question", question=SECRET_TEXT, options=["swordfish", "no"], blocking=True, **more)


async def run_jobs(table: Table) -> None:
    """As a server does every second."""
    jobs = {job.name: job for job in table.app.slices.periodic_jobs}
    await jobs["collect_notices"].run()
    await jobs["send_notices"].run()


async def deliveries(table: Table, name: str = "hook", tenant: str = "acme") -> list[dict[str, Any]]:
    answer = await (await person(table, tenant=tenant)).get(f"/notifiers/{name}/deliveries")
    found: list[dict[str, Any]] = answer.json()["deliveries"]
    return found
