"""GET /search: one answer over notebooks and sessions, with nothing in it that the caller may not see."""

import pytest

from longtable.kernel.clock import DAY, MINUTE
from tests.spec.search.reading import kinds_and_ids, pad, searches
from tests.table import Agent, Table

pytestmark = pytest.mark.slow


async def writes_each_kind(agent: Agent, word: str) -> str:
    """One text of every kind; the id of the cell."""
    await agent.adds_note(f"a note about {word}", tags=["t"])
    await agent.calls("add_message", content=f"a message about {word}")
    await agent.calls("write_draft_section", section_id="intro", title="Opening", content=f"a section about {word}")
    (cell,) = await pad(agent, "book", f"a cell about {word}", title=f"All about {word}", tags=["t"], namespace="ns")
    return cell


async def test_every_kind_is_found_and_says_what_and_where_it_is(alice: Agent) -> None:
    cell = await writes_each_kind(alice, "tea")

    found = await searches(alice, query="tea")

    places = {(hit["kind"], hit["id"], hit.get("session_id"), hit.get("scratch_id")) for hit in found["hits"]}
    assert places == {
        ("note", "n1", "sess_one", None),
        ("message", 1, "sess_one", None),
        ("section", "intro", "sess_one", None),
        ("cell", cell, None, "book"),
        ("scratchpad", "book", None, "book"),
    }
    assert {hit.get("cell_id") for hit in found["hits"]} == {cell, None}
    assert all("tea" in hit["snippet"] and 0 < hit["score"] <= 1 and hit["timestamp"] for hit in found["hits"])
    assert (found["ok"], found["count"], found["sessions"]) == (True, 5, 1)


@pytest.mark.parametrize(
    ("narrowing", "found"),
    [
        ({"kinds": "note"}, {"note"}),
        ({"kinds": ["cell", "message"]}, {"cell", "message"}),
        ({"tags": "t"}, {"note", "cell", "scratchpad"}),
        ({"namespaces": "ns"}, {"cell", "scratchpad"}),
        ({"languages": "md"}, {"cell"}),
        ({"tags": "other"}, set()),
        ({"limit": "2", "kinds": ["note", "message"]}, {"note", "message"}),
    ],
    ids=lambda value: str(sorted(value)),
)
async def test_what_cannot_satisfy_a_filter_is_left_out(
    alice: Agent, narrowing: dict[str, object], found: set[str]
) -> None:
    await writes_each_kind(alice, "tea")

    assert {kind for kind, _ in await kinds_and_ids(alice, q="tea", **narrowing)} == found


