"""Plain calls of upstream tools take the fast path past the SDK. Nobody can tell: both ways answer alike."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.slice.gateway import DELETE, GET, LIST, opened
from tests.spec.fast_path_cases import ABSENT, CAPABILITIES, ENVELOPE, HELD, PREFIX, CallCase, FastPathCase
from tests.spec.test_fast_path import Answer, answer_of, both_ways, connection_to, taken, with_connection
from tests.stores import Store

pytestmark = pytest.mark.slow


def called(name: str, plain: bool, tool: str = LIST, arguments: Any = None, **more: Any) -> FastPathCase:
    meta = {**ENVELOPE, **more.pop("meta", {})}
    headers = {"x-session-id": ABSENT, **more.pop("headers", {})}
    return CallCase(tool, arguments or {}, meta, headers=headers, **more).case(name, plain)


CONNECTED = {"mcp-protocol-version": "2025-11-25", "mcp-session-id": HELD, "mcp-method": ABSENT, "mcp-name": ABSENT}
CASES = [
    called("a read", True),
    called("with inputs", True, GET, {"inputs": {"id": 7}}),
    called("wrong inputs", True, GET, {"inputs": {"id": {}}}),
    called("a governed one", True, DELETE, {"inputs": {"id": 7}}),
    called("no such tool", True, "mindscape_tool_shop_nothing"),
    called("a key beside", True, meta={"longtable/idempotency_key": "k"}),
    called("a bad key beside", True, meta={"longtable/idempotency_key": 7}),
    called("progress", False, meta={"progressToken": 1}),
    called("log", False, meta={f"{PREFIX}logLevel": "info"}),
    called("can be asked", False, meta={CAPABILITIES: {"elicitation": {}}}),
    replace(called("connected", True, headers=CONNECTED), body=CallCase(LIST, {}, ABSENT).body()),
    replace(called("connected, refused", True, headers=CONNECTED), body=CallCase(GET, {"inputs": 1}, ABSENT).body()),
]


async def test_both_ways_answer_alike(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway, both_ways(gateway.table) as (fast, sdk):
        connection_id = await connection_to(fast)
        for case in (with_connection(case, connection_id) for case in CASES):
            before = taken(fast)
            one, other = await answer_of(fast, case), await answer_of(sdk, case)

            assert _told(one) == _told(other), case.name
            assert (taken(fast) > before) == case.plain, case.name


def _told(answer: Answer) -> Any:
    if "text/event-stream" in answer.headers.get("content-type", ""):
        return answer.status
    status, headers, _ = answer.visible
    text = json.dumps(json.loads(answer.body), sort_keys=True)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "a moment", text)
    return status, headers, re.sub(r'(duration_ms|expires_in)\\*": [\d.]+|(dec|ct)_\w+|\w{24,}', "one of its own", text)
