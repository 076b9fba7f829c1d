"""What callers hear when a Mindscape backend fails: a code for each cause, and the backend's own words."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longtable.kernel.errors import LongtableError, NotFound, UpstreamError
from longtable.upstreams.mindscape_client import Backend, MindscapeClient
from tests.gateway.mindscape.gateway import BackendGateway, local, opened
from tests.gateway.mindscape.reference import ReferenceBackend
from tests.stores import Store

ALICE = local()
EXECUTE = "POST /tools/execute"
ORDERS = "mindscape_tool_shop_list_orders"


async def refusal(gateway: BackendGateway, name: str = ORDERS) -> LongtableError:
    with pytest.raises(LongtableError) as problem:
        await gateway.calls(ALICE, name)
    return problem.value


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "UNAUTHORIZED"),
        (403, "FORBIDDEN"),
        (404, "NOT_FOUND"),
        (409, "CONFLICT"),
        (422, "INVALID_ARGUMENT"),
        (429, "RATE_LIMITED"),
        (500, "UPSTREAM_ERROR"),
        (503, "UPSTREAM_ERROR"),
        (504, "UPSTREAM_TIMEOUT"),
    ],
)
async def test_each_status_has_its_code_and_keeps_the_detail(
    gateway: BackendGateway, backend: ReferenceBackend, status: int, code: str
) -> None:
    await backend.has(statuses={EXECUTE: {"status": status, "detail": "not_installed"}})

    problem = await refusal(gateway)

    assert problem.code == code
    assert problem.details["detail"] == "not_installed"
    assert problem.details["upstream_status"] == status


async def test_that_the_backend_refused_our_credential_is_not_blamed_on_the_callers(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(statuses={EXECUTE: {"status": 401}})

    problem = await refusal(gateway)

    assert problem.details["reason"] == "credential"
    assert "MINDSCAPE_API_KEY" in problem.message


async def test_faults_of_arguments_are_passed_on_as_the_backend_lists_them(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    faults = [{"loc": ["body", "day"], "msg": "no such day", "type": "value_error"}]
    await backend.has(statuses={EXECUTE: {"status": 422, "detail": faults}})

    problem = await refusal(gateway)

    assert problem.details["detail"] == faults


async def test_a_detail_without_end_is_cut(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(statuses={EXECUTE: {"status": 500, "detail": "x" * 100_000}})

    problem = await refusal(gateway)

    assert len(problem.details["detail"]) == 2_000
    assert len(problem.message) < 500


async def test_a_limit_of_the_backend_says_when_to_come_back(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(statuses={EXECUTE: {"status": 429, "headers": {"Retry-After": "7"}}})

    problem = await refusal(gateway)

    assert problem.details["retry_after"] == 7


@pytest.mark.parametrize(
    ("fault", "reason"),
    [({"truncate": [EXECUTE]}, "not_json"), ({"drop_after": {EXECUTE: 10}}, "unreachable")],
)
async def test_half_an_answer_is_no_answer(
    gateway: BackendGateway, backend: ReferenceBackend, fault: dict[str, Any], reason: str
) -> None:
    await backend.has(**fault)

    problem = await refusal(gateway)

    assert (problem.code, problem.details["reason"]) == ("UPSTREAM_ERROR", reason)


class _Says(httpx2.AsyncBaseTransport):
    def __init__(self, body: bytes) -> None:
        self.body = body

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, stream=_Bytes(self.body))


class _Bytes(httpx2.AsyncByteStream):
    def __init__(self, body: bytes) -> None:
        self.body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.body


@pytest.mark.parametrize("body", [b'["\\ud800"]', b"[NaN]", b"[" * 200_000, b"", b"<html>", b'"\xff"'])
async def test_what_could_not_be_passed_on_is_no_answer(body: bytes) -> None:
    client = MindscapeClient(Backend("https://mindscape.example.org"), transport=_Says(body))

    with pytest.raises(UpstreamError) as problem:
        await client.get("/workspaces/")
    await client.close()

    assert problem.value.details["reason"] == "not_json"


async def test_a_slow_tool_is_given_up_in_time(store: Store, tmp_path: Path, backend: ReferenceBackend) -> None:
    await backend.has(latency={EXECUTE: 5})

    async with opened(store, tmp_path, backend.url, {"MINDSCAPE_TIMEOUT": "300"}) as gateway:
        problem = await refusal(gateway)

    assert problem.code == "UPSTREAM_TIMEOUT"


async def test_a_slow_first_answer_is_waited_for(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(slow_first={"POST /tools/filtered": 0.5, EXECUTE: 0.3})

    result = await gateway.calls(ALICE, ORDERS)

    assert not result.is_error


async def test_a_redirect_to_the_same_host_is_followed_and_keeps_the_query(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(slash_redirects=True, workspaces=[{"title": "x", "id": "w9"}])
    client = gateway.upstream.client

    found = await client.get("/workspaces", {"limit": 1})

    assert [each["id"] for each in found] == ["w9"]
    assert (await backend.requests("GET /workspaces/"))[-1]["query"] == {"limit": "1"}


async def test_a_redirect_to_another_host_is_refused(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(redirect_to={EXECUTE: "http://127.0.0.1:9/api/v1/tools/execute"})

    problem = await refusal(gateway)

    assert problem.details["reason"] == "redirect_refused"


async def test_a_backend_that_is_down_is_left_alone_after_five_failures(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    async with opened(store, tmp_path, "http://127.0.0.1:9") as gateway:
        client = gateway.upstream.client
        for _ in range(5):
            with pytest.raises(UpstreamError):
                await client.get("/workspaces/")

        with pytest.raises(UpstreamError) as problem:
            await client.get("/workspaces/")

    assert "left alone" in problem.value.message
    assert problem.value.details["retry_after"] > 0


async def test_tools_that_fail_do_not_stop_the_others(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(statuses={EXECUTE: {"status": 500, "times": 6}})
    for _ in range(6):
        await refusal(gateway)

    result = await gateway.calls(ALICE, ORDERS)

    assert not result.is_error


async def test_plain_http_to_another_machine_is_refused(
    store: Store, tmp_path: Path, backend: ReferenceBackend
) -> None:
    async with opened(store, tmp_path, "http://mindscape.example.org") as gateway:
        with pytest.raises(UpstreamError) as problem:
            await gateway.upstream.definitions()

    assert "https" in problem.value.message


async def test_at_most_sixteen_calls_go_to_the_backend_at_once(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    client = gateway.upstream.client
    await backend.has(latency={"GET /workspaces/": 0.1})

    await asyncio.gather(*(client.get("/workspaces/") for _ in range(40)))

    assert await backend.peak() == 16


async def test_a_workspace_that_is_gone_is_forgotten(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await gateway.calls(ALICE, ORDERS)
    [before] = await backend.workspaces()
    await backend.has(forget_workspaces=True)

    problem = await refusal(gateway)
    await gateway.calls(ALICE, ORDERS)

    [after] = await backend.workspaces()
    assert isinstance(problem, NotFound)
    assert problem.details["workspace_id"] == before["id"] != after["id"]
