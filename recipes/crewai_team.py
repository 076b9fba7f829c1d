"""Two agents of CrewAI at one table, each under its own name."""

from crewai import Agent, Crew, Task
from crewai.mcp import MCPServerHTTP

TABLE = "http://127.0.0.1:8765/mcp"
HABITS = "You share a table with other agents: call brief first, read what they pinned, and pin what you find."


def member(name: str, goal: str) -> Agent:
    table = MCPServerHTTP(url=TABLE, headers={"X-Caller-Agent": name})
    return Agent(role=name, goal=goal, backstory=f"You are {name}. {HABITS}", mcps=[table], llm="openai/gpt-5-mini")


team = [
    member("researcher", "Find out how SQLite lets one process write while others read."),
    member("writer", "Write the section `summary` of the draft from the notes."),
]
tasks = [Task(description=agent.goal, expected_output="One line.", agent=agent) for agent in team]
for done in Crew(agents=team, tasks=tasks).kickoff().tasks_output:
    print(f"{done.agent}: {done.raw}")
