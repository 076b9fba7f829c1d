"""A graph that stops at a question: people answer it at the table, and the graph goes on where it stopped.

Run it, answer in the console, and it ends. Stop it while it waits, and the next run goes on from the checkpoint."""

import asyncio
from typing import TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from longtable_client import Workspace

TABLE = "http://127.0.0.1:8765"
THREAD = {"configurable": {"thread_id": "release-1.4"}}


class ReleaseState(TypedDict, total=False):
    version: str
    question_id: str
    answer: str


def graph_at(table: Workspace) -> StateGraph:
    # A node of its own: the node with the interrupt runs again from its first line when the graph goes on.
    async def ask(state: ReleaseState) -> ReleaseState:
        asked = await table.add_question(f"Shall {state['version']} go out today?", options=["yes", "no"])
        return {"question_id": asked.question.id}

    async def wait(state: ReleaseState) -> ReleaseState:
        return {"answer": interrupt({"question_id": state["question_id"]})}

    async def record(state: ReleaseState) -> ReleaseState:
        await table.write_draft_section("release", f"{state['version']} goes out: {state['answer']}")
        return {}

    graph = StateGraph(ReleaseState)
    graph.add_node("ask", ask)
    graph.add_node("wait", wait)
    graph.add_node("record", record)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", "wait")
    graph.add_edge("wait", "record")
    graph.add_edge("record", END)
    return graph


async def main() -> None:
    async with (
        Workspace.open(TABLE, agent="release_bot") as table,
        AsyncSqliteSaver.from_conn_string("checkpoints.db") as checkpoints,
    ):
        graph = graph_at(table).compile(checkpointer=checkpoints)
        if not (await graph.aget_state(THREAD)).values:
            await graph.ainvoke({"version": "1.4"}, THREAD)
        while interrupts := (await graph.aget_state(THREAD)).interrupts:
            print("waits for", interrupts[0].value["question_id"], flush=True)
            settled = await table.wait_for_answers([interrupts[0].value["question_id"]])
            for question in settled.answers:
                await graph.ainvoke(Command(resume=question.answer), THREAD)
        print((await graph.aget_state(THREAD)).values["answer"])


asyncio.run(main())
