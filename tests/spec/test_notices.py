"""People are called when something waits for them: with a link, and never with what was asked."""

import asyncio
import email
import json
from email.policy import default
from pathlib import Path

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from longtable.kernel.clock import HOUR, MINUTE, SECOND
from tests.receivers import Receiver, mail_server
from tests.spec.calling import HERE, SECRET_TEXT, add, ann, asks, calm, deliveries, person, receiver, run_jobs
from tests.stores import Store
from tests.table import Agent, Table, open_table

__all__ = ["ann", "calm", "receiver"]
FIELDS = ["type", "session_id", "purpose", "asker", "waiting_since", "link"]
pytestmark = pytest.mark.in_process("runs the jobs of a server by itself")


async def test_a_question_that_blocks_calls_a_webhook_with_who_asks_and_a_link(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    secret = (await add(calm, f"{receiver.address}/hook"))["secret"]
    await asks(ann)

    await run_jobs(calm)

    (request,) = receiver.requests
    body = Webhook(secret).verify(request.body, request.headers)
    assert list(body) == FIELDS
    assert body["type"] == "question"
    assert (body["session_id"], body["purpose"], body["asker"]) == (HERE, "Plant tulips", "ann")
    assert body["link"] == f"https://table.example.org/sessions/{HERE}/questions/q1"
    assert "swordfish" not in request.body.decode()
    assert secret not in f"{request.headers}"


async def test_a_signature_holds_for_its_own_body_alone(calm: Table, ann: Agent, receiver: Receiver) -> None:
    secret = (await add(calm, receiver.address))["secret"]
    await (await person(calm)).post("/notifiers/hook/test")

    (request,) = receiver.requests

    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(request.body + b" ", request.headers)


async def test_each_notice_is_sent_once_also_after_a_restart_of_the_jobs(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await add(calm, receiver.address)
    await asks(ann)

    for _ in range(3):
        await asyncio.gather(*(run_jobs(calm) for _ in range(5)))

    assert len(receiver.requests) == 1
    assert [each["status"] for each in await deliveries(calm)] == ["sent"]


async def test_a_restart_loses_no_notice_and_sends_none_again(
    store: Store, tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    seen = []
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret") as table:
        await table.agent(token="acme-secret").calls("create_session", session_id=HERE, purpose="Plant tulips")
        await add(table, receiver.address)
        await asks(table.agent("ann", HERE, "acme-secret"))
    for _ in range(2):
        async with open_table(store, tmp_path, auth_tokens="acme:acme-secret") as table:
            await run_jobs(table)
            seen.append(len(receiver.requests))

    assert seen == [1, 1]


async def test_what_a_process_was_sending_when_it_died_is_sent_again_under_the_same_id(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await add(calm, receiver.address)
    await asks(ann)
    receiver.answers_after.clear()
    await run_jobs(calm)
    for close in calm.app.slices.closers[:1]:
        await close()
    receiver.answers_after.set()
    (begun,) = await deliveries(calm)

    calm.clock.ahead = 2 * MINUTE
    await run_jobs(calm)

    (done,) = await deliveries(calm)
    assert (begun["status"], done["status"], done["attempts"]) == ("waiting", "sent", 2)
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1


async def test_nobody_is_called_for_what_was_before_does_not_block_or_is_settled(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await asks(ann)
    await add(calm, receiver.address)
    await ann.calls("add_question", question="No hurry?")
    await asks(ann)
    await (await person(calm)).post(f"/sessions/{HERE}/answers", json={"answers": {"q3": "yes"}})

    await run_jobs(calm)

    assert receiver.requests == []
    assert [each["status"] for each in await deliveries(calm)] == ["not_needed"]


async def test_a_failed_task_calls_and_so_does_an_agent_that_has_been_silent_for_long(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await add(calm, receiver.address, events=["task_failed", "agent_silent"])
    await ann.calls("add_tasks", tasks=[{"description": SECRET_TEXT}, {"description": "dig"}])
    await ann.calls("update_task", task_id="t1", status="failed")
    await ann.calls("claim_task", task_id="t2")
    await asks(ann)

    await run_jobs(calm)
    calm.clock.ahead = 20 * MINUTE
    await run_jobs(calm)
    waits_for_a_person = len(receiver.requests)
    await (await person(calm)).post(f"/sessions/{HERE}/answers", json={"answers": {"q1": "no"}})
    for minutes in (40, 41, 60):
        calm.clock.ahead = minutes * MINUTE
        await run_jobs(calm)

    bodies = [json.loads(request.body) for request in receiver.requests]
    assert waits_for_a_person == 1
    assert [(body["type"], body["asker"]) for body in bodies] == [("task_failed", "ann"), ("agent_silent", "ann")]
    assert bodies[0]["link"].endswith(f"/sessions/{HERE}/plan/t1")
    assert "swordfish" not in f"{bodies}"


async def test_a_notifier_is_called_for_its_own_events_alone(calm: Table, ann: Agent, receiver: Receiver) -> None:
    await add(calm, receiver.address, events=["approval"])
    await asks(ann)

    await run_jobs(calm)

    assert receiver.requests == []
    assert await deliveries(calm) == []


async def test_ntfy_gets_a_message_for_its_topic_that_opens_the_link(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    added = await add(calm, f"{receiver.address}/our-topic", kind="ntfy")
    await asks(ann)

    await run_jobs(calm)

    (request,) = receiver.requests
    assert added["secret"] is None
    assert added["notifier"]["to"].endswith("/***")
    assert request.path == "/our-topic"
    assert request.headers["title"] == "Longtable: A question waits for an answer"
    assert request.headers["click"] == f"https://table.example.org/sessions/{HERE}/questions/q1"
    assert request.headers["priority"] == "4"
    assert request.body.decode().splitlines()[:2] == ["Plant tulips", "From: ann"]


async def test_slack_gets_a_text_in_which_nobody_can_be_mentioned(calm: Table, ann: Agent, receiver: Receiver) -> None:
    lead = calm.agent(token="acme-secret")
    await lead.calls("create_session", session_id="loud", purpose="<!channel> <https://evil.example|click> & *now*")
    await add(calm, f"{receiver.address}/services/T/B/token", kind="slack")
    await asks(calm.agent("ann", "loud", "acme-secret"))

    await run_jobs(calm)

    body = json.loads(receiver.requests[0].body)
    assert list(body) == ["text"]
    assert "<!channel>" not in body["text"]
    assert "&lt;!channel&gt;" in body["text"]
    assert "<https://table.example.org/sessions/loud/questions/q1|Open in Longtable>" in body["text"]


async def test_a_mail_server_gets_an_e_mail_and_a_refusal_is_in_the_log(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    with mail_server() as mailbox:
        smtp = {"smtp_host": "127.0.0.1", "smtp_port": str(mailbox.port), "smtp_security": "none"}
        smtp["smtp_from"] = "table@example.org"
        async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", **smtp) as table:
            await table.agent(token="acme-secret").calls("create_session", session_id=HERE, purpose="Träume")
            await add(table, "ada@example.org", name="mail", kind="email", allow_private=False)
            await asks(table.agent("ann", HERE, "acme-secret"))

            mailbox.refuses = True
            await run_jobs(table)
            (refused,) = await deliveries(table, "mail")
            mailbox.refuses = False
            table.clock.ahead = MINUTE
            await run_jobs(table)

        (mail,) = [email.message_from_bytes(each, policy=default) for each in mailbox.mails]
    assert (refused["status"], refused["response"], refused["attempts"]) == ("waiting", 451, 1)
    assert (mail["To"], mail["From"]) == ("ada@example.org", "table@example.org")
    content = mail.get_content()
    assert "Träume" in content
    assert f"/sessions/{HERE}/questions/q1" in content
    assert "swordfish" not in f"{mail}{content}"


async def test_a_password_that_a_mail_server_cannot_be_told_is_a_failure_of_the_notice(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 3600.0)
    with mail_server() as mailbox:
        smtp = {"smtp_host": "127.0.0.1", "smtp_port": str(mailbox.port), "smtp_security": "none"}
        login = {"smtp_user": "table", "smtp_password": "größe"}
        async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", **smtp, **login) as table:
            await table.agent(token="acme-secret").calls("create_session", session_id=HERE)
            await add(table, "ada@example.org", name="mail", kind="email", allow_private=False)
            await asks(table.agent("ann", HERE, "acme-secret"))

            await run_jobs(table)
            (refused,) = await deliveries(table, "mail")

    assert (refused["status"], refused["attempts"]) == ("waiting", 1)
    assert "größe" not in json.dumps(refused, ensure_ascii=False)


async def test_what_was_not_taken_is_sent_again_with_growing_pauses_under_the_same_id(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    secret = (await add(calm, receiver.address))["secret"]
    receiver.answers = [500, 503]
    await asks(ann)

    for seconds in (0, 1, 8, 9, 60):
        calm.clock.ahead = seconds * SECOND
        await run_jobs(calm)

    assert len(receiver.requests) == 3
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    # The clock of the test is ahead of that of the library, which accepts five minutes.
    assert Webhook(secret).verify(receiver.requests[-1].body, receiver.requests[-1].headers)["type"] == "question"
    (delivery,) = await deliveries(calm)
    assert (delivery["status"], delivery["attempts"], delivery["response"]) == ("sent", 3, 204)
    assert "problem" not in delivery


async def test_a_receiver_that_never_takes_it_is_given_up_and_its_failures_are_seen(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await calm.agent(token="acme-secret").calls("create_session", session_id="long", ttl="30d")
    await add(calm, receiver.address)
    receiver.answers = [500] * 50
    await asks(calm.agent("ann", "long", "acme-secret"))

    for hours in range(0, 60, 1):
        calm.clock.ahead = hours * HOUR
        await run_jobs(calm)

    (delivery,) = await deliveries(calm)
    assert (delivery["status"], delivery["attempts"]) == ("failed", 10)
    assert len(receiver.requests) == 10
    listed = (await (await person(calm)).get("/notifiers")).json()["notifiers"][0]
    assert (listed["status"], listed["last_delivery"]["problem"]) == ("failing", "The receiver answered 500.")


async def test_a_receiver_that_is_gone_is_called_no_more_until_a_test_succeeds(
    calm: Table, ann: Agent, receiver: Receiver
) -> None:
    await add(calm, receiver.address)
    receiver.answers = [410]
    await asks(ann)
    await run_jobs(calm)
    await asks(ann)
    calm.clock.ahead = HOUR
    await run_jobs(calm)
    eva = await person(calm)
    gone = (await eva.get("/notifiers")).json()["notifiers"][0]["status"]
    calls_while_gone = len(receiver.requests)

    tested = (await eva.post("/notifiers/hook/test")).json()
    await run_jobs(calm)

    assert (gone, calls_while_gone) == ("gone", 1)
    assert tested["delivered"] is True
    assert [json.loads(request.body)["type"] for request in receiver.requests] == ["question", "test", "question"]


async def test_a_hundred_questions_in_a_minute_become_few_notices(calm: Table, ann: Agent, receiver: Receiver) -> None:
    await add(calm, receiver.address)

    for second in range(10):
        calm.clock.ahead = 6 * second * SECOND
        await asyncio.gather(*(asks(ann) for _ in range(10)))
        await run_jobs(calm)
    calm.clock.ahead = 3 * MINUTE
    await run_jobs(calm)

    bodies = [json.loads(request.body) for request in receiver.requests]
    assert len(bodies) <= 7
    assert all(list(body) == FIELDS for body in bodies)
    assert all(body["type"] == "digest" for body in bodies)
    assert (bodies[-1]["session_id"], bodies[-1]["asker"]) == (HERE, "ann")
    assert bodies[-1]["link"] == "https://table.example.org/inbox"
    told = [each["covers"] for each in await deliveries(calm)]
    assert sum(told) == 100


async def test_a_slow_or_broken_receiver_keeps_no_other_waiting(calm: Table, ann: Agent, receiver: Receiver) -> None:
    await add(calm, receiver.address, name="good")
    await add(calm, "http://127.0.0.1:9/", name="nobody-there")
    await asks(ann)

    await run_jobs(calm)

    assert len(receiver.requests) == 1
    assert [each["status"] for each in await deliveries(calm, "nobody-there")] == ["waiting"]


async def test_a_redirect_is_not_followed(calm: Table, receiver: Receiver) -> None:
    await add(calm, receiver.address)
    receiver.answers = [302]

    tested = (await (await person(calm)).post("/notifiers/hook/test")).json()

    assert (tested["delivered"], tested["delivery"]["response"]) == (False, 302)
    assert [request.path for request in receiver.requests] == ["/"]


async def test_the_jobs_of_a_server_call_by_themselves_and_failures_show_in_its_status(
    store: Store, tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.background.JOB_DELAY", 0.0)
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret") as table:
        await table.agent(token="acme-secret").calls("create_session", session_id=HERE, purpose="Plant tulips")
        await add(table, receiver.address)
        receiver.answers = [500]
        await asks(table.agent("ann", HERE, "acme-secret"))

        assert await asyncio.to_thread(receiver.arrived.wait, 20)
        jobs = {job.name: job for job in table.app.slices.periodic_jobs}
        await jobs["send_notices"].run()

        shown = (await (await person(table)).get("/status")).json()["background"]
    (job,) = [each for each in shown if each["task"] == "send_notices"]
    assert (job["status"], job["failures"], job["last_failure"]["error"]) == ("running", 1, "UPSTREAM_ERROR")
    assert json.loads(receiver.requests[0].body)["type"] == "question"
