"""Many processes that make the same call with one idempotency key, and one that is killed in the middle of it."""

import asyncio
import json
import os
from pathlib import Path

from tests.e2e.servers import Options, Processes, Stdio
from tests.gateway.hostile.entries import hostile_json

TOOL = "mindscape_run_shift_delete_note"


def with_gateway(options: Options, folder: Path) -> Options:
    """`folder` is where the upstream records what it runs, in whichever process."""
    file = folder / "gateway.json"
    rules = [{"match": "shift.delete_note", "layer": "governed", "confirm": "none"}]
    limits = {"tool": "100000/s"}
    servers = {"shift": hostile_json("shifting", 3, "promises", folder)}
    file.write_text(json.dumps({"mcpServers": servers, "rules": rules, "rate_limits": limits}))
    file.chmod(0o600)
    few = {"postgres_pool": "3"}
    return {**options, **few, "agent": "alice", "project": "team", "log_level": "warning", "gateway_config": str(file)}


async def check_one_effect(processes: Processes, options: Options, folder: Path, many: int) -> None:
    options = with_gateway(options, folder)
    stdios = [processes.stdio(options) for _ in range(many)]
    await asyncio.gather(*(stdio.opens() for stdio in stdios))
    await asyncio.gather(*(code_of(stdio, "warm") for stdio in stdios))
    before = effects(folder)

    codes = await asyncio.gather(*(code_of(stdio, "one key") for stdio in stdios))

    assert (before, set(codes), effects(folder)) == (1, {"SUCCESS"}, 2)


async def check_unknown_outcome(processes: Processes, options: Options, folder: Path) -> None:
    """Takes as long as a claim counts after its process was last heard of."""
    options = with_gateway(options, folder)
    first, second = (processes.stdio(options) for _ in range(2))
    await asyncio.gather(first.opens(), second.opens())
    await asyncio.gather(*(code_of(stdio, f"warm {number}") for number, stdio in enumerate((first, second))))
    for name in ("calling", "go"):
        os.mkfifo(folder / name)
    lost = asyncio.create_task(code_of(first, "one key"))
    await asyncio.to_thread((folder / "calling").read_text)
    (folder / "calling").unlink()
    (folder / "go").unlink()
    first.kill()
    lost.cancel()

    codes = [await code_of(second, "one key") for _ in range(2)]

    assert (codes, effects(folder)) == (["OUTCOME_UNKNOWN"] * 2, 3)


async def code_of(stdio: Stdio, key: str) -> str:
    answer = await stdio.asks("tools/call", {"name": TOOL, "arguments": {"idempotency_key": key}})
    result = answer["result"]
    return result["structuredContent"]["error"]["code"] if result["isError"] else "SUCCESS"


def effects(folder: Path) -> int:
    return (folder / "ran").read_text().splitlines().count("delete_note")
