"""Forks: a new session that begins where another one stood, after any event of the log."""

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longtable.app import App
from tests.browser import signed_in
from tests.spec.transfer.transfers import exported, imported
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.in_process

AGENTS = ("ann", "bea", "cid")
STATUSES = ["pending", "in_progress", "completed", "blocked", "failed", "cancelled"]
HISTORY = {"event", "audit", "decision"}
LEFT_BEHIND = {*HISTORY, "session", "memory"}

Lines = list[dict[str, Any]]
Step = tuple[str, dict[str, Any]]


async def contents(app: App, session_id: str, **scope: Any) -> Lines:
    """All that a session holds, column by column, but what no fork has."""
    lines = [json.loads(line) for line in (await exported(app, session_id=session_id, **scope)).splitlines()]
    return [_free(line) for line in lines[1:-1] if line["type"] not in LEFT_BEHIND]


def _free(line: dict[str, Any]) -> dict[str, Any]:
    """A task that somebody holds is pending in a fork."""
    if line["type"] != "task" or "lease_holder" not in line:
        return line
    status = "pending" if line["status"] == "in_progress" else line["status"]
    return {name: value for name, value in line.items() if not name.startswith("lease_")} | {"status": status}


async def forked(table: Table, session_id: str = "sess_one", **body: Any) -> dict[str, Any]:
    answer = await table.agent("lead").client.post(f"/sessions/{session_id}/fork", json=body)
    assert answer.status_code == 201, answer.text
    result: dict[str, Any] = answer.json()
    return result


async def refusal(table: Table, session_id: str = "sess_one", **body: Any) -> tuple[int, str, str]:
    answer = await table.agent("lead").client.post(f"/sessions/{session_id}/fork", json=body)
    problem = answer.json()["error"]
    return answer.status_code, problem["code"], problem["error"]


async def newest_event(table: Table, session_id: str = "sess_one") -> int:
    async with signed_in(table.http) as browser:
        page = await browser.get(f"/sessions/{session_id}/activity?limit=1")
    seq: int = page.json()["events"][0]["seq"]
    return seq


