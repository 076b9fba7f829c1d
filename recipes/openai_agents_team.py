"""Two agents of the OpenAI Agents SDK at one table, each under its own name."""

import asyncio

from agents import Agent, Runner
from agents.mcp import MCPServerStreamableHttp

TABLE = "http://127.0.0.1:8765/mcp"
HABITS = "You share a table with other agents: call brief first, read what they pinned, and pin what you find."


async def work(name: str, task: str) -> None:
    connection = {"url": TABLE, "headers": {"X-Caller-Agent": name}}
    # A tool that waits, such as wait_for_answers, takes up to 50 seconds.
    async with MCPServerStreamableHttp(params=connection, client_session_timeout_seconds=60) as table:
        agent = Agent(name=name, model="gpt-5-mini", instructions=f"You are {name}. {HABITS}", mcp_servers=[table])
        result = await Runner.run(agent, task)
        print(f"{name}: {result.final_output}")


async def main() -> None:
    await work("researcher", "Find out how SQLite lets one process write while others read.")
    await work("writer", "Write the section `summary` of the draft from the notes.")


asyncio.run(main())
