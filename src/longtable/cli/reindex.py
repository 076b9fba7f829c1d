"""`longtable reindex`: rebuilds words and vectors from the texts, beside running servers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, note, say, say_json
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import SearchUnavailable
from longtable.search.texts import TEXTS
from longtable.vectors import reindex

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
        if as_json:
            say_json({"ok": True, **answer})
            return
        say(f"{answer['texts']} texts of {answer['tenants']} tenants can be found.")
        if answer["degraded"] is not None:
            note(f"By their words only: {answer['degraded']}")


async def _reindex(app: App, tenant: str | None) -> dict[str, Any]:
    tenants = [tenant] if tenant is not None else await reindex.tenants(app.database)
    if tenant is None:
        await reindex.empty(app.database)
    counts = [len(await reindex.refs(app.database, each, TEXTS)) for each in tenants]
    texts = 0
    with _bar("Words", sum(counts)) as advance:
        for each in tenants:
            texts += await reindex.reindex(app.database, each, TEXTS, advance)
    if tenant is None:
        await reindex.mark_complete(app.database)
    return {"tenants": len(tenants), "texts": texts, "degraded": await _embed(app)}


async def _embed(app: App) -> str | None:
    """Why there are no vectors, if so; they are made as soon as there can be any."""
    indexer, meaning = app.slices.indexer, app.slices.meaning
    total = await indexer.waiting()
    with _bar("Vectors", total) as advance:
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


@contextmanager
def _bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """On a terminal only, and beside the output."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not Console(stderr=True).is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda steps: progress.advance(task, steps)
