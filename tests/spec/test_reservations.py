"""Reservations: agents on one repository say which files they work on, and are told who was first."""

import asyncio
import json
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR, MINUTE, from_iso
from tests.spec.test_identity import token
from tests.spec.test_writes import audit_of
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.slow


async def held(agent: Agent, *paths: str) -> list[tuple[str, str, str]]:
    arguments = {"paths": list(paths)} if paths else {}
    listed = (await agent.calls("list_reservations", **arguments))["reservations"]
    return [(each["path"], each["agent"], each["mode"]) for each in listed]


async def test_files_are_held_for_an_hour_and_shown_to_everyone(table: Table, alice: Agent, bob: Agent) -> None:
    made = await alice.calls("reserve", paths=["./src//app.py", "docs/"], reason="Refactoring")

    assert made["holding"] == 2
    assert abs(from_iso(made["expires_at"]) - table.clock() - HOUR) < MINUTE
    shown = (await bob.calls("list_reservations"))["reservations"]
    assert [each["path"] for each in shown] == ["docs", "src/app.py"]
    assert shown[0] == {
        "path": "docs",
        "agent": "alice",
        "mode": "exclusive",
        "expires_at": made["expires_at"],
        "reason": "Refactoring",
    }
    assert [each.get("mine") for each in (await alice.calls("list_reservations"))["reservations"]] == [True, True]


async def test_who_comes_second_is_told_who_holds_them_and_until_when(alice: Agent, bob: Agent) -> None:
    made = await alice.calls("reserve", paths=["src/**"], reason="Refactoring", ttl="15m")

    with pytest.raises(Refused) as refused:
        await bob.calls("reserve", paths=["docs", "src/app.py"])

    assert refused.value.code == "RESERVED"
    assert "held by alice" in str(refused.value)
    assert made["expires_at"] in str(refused.value)
    assert "Refactoring" in str(refused.value)
    (conflict,) = refused.value.details["conflicts"]
    assert conflict == {
        "path": "src/app.py",
        "held": "src/**",
        "held_by": "alice",
        "mode": "exclusive",
        "expires_at": made["expires_at"],
        "reason": "Refactoring",
    }
    assert await held(bob) == [("src/**", "alice", "exclusive")]


async def test_those_who_share_are_not_in_each_others_way(alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["docs"], mode="shared")
    await bob.calls("reserve", paths=["docs/**"], mode="shared")

    with pytest.raises(Refused, match="RESERVED"):
        await bob.calls("reserve", paths=["docs/a.md"], mode="exclusive")

    assert await held(alice) == [("docs", "alice", "shared"), ("docs/**", "bob", "shared")]


async def test_a_reservation_runs_out_by_itself(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["src"], ttl=60)

    table.clock.ahead = 61_000_000
    assert await held(bob) == []
    await bob.calls("reserve", paths=["src"])

    assert await held(alice) == [("src", "bob", "exclusive")]


async def test_reserving_again_renews_it_and_changes_its_mode(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["src"], reason="First", ttl="10m")

    table.clock.ahead = 9 * MINUTE
    made = await alice.calls("reserve", paths=["src/**"], mode="shared", ttl="10m")

    assert made["holding"] == 1
    (shown,) = (await bob.calls("list_reservations"))["reservations"]
    assert (shown["path"], shown["mode"], shown["reason"]) == ("src", "shared", "First")
    assert shown["expires_at"] == made["expires_at"]


async def test_released_files_are_free(alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["src", "docs", "lib"])

    assert (await alice.calls("release", paths=["src/**"]))["released"] == ["src"]
    assert (await alice.calls("release"))["released"] == ["docs", "lib"]
    assert (await alice.calls("release"))["released"] == []

    assert (await bob.calls("reserve", paths=["src", "docs", "lib"]))["holding"] == 3


async def test_nobody_gives_back_what_another_holds(alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["src"])

    for arguments in ({"paths": ["src"]}, {"agent": "alice"}):
        with pytest.raises(Refused, match="held by alice"):
            await bob.calls("release", **arguments)

    assert (await bob.calls("release"))["released"] == []
    assert await held(bob) == [("src", "alice", "exclusive")]


