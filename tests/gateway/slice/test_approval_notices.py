"""A call that waits for approval calls people, without what it would do."""

import json

import pytest

from longtable.kernel.caller import Role
from tests.gateway.slice.gateway import DELETE, GatewayServer, use
from tests.receivers import http_receiver
from tests.spec.calling import run_jobs

pytestmark = pytest.mark.slow


async def test_a_call_that_waits_for_approval_calls_a_notifier(gateway_with_auth: GatewayServer) -> None:
    owner = await gateway_with_auth.person(role=Role.OWNER)
    lead = gateway_with_auth.agent("lead", token="acme-secret")
    await lead.calls("create_session", session_id="shop", purpose="Tidy the shop")
    with http_receiver() as receiver:
        hook = {"name": "hook", "kind": "webhook", "to": receiver.address, "allow_private": True}
        await owner.post("/notifiers", json=hook)
        await use(gateway_with_auth.agent("alice", "shop", "acme-secret"), DELETE, post={"id": 7_654_321})

        await run_jobs(gateway_with_auth.table)

    body = json.loads(receiver.requests[0].body)
    assert (body["type"], body["asker"], body["purpose"]) == ("approval", "alice", "Tidy the shop")
    assert body["link"].endswith("/inbox/approval/d1")
    assert "7654321" not in f"{receiver.requests}"
    assert "delete" not in f"{receiver.requests}"
