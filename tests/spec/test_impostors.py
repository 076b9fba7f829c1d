"""Five hundred and more ways to write as somebody else: who a token names is who has written, always."""

from collections import Counter
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.mixed.impostors import Forgery, forgeries, wrong_tokens
from tests.table import MODERN, Table

pytestmark = pytest.mark.slow
HEADERS = [
    (b"Content-Type", b"application/json"),
    (b"Accept", b"application/json, text/event-stream"),
    (b"MCP-Protocol-Version", MODERN.encode()),
    (b"Mcp-Method", b"tools/call"),
    (b"Mcp-Name", b"add_message"),
]


async def authors(company: Table, secret: str) -> "Counter[tuple[str, str]]":
    """Tries every forgery with this token. Who is said to have written what was stored, and as what."""
    client = company.agent(token=secret).client
    for forgery in forgeries():
        await client.post(f"/mcp?{forgery.query}", content=forgery.body(), headers=[*HEADERS, *forgery.headers])
    people = (await company.bearer(Role.OWNER, "reader")).client
    found: Counter[tuple[str, str]] = Counter()
    after = 0
    while True:
        page = (await people.get(f"/sessions/sess_one/messages?after_id={after}&limit=1000")).json()
        found.update((message["sender"], message.get("sender_type", "generic")) for message in page["messages"])
        if not page["messages"]:
            return found
        after = page["messages"][-1]["id"]


@pytest.fixture
async def secret(company: Table) -> str:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    fixed: dict[str, Any] = {"agent": "scout", "agent_type": "generic", "session_id": "sess_one"}
    return (await company.app.tokens.create(Credential("acme", Role.AGENT, "scout", **fixed), None)).secret


async def test_five_hundred_forgeries_make_nobody_else_of_an_agent(company: Table, secret: str) -> None:
    found = await authors(company, secret)

    assert len(forgeries()) >= 500
    assert {sender for sender, _ in found} == {"scout"}
    assert found.total() > 100, "most are not even refused, and written as what they are"


async def test_who_may_speak_for_others_is_seen_to_do_so(company: Table, secret: str) -> None:
    """The control: the same requests with a token that fixes no agent."""
    fixed: dict[str, Any] = {"session_id": "sess_one"}
    free = await company.app.tokens.create(Credential("acme", Role.ORCHESTRATOR, "free", **fixed), None)

    found = await authors(company, free.secret)

    assert "ada" in {sender for sender, _ in found}
    assert not [sender for sender, _ in found if sender.startswith("human")]


async def test_no_part_or_mixture_of_tokens_is_a_token(company: Table, secret: str) -> None:
    client = company.agent().client
    tried = wrong_tokens(secret, ["acme-secret" * 4, "rival-secret" * 4])

    answers = {given: await client.get("/me", headers={"Authorization": given}) for given in tried}

    accepted = {given for given, answer in answers.items() if answer.status_code not in (400, 401, 429)}
    assert accepted == set()
    assert len(tried) > 50


def test_each_way_is_tried() -> None:
    ways = Counter(forgery.way for forgery in forgeries())

    assert set(ways) >= {"name", "name twice", "type", "query", "argument", "client", "meta", "header", "cookie"}
    assert isinstance(forgeries()[0], Forgery)
