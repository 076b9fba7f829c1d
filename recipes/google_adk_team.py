"""Two agents of Google's ADK at one table, each under its own name."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams

TABLE = "http://127.0.0.1:8765/mcp"
HABITS = "You share a table with other agents: call brief first, read what they pinned, and pin what you find."


async def work(name: str, task: str) -> None:
    # A tool that waits, such as wait_for_answers, takes up to 50 seconds.
    connection = StreamableHTTPConnectionParams(url=TABLE, headers={"X-Caller-Agent": name}, timeout=60)
    table = McpToolset(connection_params=connection)
    agent = LlmAgent(name=name, model="gemini-2.5-flash", instruction=f"You are {name}. {HABITS}", tools=[table])
    runner = InMemoryRunner(agent)
    events = await runner.run_debug(task, quiet=True)
    print(f"{name}: {events[-1].content.parts[0].text}")
    await runner.close()


async def main() -> None:
    await work("researcher", "Find out how SQLite lets one process write while others read.")
    await work("writer", "Write the section `summary` of the draft from the notes.")


asyncio.run(main())
