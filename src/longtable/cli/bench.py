"""`longtable bench`: what this machine and this version do, measured in some seconds."""

from typing import Annotated

import typer

from longtable.cli.output import AsJson, note, say, say_json, say_table


def register(app: typer.Typer) -> None:
    @app.command("bench")
    def bench(
        seconds: Annotated[float, typer.Option(min=0.2, max=60, help="For each measurement.")] = 2.0,
        writers: Annotated[int, typer.Option(min=1, max=64, help="How many write at the same time.")] = 16,
        as_json: AsJson = False,
    ) -> None:
        """Measure this machine: a server on a store of its own, for some seconds. The store is temporary, in the folder
        for temporary files: where that is in memory, set TMPDIR to a folder on your disk."""
        # A client and what starts a server: more than other commands load.
        from longtable.cli.bench_run import run_benchmark

        note(f"Five measurements of {seconds:g} seconds each...")
        report = run_benchmark(seconds, writers)
        if as_json:
            say_json({"ok": True, **report})
            return
        columns = ("what", "calls", "per_second", "p50_ms", "p95_ms")
        say_table(columns, [[each[column] for column in columns] for each in report["measurements"]])
        say(f"Longtable {report['version']}, Python {report['python']}, {report['cores']} cores, {report['system']}.")
