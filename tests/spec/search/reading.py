"""What the tests about search write, and how they ask."""

from typing import Any

from tests.table import Agent, Table


async def embedded(table: Table) -> None:
    """Until every text has its vectors."""
    await table.app.slices.indexer.drain(lambda _: None)


async def pad(agent: Agent, scratch_id: str, *contents: str, language: str = "md", **metadata: Any) -> list[str]:
    """A scratchpad with cells; the ids of the cells."""
    cells = [{"language": language, "content": content} for content in contents]
    created = await agent.calls("scratch_create", scratch_id=scratch_id, metadata=metadata, cells=cells)
    return [cell["cell_id"] for cell in created["scratchpad"]["cells"]]


async def scratch_hits(agent: Agent, query: str, **arguments: Any) -> list[tuple[str, str | None]]:
    """Scratchpad and cell of each hit, best first."""
    found = await agent.calls("scratch_search", query=query, max_chars=0, **arguments)
    return [(hit["scratch_id"], hit["cell_id"]) for hit in found["hits"]]


async def searches(agent: Agent, **arguments: Any) -> dict[str, Any]:
    """The answer of GET /search."""
    answer: dict[str, Any] = (await agent.client.get("/search", params=arguments)).json()
    return answer


async def kinds_and_ids(agent: Agent, **arguments: Any) -> list[tuple[str, str | int]]:
    return [(hit["kind"], hit["id"]) for hit in (await searches(agent, **arguments))["hits"]]


async def ids(agent: Agent, query: str) -> list[str]:
    """Of what is found by its words, the best first."""
    found = await agent.calls("search_context", query=query, mode="keyword", limit=100)
    return [hit["id"] for hit in found["results"]]