@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER, Role.AGENT])
async def test_people_and_orchestrators_release_by_force_and_that_is_recorded(company: Table, role: Role) -> None:
    await company.agent("lead", None, "acme-secret").calls("create_session", session_id="sess_one")
    alice = company.agent("alice", "sess_one", "acme-secret")
    await alice.calls("reserve", paths=["src", "docs"])
    named = {"agent": "boss", "session_id": "sess_one"} if role is Role.AGENT else {}
    other = company.agent(token=await token(company, "acme", role, name="boss", **named)).client

    answer = await other.delete(
        "/sessions/sess_one/reservations", params={"paths": "src", "agent": "Alice", "force": "true"}
    )

    if role is Role.AGENT:
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
        return
    assert answer.json()["released"] == ["src"]
    assert await held(alice) == [("docs", "alice", "exclusive")]
    (record,) = (each for each in await audit_of(company, "acme") if each["operation"] == "release")
    assert (record["event_type"], record["object"]) == ("paths_released", "path:src")
    assert {"forced": True, "held_by": ["alice"]}.items() <= json.loads(record["metadata"]).items()
    events = (await alice.calls("read_events", kinds=["reservation/released"]))["events"]
    assert [(event["held_by"], event["forced"]) for event in events] == [("alice", True)]


async def test_a_reader_sees_reservations_and_makes_none(company: Table) -> None:
    await company.agent("lead", None, "acme-secret").calls("create_session", session_id="sess_one")
    reader = company.agent(None, "sess_one", await token(company, "acme", Role.READER))

    assert await held(reader) == []
    with pytest.raises(Refused, match="FORBIDDEN"):
        await reader.calls("reserve", paths=["src"])


async def test_of_twenty_at_once_one_agent_gets_the_path(table: Table, alice: Agent) -> None:
    crowd = [table.agent(f"agent{number}", "sess_one") for number in range(20)]
    paths = ["src/app.py", "src", "src/**", "**/*.py"]

    answers = await asyncio.gather(
        *(agent.tries("reserve", paths=["x", paths[number % 4]]) for number, agent in enumerate(crowd))
    )

    assert sorted(answer["ok"] for answer in answers) == [False] * 19 + [True]
    assert {answer["error"]["code"] for answer in answers if not answer["ok"]} == {"RESERVED"}
    shown = (await alice.calls("list_reservations"))["reservations"]
    assert len(shown) == 2
    assert len({each["agent"] for each in shown}) == 1


async def test_of_twenty_who_share_all_get_the_path(table: Table, alice: Agent) -> None:
    crowd = [table.agent(f"agent{number}", "sess_one") for number in range(20)]

    await asyncio.gather(*(agent.calls("reserve", paths=["src"], mode="shared") for agent in crowd))

    assert len(await held(alice)) == 20
    with pytest.raises(Refused) as refused:
        await alice.calls("reserve", paths=["src"])
    assert "So are 19 more" in str(refused.value)
    assert len(refused.value.details["conflicts"]) == 10


async def test_the_list_can_be_narrowed_to_what_overlaps(alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["src/**", "docs/*.md"])
    await bob.calls("reserve", paths=["lib"])

    assert await held(alice, "src/app.py", "lib/x") == [("lib", "bob", "exclusive"), ("src/**", "alice", "exclusive")]
    assert await held(alice, "tests") == []


async def reserves_long_paths(agent: Agent, count: int) -> list[str]:
    """Paths of 240 characters, in the order of the list."""
    paths = [f"{number:03}-{'p' * 236}" for number in range(count)]
    for first in range(0, count, 50):
        await agent.calls("reserve", paths=paths[first : first + 50], reason="r" * 120)
    return paths


async def test_a_long_list_is_read_page_by_page(table: Table, alice: Agent) -> None:
    paths = await reserves_long_paths(alice, 150)

    pages = [await alice.calls("list_reservations")]
    while cursor := pages[-1].get("next_cursor"):
        pages.append(await alice.calls("list_reservations", cursor=cursor))

    assert [each["path"] for page in pages for each in page["reservations"]] == paths
    assert [page.get("truncated") for page in pages] == [*[True] * (len(pages) - 1), None]
    assert max(len(json.dumps(page)) for page in pages) <= 25_000
    over_rest = (await alice.client.get("/reservations")).json()
    assert [each["path"] for each in over_rest["reservations"]] == paths


