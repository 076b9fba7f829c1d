"""`longtable reindex`: rebuilds words and vectors from the texts, beside running servers."""

from typing import Annotated, Any

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say_result
from longtable.cli.progress import progress_bar
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import SearchUnavailable
from longtable.search.texts import TEXTS
from longtable.vectors import reindex
from longtable.vectors.slice import VectorSlice, join_vectors

FLAGS = (*STORE_FLAGS, "enable_semantic_search", "embedding_model")


def register(app: typer.Typer) -> None:
    @command_with_options(app, "reindex", only=FLAGS)
    def reindex(
        flags: FlagValues,
        tenant: Annotated[str, typer.Option(help="Whose texts.")] = DEFAULT_TENANT,
        all_tenants: Annotated[bool, typer.Option("--all", help="Those of every tenant.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Make the search index anew from the texts: words, then vectors. It may be stopped and run again."""
        answer = on_existing_store(flags, lambda store: _reindex(store, None if all_tenants else check_tenant(tenant)))
        limits = [] if answer["degraded"] is None else [f"By their words only: {answer['degraded']}"]
        found = f"{answer['texts']} texts of {answer['tenants']} tenants can be found."
        say_result({"ok": True, **answer}, found, as_json, *limits)


async def _reindex(app: App, tenant: str | None) -> dict[str, Any]:
    vectors = join_vectors(app.settings, app.database, app.background, app.clock, TEXTS)
    try:
        return await _reindex_with(app, vectors, tenant)
    finally:
        for close in vectors.closers:
            await close()


async def _reindex_with(app: App, vectors: VectorSlice, tenant: str | None) -> dict[str, Any]:
    tenants = [tenant] if tenant is not None else await reindex.tenants(app.database)
    await vectors.words.index_all()
    if tenant is None:
        await reindex.empty(app.database)
    counts = [len(await reindex.refs(app.database, each, TEXTS)) for each in tenants]
    texts = 0
    with progress_bar("Words", sum(counts)) as advance:
        for each in tenants:
            texts += await reindex.reindex(app.database, each, TEXTS, advance)
    if tenant is None:
        await reindex.mark_complete(app.database)
    return {"tenants": len(tenants), "texts": texts, "degraded": await _embed(vectors)}


async def _embed(vectors: VectorSlice) -> str | None:
    """Embeds what is queued. Returns the reason where that is not possible now; the vectors are then made later."""
    indexer, meaning = vectors.indexer, vectors.meaning
    total = await indexer.waiting()
    with progress_bar("Vectors", total) as advance:
        left = total

        def report(waiting: int) -> None:
            nonlocal left
            advance(left - waiting)
            left = waiting

        try:
            await indexer.drain(report)
        except SearchUnavailable as error:
            return error.message
        advance(left)
    return meaning.problem
