"""`longtable config`: the configuration in force, and where each value comes from."""

import os

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say_rows
from longtable.kernel.errors import ConfigError
from longtable.settings.checks import check_bind
from longtable.settings.load import Loaded, load_unbound
from longtable.settings.show import describe, notices


def register(app: typer.Typer) -> None:
    @command_with_options(app, "config")
    def config(flags: FlagValues, as_json: AsJson = False) -> None:
        """Show every option with its value and its source. Secrets are masked."""
        loaded = load_unbound(flags, os.environ)
        options, sentences = describe(loaded), [*notices(loaded), *_about_serving(loaded)]
        rows = [[row["name"], row["value"], row["source"]] for row in options]
        body = {"ok": True, "options": options, "notices": sentences}
        say_rows(body, ("option", "value", "source"), rows, as_json, *sentences)


def _about_serving(loaded: Loaded) -> list[str]:
    """Reported instead of raised: this command is for finding the reason."""
    try:
        check_bind(loaded.settings)
    except ConfigError as error:
        return [f"'longtable serve' will refuse this. {error.message}"]
    return []