async def test_a_caller_in_a_session_finds_that_session_and_the_notebooks(table: Table, alice: Agent) -> None:
    await table.session("sess_two")
    other = table.agent("carol", "sess_two")
    await other.adds_note("tea in the other session")
    (cell,) = await pad(other, "shared", "tea for all")

    assert await kinds_and_ids(alice, query="tea") == [("cell", cell)]
    refused = await alice.client.get("/search", params={"query": "tea", "session_id": "sess_two"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "SESSION_MISMATCH")


async def test_a_caller_in_no_session_finds_the_sessions_used_last(table: Table, alice: Agent) -> None:
    await alice.adds_note("tea one")
    await table.session("sess_two")
    await table.agent("carol", "sess_two").adds_note("tea two")
    orchestrator = table.agent("orchestrator")

    found = await searches(orchestrator, query="tea")
    named = await searches(orchestrator, query="tea", session_id="sess_two")

    assert {hit["session_id"] for hit in found["hits"]} == {"sess_one", "sess_two"}
    assert [hit["session_id"] for hit in named["hits"]] == ["sess_two"]


async def test_of_many_sessions_the_hundred_used_last_are_searched(table: Table) -> None:
    for number in range(101):
        await table.session(f"sess_{number}")
    for number in (0, 1):
        await table.agent("ann", f"sess_{number}").adds_note("tea")
    await table.agent("ann", "sess_100").adds_note("no drink")

    found = await searches(table.agent("orchestrator"), query="tea")

    assert found["sessions"] == 100
    assert {hit["session_id"] for hit in found["hits"]} == {"sess_0", "sess_1"}


async def test_private_messages_are_found_by_their_senders_alone(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="tea in secret", visibility="private")

    assert await kinds_and_ids(alice, query="tea") == [("message", 1)]
    assert await kinds_and_ids(bob, query="tea") == []
    assert await kinds_and_ids(table.agent("orchestrator"), query="tea") == []


async def test_a_session_whose_time_is_over_is_not_searched(table: Table, alice: Agent) -> None:
    await alice.adds_note("tea")

    table.clock.ahead = DAY + MINUTE

    assert await kinds_and_ids(table.agent("orchestrator"), query="tea") == []


async def test_no_tenant_finds_anything_of_another(company: Table) -> None:
    acme = company.agent("boss", token="acme-secret")
    await acme.calls("create_session", session_id="sess_one")
    await writes_each_kind(company.agent("ann", "sess_one", "acme-secret"), "tea")

    assert len(await kinds_and_ids(acme, query="tea")) == 5
    assert await kinds_and_ids(company.agent("eve", token="rival-secret"), query="tea") == []


@pytest.mark.parametrize(
    ("parameters", "status", "code"),
    [
        ({}, 400, "INVALID_ARGUMENT"),
        ({"query": "a", "q": "b"}, 400, "INVALID_ARGUMENT"),
        ({"query": "a", "kinds": "sofa"}, 400, "INVALID_ARGUMENT"),
        ({"query": "a", "limit": "101"}, 400, "INVALID_ARGUMENT"),
        ({"query": "x" * 2001}, 413, "PAYLOAD_TOO_LARGE"),
        ({"query": "a", "session_id": "!"}, 400, "INVALID_SESSION_ID"),
        ({"query": "a", "session_id": "sess_nowhere"}, 404, "SESSION_NOT_FOUND"),
        ({"query": "a", "mode": "semantic"}, 503, "SEARCH_UNAVAILABLE"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_bad_search_is_refused(table: Table, parameters: dict[str, str], status: int, code: str) -> None:
    answer = await table.agent("orchestrator").client.get("/search", params=parameters)

    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_a_kind_that_does_not_exist_is_answered_with_all_that_do(table: Table) -> None:
    answer = await table.agent("orchestrator").client.get("/search", params={"query": "a", "kinds": "tusk"})

    kinds = "message, note, section, cell, scratchpad, task, question"
    assert f"kinds.0: must be one of {kinds}. Did you mean 'task'?" in answer.json()["error"]["error"]


async def plans_and_asks(agent: Agent, word: str) -> None:
    await agent.calls("add_tasks", tasks=[{"description": f"Buy {word}"}, {"description": "Boil water"}])
    await agent.calls("add_question", question=f"Which {word}?", context="Green or black, for 100% of us")


async def test_tasks_and_questions_are_found_where_they_are_asked_for(table: Table, alice: Agent) -> None:
    await alice.adds_note("tea")
    await plans_and_asks(alice, "Tea")

    found = await searches(table.agent("orchestrator"), query="tea", kinds=["task", "question"])

    places = {(hit["kind"], hit["id"], hit["session_id"], hit["status"], hit["snippet"]) for hit in found["hits"]}
    assert places == {
        ("task", "t1", "sess_one", "pending", "Buy Tea"),
        ("question", "q1", "sess_one", "pending", "Which Tea?"),
    }
    assert (found["count"], found["mode"]) == (2, "keyword")
    assert await kinds_and_ids(alice, query="tea") == [("note", "n1")]
    both = await kinds_and_ids(alice, query="tea", kinds=["task", "question", "note"], limit=2)
    assert len(both) == 2


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("BUY tea", {"t1"}),
        ("tea coffee", set()),
        ("black", {"q1"}),
        ("100%", {"q1"}),
        ("%", {"q1"}),
        ("_", set()),
        ('"which tea"', {"q1"}),
    ],
)
async def test_a_task_or_question_has_all_the_words_as_they_are_written(
    alice: Agent, query: str, found: set[str]
) -> None:
    await plans_and_asks(alice, "tea")

    assert {name for _, name in await kinds_and_ids(alice, query=query, kinds=["task", "question"])} == found


async def test_the_words_of_a_task_are_found_in_any_case_and_alphabet(alice: Agent) -> None:
    await plans_and_asks(alice, "Äpfel")

    assert len(await kinds_and_ids(alice, query="äpfel", kinds=["task", "question"])) == 2


async def test_agents_find_the_tasks_of_their_own_session_only(table: Table, alice: Agent) -> None:
    await plans_and_asks(alice, "tea")
    await table.session("sess_two")

    assert await kinds_and_ids(table.agent("carol", "sess_two"), query="tea", kinds=["task", "question"]) == []


async def test_no_tenant_finds_tasks_and_questions_of_another(company: Table) -> None:
    acme = company.agent("boss", token="acme-secret")
    await acme.calls("create_session", session_id="sess_one")
    await plans_and_asks(company.agent("ann", "sess_one", "acme-secret"), "tea")

    assert len(await kinds_and_ids(acme, query="tea", kinds=["task", "question"])) == 2
    assert (
        await kinds_and_ids(company.agent("eve", token="rival-secret"), query="tea", kinds=["task", "question"]) == []
    )