class RandomChanges:
    """Calls of every kind that changes a session, mostly sensible ones."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._count = dict.fromkeys("nqtm", 0)
        self._ways: list[Callable[[], Step]] = [
            self._note,
            self._section,
            self._section,
            self._revert,
            self._tasks,
            self._update,
            self._update,
            self._update,
            self._claim,
            self._question,
            self._answer,
            self._withdrawal,
            self._pause,
            self._message,
        ]

    def step(self) -> Step:
        return self._dice.choice(self._ways)()

    def _some(self, kind: str) -> str:
        return f"{kind}{self._dice.randint(1, max(1, self._count[kind]))}"

    def _text(self) -> str:
        return f"text {self._dice.random()}"

    def _note(self) -> Step:
        self._count["n"] += 1
        older = {"supersedes": self._some("n")} if self._dice.random() < 0.4 else {}
        return "add_note", {"content": self._text(), "tags": ["a", "b"], **older}

    def _section(self) -> Step:
        section = {"section_id": f"part-{self._dice.randint(1, 5)}", "content": self._text()}
        place = {"position": self._dice.randint(0, 5)} if self._dice.random() < 0.5 else {}
        return "write_draft_section", {**section, **place}

    def _revert(self) -> Step:
        return "revert_draft_section", {
            "section_id": f"part-{self._dice.randint(1, 5)}",
            "to_version": self._dice.randint(1, 3),
        }

    def _tasks(self) -> Step:
        self._count["t"] += 2
        return "add_tasks", {"tasks": [{"description": self._text()}, {"description": "two", "depends_on": ["#0"]}]}

    def _update(self) -> Step:
        changes: dict[str, Any] = {
            "status": self._dice.choice(STATUSES),
            "assigned_to": self._dice.choice(AGENTS),
            "description": self._text(),
            "priority": self._dice.choice(["high", "medium", "low"]),
            "note": self._text(),
            "depends_on": [self._some("t")],
        }
        chosen = self._dice.sample(list(changes), self._dice.randint(1, 3))
        return "update_task", {"task_id": self._some("t"), "force": True, **{name: changes[name] for name in chosen}}

    def _claim(self) -> Step:
        return "claim_task", {"lease_seconds": self._dice.choice([1, 3600])}

    def _question(self) -> Step:
        self._count["q"] += 1
        return "add_question", {"question": self._text(), "blocking": self._dice.random() < 0.5}

    def _answer(self) -> Step:
        return "submit_answers", {"answers": {self._some("q"): self._text()}}

    def _withdrawal(self) -> Step:
        return "withdraw_question", {"question_id": self._some("q")}

    def _pause(self) -> Step:
        return "check_pause", {}

    def _message(self) -> Step:
        self._count["m"] += 1
        visibility = self._dice.choice(["public", "private", "agent_only"])
        return "add_message", {"content": self._text(), "visibility": visibility}


async def person_posts(table: Table, path: str, body: dict[str, Any]) -> None:
    async with signed_in(table.http) as browser:
        assert (await browser.post(f"/sessions/sess_one/{path}", body)).is_success


async def _walk(table: Table, dice: random.Random, steps: int) -> dict[int, Lines]:
    """What the session held after each of some events."""
    walk, remembered = RandomChanges(dice), {}
    agents = [table.agent(name, "sess_one") for name in AGENTS]
    for number in range(steps):
        tool, arguments = walk.step()
        if tool == "submit_answers" and dice.random() < 0.5:
            await person_posts(table, "answers", arguments)
        else:
            await dice.choice(agents).tries(tool, **arguments)
        if number % 3 == 0:
            # A lease of a second runs out now and then: that writes no event.
            table.clock.ahead += 700_000
        if dice.random() < 0.3:
            remembered[await newest_event(table)] = await contents(table.app, "sess_one")
    return remembered


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
async def test_a_fork_after_any_event_is_what_the_session_was_then(table: Table, seed: int) -> None:
    await table.session("sess_one")
    dice = random.Random(seed)

    remembered = await _walk(table, dice, steps=120)

    assert len(remembered) > 20
    for seq in dice.sample(list(remembered), 12):
        fork = await forked(table, seq=seq)
        assert await contents(table.app, fork["session_id"]) == remembered[seq], f"seed {seed}, event {seq}"
        assert fork["records"] == len(remembered[seq])


@pytest.mark.slow
async def test_a_fork_of_a_fork_and_of_an_import_go_back_as_far_as_they_began(table: Table, tmp_path: Path) -> None:
    await table.session("sess_one")
    await _walk(table, random.Random(7), steps=40)
    first = await forked(table)
    began = await contents(table.app, first["session_id"])
    at = await newest_event(table, first["session_id"])
    ann = table.agent("ann", first["session_id"])
    await ann.adds_note("later")
    await ann.tries("update_task", task_id="t1", priority="low", force=True)

    second = await forked(table, first["session_id"], seq=at)

    assert await contents(table.app, second["session_id"]) == began
    assert await refusal(table, first["session_id"], seq=at - 2) == (
        400,
        "INVALID_ARGUMENT",
        f"seq: this session begins with event {at:,}",
    )
    moved = (await exported(table.app, session_id=second["session_id"])).replace(
        second["session_id"].encode(), b"sess_moved"
    )
    body = [line for line in moved.splitlines()[1:-1] if json.loads(line)["type"] not in HISTORY]
    file = b"\n".join([moved.splitlines()[0], *body, b""])
    await imported(table.app, _sealed(file, len(body)), tmp_path)
    again = await forked(table, "sess_moved")
    assert len(await contents(table.app, again["session_id"])) == len(began)


def _sealed(body: bytes, records: int) -> bytes:
    import hashlib

    end = {"type": "end", "records": records, "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


async def test_a_fork_tells_what_it_is_a_copy_of(table: Table, alice: Agent) -> None:
    await alice.adds_note("kept")
    fork = await forked(table, purpose="Try again")

    shown = await table.agent("ann", fork["session_id"]).calls("get_session")
    activity = await table.agent("ann", fork["session_id"]).calls("read_events")

    assert {name: shown["session"][name] for name in ("forked_from", "fork_seq", "purpose", "status")} == {
        "forked_from": "sess_one",
        "fork_seq": fork["fork_seq"],
        "purpose": "Try again",
        "status": "active",
    }
    assert [event["kind"] for event in activity["events"]] == ["session/created", "session/forked"]
    assert activity["events"][1]["forked_from"] == "sess_one"


async def test_a_fork_is_a_session_of_its_own(table: Table, alice: Agent) -> None:
    await alice.adds_note("kept")
    await alice.calls("add_tasks", tasks=[{"description": "one"}])
    fork = await forked(table)
    ann = table.agent("ann", fork["session_id"])

    assert await ann.adds_note("only here") == "n2"
    claimed = await ann.calls("claim_task")
    found = await ann.calls("read_notes", query="kept")

    assert claimed["task"]["id"] == "t1"
    assert [note["id"] for note in found["notes"]] == ["n1"]
    assert len(await alice.reads_notes()) == 1
    assert (await alice.calls("read_plan"))["tasks"][0]["status"] == "pending"


async def test_a_task_that_is_held_can_be_claimed_in_the_fork(table: Table, alice: Agent) -> None:
    await alice.calls("add_tasks", tasks=[{"description": "one"}])
    held = await alice.calls("claim_task", task_id="t1")
    fork = await forked(table)
    bob = table.agent("bob", fork["session_id"])

    again = await bob.calls("claim_task", task_id="t1")

    assert again["lease"] != held["lease"]
    with pytest.raises(Refused, match="LEASE_LOST"):
        await table.agent("alice", fork["session_id"]).calls("renew_task", task_id="t1", lease=held["lease"])


async def test_a_private_message_is_as_private_in_the_fork(table: Table, alice: Agent) -> None:
    await alice.calls("add_message", content="for me alone", visibility="private")
    await alice.calls("add_message", content="for bob", to="bob")
    fork = await forked(table)

    seen = {
        name: [
            each["content"] for each in (await table.agent(name, fork["session_id"]).calls("get_messages"))["messages"]
        ]
        for name in ("alice", "bob", "eve")
    }

    assert seen == {"alice": ["for me alone", "for bob"], "bob": ["for bob"], "eve": []}


async def test_a_text_that_was_redacted_later_is_redacted_in_a_fork_of_before(table: Table, alice: Agent) -> None:
    await alice.adds_note("the secret is hunter2")
    await alice.calls("write_draft_section", section_id="intro", content="also hunter2")
    at = await newest_event(table)
    await alice.calls("write_draft_section", section_id="intro", content="nothing")
    for thing in ({"kind": "note", "id": "n1"}, {"kind": "section", "id": "intro", "version": 1}):
        await person_posts(table, "redact", thing)

    fork = await forked(table, seq=at)

    assert "hunter2" not in json.dumps(await contents(table.app, fork["session_id"]))


async def test_an_answer_that_a_person_replaced_is_back_in_a_fork_of_before(table: Table, alice: Agent) -> None:
    await alice.calls("add_question", question="Blue?")
    await table.agent("bob", "sess_one").calls("submit_answers", answers={"q1": "They said yes."})
    at = await newest_event(table)
    await person_posts(table, "answers", {"answers": {"q1": "No."}})

    before, after = await forked(table, seq=at), await forked(table)

    def answer_in(fork: dict[str, Any]) -> Any:
        return table.agent("ann", fork["session_id"]).calls("get_answered_questions")

    [told], [said] = (await answer_in(before))["questions"], (await answer_in(after))["questions"]
    assert (told["answer"], told["by_human"], told["answered_by"]) == ("They said yes.", False, "bob")
    assert (said["answer"], said["by_human"], said["answered_by"][:6]) == ("No.", True, "human:")


async def test_a_closed_session_can_be_forked(table: Table, alice: Agent) -> None:
    await alice.adds_note("kept")
    await table.agent("lead", "sess_one").calls("close_session")

    fork = await forked(table)

    assert await table.agent("ann", fork["session_id"]).adds_note("goes on") == "n2"


async def test_an_event_that_there_is_not_is_refused_with_the_newest(table: Table, alice: Agent) -> None:
    await alice.adds_note("one")
    newest = await newest_event(table)

    assert await refusal(table, seq=newest + 1) == (400, "INVALID_ARGUMENT", f"seq: the newest event is {newest:,}")


async def test_a_moment_before_changes_were_kept_is_refused_with_the_first_that_can_be(
    table: Table, alice: Agent
) -> None:
    await alice.calls("add_tasks", tasks=[{"description": "one"}])
    at = await newest_event(table)
    await alice.calls("update_task", task_id="t1", priority="high")
    # As the migration leaves a store of an earlier version.
    await table.app.ledger.database.write(
        "default",
        lambda tx: tx.execute(
            "INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, '', 'undo_after', :seq)", seq=at + 1
        ),
    )

    status, code, error = await refusal(table, seq=at)

    assert (status, code) == (409, "CONFLICT")
    assert f"Fork it after event {at + 1:,}" in error
    assert (await forked(table, seq=at + 1))["fork_seq"] == at + 1


async def test_a_session_of_another_tenant_cannot_be_forked(company: Table) -> None:
    await company.agent("boss", token="acme-secret").calls("create_session", session_id="sess_one")
    rival = company.agent("boss", token="rival-secret").client

    theirs = await rival.post("/sessions/sess_one/fork", json={})
    nobodys = await rival.post("/sessions/sess_two/fork", json={})

    assert theirs.status_code == 404
    assert theirs.json() == nobodys.json()


async def test_twenty_forks_at_once_are_twenty_equal_sessions(table: Table, alice: Agent) -> None:
    await _walk(table, random.Random(3), steps=30)
    at = await newest_event(table)
    before = await contents(table.app, "sess_one")

    writes = [alice.adds_note(f"meanwhile {number}") for number in range(20)]
    forks, _ = await asyncio.gather(
        asyncio.gather(*(forked(table, seq=at) for _ in range(20))), asyncio.gather(*writes)
    )

    assert len({fork["session_id"] for fork in forks}) == 20
    for fork in forks:
        assert await contents(table.app, fork["session_id"]) == before


async def test_the_same_key_makes_one_fork(table: Table, alice: Agent) -> None:
    await alice.adds_note("kept")

    first, second = [await forked(table, idempotency_key="once") for _ in range(2)]

    assert first["session_id"] == second["session_id"]
