"""The human secret: owners are told that the first was set, until one of them has seen it; it cannot be guessed."""

import pytest

from longtable.identity.human_secret import check_human_secret, set_human_secret
from longtable.kernel.caller import Role
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import Forbidden, RateLimited
from tests.browser import audited, bearer, signed_in
from tests.table import Table

SECRET = "correct horse"
SEEN = "/me/notices/human_secret_set/seen"


async def test_an_owner_is_told_until_one_has_seen_it(table: Table) -> None:
    async with signed_in(table.http) as browser:
        before = (await browser.get("/me")).json()["notices"]
        await set_human_secret(table.app.ledger, SECRET, None)
        notices = (await browser.get("/me")).json()["notices"]
        seen = await browser.post(SEEN)
        after = (await browser.get("/me")).json()["notices"]

    assert (before, after) == ([], [])
    assert [notice["notice"] for notice in notices] == ["human_secret_set"]
    assert notices[0]["since"].endswith("Z")
    assert seen.json() == {"ok": True, "notice": "human_secret_set"}
    assert [record["event_type"] for record in await audited(table.app, "default", "see_notice")] == ["notice_seen"]


async def test_a_secret_that_replaces_another_is_no_news(table: Table) -> None:
    await set_human_secret(table.app.ledger, SECRET, None)
    async with signed_in(table.http) as browser:
        await browser.post(SEEN)
        await set_human_secret(table.app.ledger, "battery staple", SECRET)

        assert (await browser.get("/me")).json()["notices"] == []


@pytest.mark.parametrize("role", [Role.HUMAN, Role.ORCHESTRATOR, Role.READER])
async def test_nobody_but_an_owner_is_told_or_can_say_that_it_was_seen(company: Table, role: Role) -> None:
    await set_human_secret(company.app.ledger, SECRET, None)
    owner = company.agent(token=await bearer(company.app, Role.OWNER)).client
    other = company.agent(token=await bearer(company.app, role)).client

    notices = (await other.get("/me")).json()["notices"]
    refused = await other.post(SEEN)

    assert notices == []
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert len((await owner.get("/me")).json()["notices"]) == 1


async def test_with_auth_off_a_local_agent_cannot_say_that_it_was_seen(table: Table) -> None:
    await set_human_secret(table.app.ledger, SECRET, None)

    assert (await table.agent("ada").client.post(SEEN)).status_code == 403


async def test_another_notice_is_not_found(table: Table) -> None:
    async with signed_in(table.http) as browser:
        assert (await browser.post("/me/notices/other/seen")).status_code == 404


async def test_who_guesses_the_secret_is_told_when_to_try_again(table: Table) -> None:
    await set_human_secret(table.app.ledger, SECRET, None)
    for _ in range(5):
        with pytest.raises(Forbidden):
            await check_human_secret(table.app.ledger, "wrong")
        table.clock.ahead += 6 * SECOND

    with pytest.raises(RateLimited) as refused:
        await check_human_secret(table.app.ledger, SECRET)
    table.clock.ahead += int(refused.value.details["retry_after"]) * SECOND

    assert 10 <= refused.value.details["retry_after"] <= 31
    await check_human_secret(table.app.ledger, SECRET)
