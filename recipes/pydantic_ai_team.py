"""Two agents of Pydantic AI at one table, each under its own name."""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

TABLE = "http://127.0.0.1:8765/mcp"
HABITS = "You share a table with other agents: call brief first, read what they pinned, and pin what you find."


async def work(name: str, task: str) -> None:
    # A tool that waits, such as wait_for_answers, takes up to 50 seconds.
    table = MCPToolset(TABLE, headers={"X-Caller-Agent": name}, read_timeout=60)
    agent = Agent("openai:gpt-5-mini", instructions=f"You are {name}. {HABITS}", toolsets=[table])
    async with agent:
        result = await agent.run(task)
    print(f"{name}: {result.output}")


async def main() -> None:
    await work("researcher", "Find out how SQLite lets one process write while others read.")
    await work("writer", "Write the section `summary` of the draft from the notes.")


asyncio.run(main())
