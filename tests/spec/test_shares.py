"""A shared link opens one session, or one section, to read: without signing in, and nothing else."""

import asyncio
from typing import Any

import pytest

from longtable.console.shared_pages import MAX_OPENINGS
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE
from tests.table import Agent, Table, person

HERE = "sess_acme"
HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(1)>"><a href="javascript:alert(1)">x</a>'


@pytest.fixture
async def ann(company: Table) -> Agent:
    lead = company.agent(token="acme-secret")
    await lead.calls("create_session", session_id=HERE, purpose=f"A garden {HOSTILE}")
    await lead.calls("create_session", session_id="another", purpose="Elsewhere entirely")
    ann = company.agent("ann", HERE, "acme-secret")
    await ann.adds_note(f"tulips {HOSTILE}", tags=[HOSTILE[:50]])
    await ann.calls(
        "write_draft_section", section_id="intro", title="Why tulips", content=f"# Why\n\nBecause. {HOSTILE}"
    )
    await ann.calls("write_draft_section", section_id="end", content="The end.")
    await ann.calls("add_tasks", tasks=[{"description": f"dig {HOSTILE}"}])
    await ann.calls("add_message", content=f"hello all {HOSTILE}")
    await ann.calls("add_message", content="a private thought", visibility="private")
    await ann.calls("add_message", content="among gardeners", visibility="agent_only")
    await ann.calls("add_message", content="for bob alone", to="bob")
    await ann.calls("set_memory", key="k", value="a memory")
    return ann


async def share(table: Table, **wish: Any) -> dict[str, Any]:
    answer = await (await person(table)).post("/shares", json={"session_id": HERE, **wish})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def opens(table: Table, path: str) -> Any:
    """A browser that nobody has signed in with."""
    return await table.agent().client.get(path, headers={"Authorization": "", "Accept": "text/html"})


async def test_whoever_has_the_link_reads_the_session_without_signing_in(company: Table, ann: Agent) -> None:
    created = await share(company)

    page = await opens(company, created["path"])

    assert page.status_code == 200
    for text in ("A garden", "tulips", "Why tulips", "The end.", "dig", "hello all"):
        assert text in page.text
    for text in ("a private thought", "among gardeners", "for bob alone", "a memory", "Elsewhere entirely"):
        assert text not in page.text


async def test_a_link_to_a_section_shows_that_section_alone(company: Table, ann: Agent) -> None:
    page = await opens(company, (await share(company, section_id="intro"))["path"])

    assert "Why tulips" in page.text
    for text in ("The end.", "A garden", "dig", "hello all"):
        assert text not in page.text


async def test_texts_of_agents_are_data_on_the_page_and_its_policy_allows_nothing(company: Table, ann: Agent) -> None:
    page = await opens(company, (await share(company))["path"])

    assert "<script" not in page.text
    assert "<img" not in page.text
    assert "javascript:alert" in page.text
    assert 'href="javascript' not in page.text
    headers = page.headers
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["x-robots-tag"].startswith("noindex")


async def test_what_was_redacted_is_not_on_the_page(company: Table, ann: Agent) -> None:
    created = await share(company)
    boss = await person(company, Role.OWNER)

    for thing in ({"kind": "note", "id": "n1"}, {"kind": "title", "id": "intro"}):
        await boss.post(f"/sessions/{HERE}/redact", json=thing)

    text = (await opens(company, created["path"])).text
    assert "tulips" not in text
    assert "[redacted by the owner]" in text


async def test_a_link_that_is_revoked_expired_or_made_up_opens_the_same_nothing(company: Table, ann: Agent) -> None:
    revoked, expiring = await share(company), await share(company, expires_in="1d")
    eva = await person(company)

    gone = await eva.delete(f"/shares/{revoked['share']['share_id']}")
    company.clock.ahead = DAY + MINUTE

    assert gone.json()["share"]["status"] == "revoked"
    pages = [await opens(company, path) for path in (revoked["path"], expiring["path"], "/shared/sh_made-up")]
    assert {page.status_code for page in pages} == {404}
    assert len({page.content for page in pages}) == 1
    names = ("content-security-policy", "cache-control", "referrer-policy", "x-robots-tag", "content-type")
    assert len({tuple(page.headers[name] for name in names) for page in pages}) == 1
    listed = (await eva.get(f"/shares?session_id={HERE}")).json()["shares"]
    assert sorted(each["status"] for each in listed) == ["expired", "revoked"]


