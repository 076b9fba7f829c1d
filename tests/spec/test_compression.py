"""Answers of REST are compressed: which, for whom, and which never."""

import gzip
import json
from pathlib import Path

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.accept_encoding import accepts_gzip
from longtable.kernel.caller import Role
from tests.sse import listens
from tests.table import Agent, Table

NOTES = "/sessions/sess_one/notes"


async def plain(client: httpx2.AsyncClient, path: str, accepted: str) -> tuple[httpx2.Headers, bytes]:
    """The headers and the bytes as they came."""
    async with client.stream("GET", path, headers={"Accept-Encoding": accepted}) as answer:
        return answer.headers, b"".join([part async for part in answer.aiter_raw()])


async def fill(alice: Agent, count: int = 40) -> None:
    for number in range(count):
        await alice.adds_note(f"the walls of the {number}th house are dry")


async def test_a_long_answer_is_compressed_for_who_accepts_it(alice: Agent) -> None:
    await fill(alice)

    headers, body = await plain(alice.client, NOTES, "gzip")
    without, whole = await plain(alice.client, NOTES, "identity")

    assert (headers["content-encoding"], headers["vary"]) == ("gzip", "Accept, Accept-Encoding")
    assert int(headers["content-length"]) == len(body) < len(whole) / 4
    assert json.loads(gzip.decompress(body)) == json.loads(whole)
    assert ("content-encoding" in without, without["vary"]) == (False, "Accept, Accept-Encoding")


async def test_a_short_answer_and_an_answer_to_a_change_are_sent_as_they_are(alice: Agent) -> None:
    headers, _ = await plain(alice.client, NOTES, "gzip")
    long = {"content": "x" * 5_000}
    added = await alice.client.post(NOTES, json=long, headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in headers
    assert "content-encoding" not in added.headers


async def test_a_page_of_a_hundred_notes_moves_few_bytes(alice: Agent) -> None:
    await fill(alice, 100)

    _, body = await plain(alice.client, f"{NOTES}?limit=100", "gzip")

    assert len(body) < 15_000


async def test_what_has_the_csrf_token_and_event_streams_are_never_compressed(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    issued = await company.app.tokens.create(Credential("acme", Role.OWNER, "eva"), None)
    eva = company.agent(token=issued.secret).client

    me, _ = await plain(eva, "/me", "gzip")
    given = {"authorization": f"Bearer {issued.secret}", "accept_encoding": "gzip"}
    async with listens(company.http, "/sessions/sess_one/events?after=0", **given) as stream:
        await stream.takes(1)

    assert "content-encoding" not in me
    assert "content-encoding" not in stream.headers


async def test_an_export_is_compressed_as_it_comes(company: Table, tmp_path: Path) -> None:
    ada = company.agent("ada", None, "acme-secret")
    await ada.calls("create_session", session_id="sess_one")
    await fill(company.agent("ada", "sess_one", "acme-secret"), 5)
    eva = (await company.bearer(Role.OWNER)).client

    headers, body = await plain(eva, "/sessions/sess_one/export", "gzip")

    assert headers["content-encoding"] == "gzip"
    assert len(json.loads(gzip.decompress(body))["notes"]) == 5


@pytest.mark.parametrize(
    ("sent", "accepted"),
    [
        ("gzip", True),
        ("deflate, gzip;q=0.5", True),
        ("br, *", True),
        ("GZIP", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("gzip;q=much", False),
        ("br", False),
        ("", False),
    ],
)
def test_what_a_client_accepts(sent: str, accepted: bool) -> None:
    assert accepts_gzip([(b"accept-encoding", sent.encode())]) is accepted
