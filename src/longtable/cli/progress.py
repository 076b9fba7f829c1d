"""Progress bars, on a terminal only, and beside the output."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yields what tells it of steps that are done."""
    with progress_bars(title, total=total) as (advance,):
        yield advance


@contextmanager
def progress_bars(*titles: str, total: int) -> Iterator[list[Callable[[int], None]]]:
    """One below the other, all of the same length."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not Console(stderr=True).is_terminal) as progress:
        yield [partial(progress.advance, progress.add_task(title, total=total)) for title in titles]
