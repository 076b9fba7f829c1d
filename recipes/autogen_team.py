"""Two agents of AutoGen at one table, each under its own name."""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StreamableHttpServerParams

TABLE = "http://127.0.0.1:8765/mcp"
HABITS = "You share a table with other agents: call brief first, read what they pinned, and pin what you find."


async def work(name: str, task: str) -> None:
    model = OpenAIChatCompletionClient(model="gpt-5-mini")
    # A tool that waits, such as wait_for_answers, takes up to 50 seconds.
    connection = StreamableHttpServerParams(url=TABLE, headers={"X-Caller-Agent": name}, timeout=60)
    async with McpWorkbench(connection) as table:
        agent = AssistantAgent(
            name, model, workbench=table, system_message=f"You are {name}. {HABITS}", max_tool_iterations=20
        )
        result = await agent.run(task=task)
        print(f"{name}: {result.messages[-1].content}")
    await model.close()


async def main() -> None:
    await work("researcher", "Find out how SQLite lets one process write while others read.")
    await work("writer", "Write the section `summary` of the draft from the notes.")


asyncio.run(main())