async def test_who_gives_back_very_many_paths_is_not_told_all_of_them(alice: Agent) -> None:
    await reserves_long_paths(alice, 150)

    answer = await alice.calls("release")

    assert answer["truncated"] is True
    assert len(json.dumps(answer)) <= 25_000
    assert await held(alice) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"paths": ["../x"]}, "paths.0: must not hold .."),
        ({"paths": ["/etc"]}, "paths.0: must begin at the root"),
        ({"paths": []}, "paths"),
        ({"paths": ["x"], "ttl": "2d"}, "ttl"),
        ({"paths": ["x"], "ttl": 0}, "ttl"),
        ({"paths": ["x"], "mode": "both"}, "mode"),
    ],
)
async def test_what_cannot_be_reserved_is_refused_by_name(alice: Agent, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused) as refused:
        await alice.calls("reserve", **arguments)

    assert refused.value.code == "INVALID_ARGUMENT"
    assert words in str(refused.value)


async def test_a_session_holds_a_bounded_number(alice: Agent) -> None:
    for batch in range(10):
        await alice.calls("reserve", paths=[f"part{batch}/f{number}" for number in range(50)])

    with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
        await alice.calls("reserve", paths=["one/more"])
    assert (await alice.calls("reserve", paths=["part1/f1"]))["holding"] == 500


async def test_what_a_session_holds_ends_with_it(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("reserve", paths=["src"])

    await alice.calls("close_session")

    assert await held(bob) == []


async def test_one_session_knows_nothing_of_another(table: Table, alice: Agent) -> None:
    await alice.calls("reserve", paths=["src"])
    elsewhere = table.agent("bob", await table.session("sess_two"))

    assert await held(elsewhere) == []
    await elsewhere.calls("reserve", paths=["src"])


async def test_rest_reserves_lists_and_releases(table: Table, alice: Agent) -> None:
    made = await alice.client.post("/sessions/sess_one/reservations", json={"paths": ["src/**"], "ttl": "15m"})
    listed = await alice.client.get("/reservations")
    refused = await table.agent("bob").client.post("/sessions/sess_one/reservations", json={"paths": ["src/a.py"]})
    released = await alice.client.delete("/sessions/sess_one/reservations", params={"paths": "src"})

    assert (made.status_code, made.json()["holding"]) == (201, 1)
    assert [each["path"] for each in listed.json()["reservations"]] == ["src/**"]
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "RESERVED")
    assert released.json()["released"] == ["src/**"]


async def test_rest_releases_only_what_the_body_of_a_delete_names(alice: Agent) -> None:
    await alice.calls("reserve", paths=["src", "docs"])
    path, query = "/sessions/sess_one/reservations", {"paths": "docs"}

    released = await alice.client.request("DELETE", path, json={"paths": ["src"]})
    contradicting = await alice.client.request("DELETE", path, json={"paths": ["src"]}, params=query)
    unreadable = await alice.client.request("DELETE", path, content="paths")

    assert released.json()["released"] == ["src"]
    assert (contradicting.status_code, contradicting.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert "paths: differs from the query" in contradicting.text
    assert (unreadable.status_code, unreadable.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert [path for path, _, _ in await held(alice)] == ["docs"]


async def test_a_brief_shows_what_i_hold_and_what_others_hold(alice: Agent, bob: Agent) -> None:
    assert "reservations" not in await alice.calls("brief")
    mine = await alice.calls("reserve", paths=["src"])
    theirs = await bob.calls("reserve", paths=["docs"], mode="shared")

    reservations = (await alice.calls("brief"))["reservations"]

    assert reservations == {
        "mine": [{"path": "src", "mode": "exclusive", "expires_at": mine["expires_at"]}],
        "others": [{"path": "docs", "mode": "shared", "expires_at": theirs["expires_at"], "agent": "bob"}],
    }