async def test_a_link_lasts_for_a_week_and_never_longer_than_the_setting(company: Table, ann: Agent) -> None:
    created = (await share(company))["share"]
    too_long = await (await person(company)).post("/shares", json={"session_id": HERE, "expires_in": "31d"})

    assert created["expires_at"][:10] > created["created_at"][:10]
    assert (too_long.status_code, too_long.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert "expires_in" in too_long.json()["error"]["error"]
    company.clock.ahead = 6 * DAY
    assert (await (await person(company)).get("/shares")).json()["shares"][0]["status"] == "open"


async def test_the_secret_is_shown_once_and_kept_as_a_hash(company: Table, ann: Agent) -> None:
    eva = await person(company)
    wish: dict[str, Any] = {"json": {"session_id": HERE}, "headers": {"Idempotency-Key": "k"}}
    first, again = [(await eva.post("/shares", **wish)).json() for _ in range(2)]

    assert first["share"] == again["share"]
    assert again["path"] is None
    secret = first["path"].removeprefix("/shared/")
    assert secret not in (await eva.get("/shares")).text
    rows = await company.app.database.read("*", lambda tx: tx.all("SELECT * FROM shares"))
    stored = await company.app.database.read("*", lambda tx: tx.all("SELECT result FROM idempotency"))
    assert secret not in f"{rows}{stored}"


async def test_every_opening_is_in_the_audit_log(company: Table, ann: Agent) -> None:
    created = await share(company)

    for _ in range(3):
        await opens(company, created["path"])
    await company.app.ledger.flush()

    boss = await person(company, Role.OWNER)
    opened = (await boss.get("/audit?event_type=share_opened")).json()["entries"]
    assert [entry["object"] for entry in opened] == [f"share:{created['share']['share_id']}"] * 3


async def test_only_people_share_and_only_their_own_sessions(company: Table, ann: Agent) -> None:
    created = await share(company)
    rival = await person(company, Role.OWNER, "rival")

    by_agent = await company.agent(token="acme-secret").client.post("/shares", json={"session_id": HERE})
    by_rival = await rival.post("/shares", json={"session_id": HERE})
    revoked = await rival.delete(f"/shares/{created['share']['share_id']}")

    assert (by_agent.status_code, by_rival.status_code, revoked.status_code) == (403, 404, 404)
    assert (await rival.get("/shares")).json()["shares"] == []
    assert (await opens(company, created["path"])).status_code == 200
    over_mcp = await ann.tries("create_share", session_id=HERE)
    assert over_mcp["error"]["code"] == "NOT_FOUND"


async def test_a_section_that_is_not_there_is_refused(company: Table, ann: Agent) -> None:
    answer = await (await person(company)).post("/shares", json={"session_id": HERE, "section_id": "nowhere"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert (await (await person(company)).get("/shares")).json()["count"] == 0


async def test_twenty_links_made_at_once_all_open(company: Table, ann: Agent) -> None:
    made = await asyncio.gather(*(share(company) for _ in range(20)))

    pages = [await opens(company, each["path"]) for each in made]

    assert {page.status_code for page in pages} == {200}
    assert len({each["path"] for each in made}) == 20


async def test_one_address_opens_so_many_links_in_a_minute(company: Table, ann: Agent) -> None:
    pages = [await opens(company, "/shared/sh_guess") for _ in range(MAX_OPENINGS + 1)]

    assert [page.status_code for page in pages] == [404] * MAX_OPENINGS + [429]
    assert int(pages[-1].headers["retry-after"]) > 0
    company.clock.ahead = 2 * MINUTE
    assert (await opens(company, "/shared/sh_guess")).status_code == 404
