"""`longtable doctor`: what is wrong with an installation, its store or its surroundings, and what helps."""

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, note, say, say_json, visible
from longtable.doctor.configuration_checks import check_callers, check_options
from longtable.doctor.data_checks import check_beside_store
from longtable.doctor.findings import HealthFinding
from longtable.doctor.server_store_check import check_server_store
from longtable.doctor.store_checks import check_backups, check_closed_folder, check_folder, check_store
from longtable.doctor.surroundings_checks import (
    check_clients,
    check_console,
    check_machine,
    check_model,
    check_port,
    check_upstreams,
)
from longtable.kernel.errors import ConfigError
from longtable.settings.load import load_unbound
from longtable.settings.options import Settings

_SHOWN = ("data_dir", "store", "config_file", "http_host", "http_port", "gateway_config", "backup_every")
_SIGNS = {"ok": "ok", "warning": "warning", "error": "ERROR"}


def register(app: typer.Typer) -> None:
    @command_with_options(app, "doctor", shown=_SHOWN)
    def doctor(
        flags: FlagValues,
        fix: Annotated[bool, typer.Option("--fix", help="Repair what can be repaired without a doubt.")] = False,
        as_json: AsJson = False,
    ) -> None:
        """Look for what is wrong, and name the remedy. It looks at versions, options, data folder, store, tokens, port,
        console, model, upstreams and clients. Exits with 1 for an error, with 0 otherwise. Nothing is changed without
        --fix. It takes every option of 'longtable serve': give it those that your server has."""
        findings = list(_look(flags))
        fixed = _repair(findings) if fix else []
        if fixed:
            findings = list(_look(flags))
        is_well = not any(each.severity == "error" for each in findings)
        if as_json:
            repaired = [each.message for each in fixed]
            say_json({"ok": is_well, "findings": [each.view() for each in findings], "fixed": repaired})
        else:
            _report(findings, fixed)
        if not is_well:
            raise typer.Exit(1)


def _repair(findings: list[HealthFinding]) -> list[HealthFinding]:
    fixed = []
    for each in findings:
        if each.fix is None:
            continue
        try:
            each.fix()
        except OSError as error:
            note(f"not fixed: {visible(each.message)} ({error.strerror})")
        else:
            fixed.append(each)
    return fixed


def _look(flags: FlagValues) -> Iterator[HealthFinding]:
    yield from check_machine()
    try:
        loaded = load_unbound(flags, os.environ)
    except ConfigError as error:
        yield HealthFinding(
            "configuration",
            "error",
            error.message,
            "'longtable config' shows every option and where its value comes from.",
        )
        return
    settings = loaded.settings
    yield from check_options(loaded)
    yield from _look_at_data(settings)
    yield from check_port(settings)
    yield from check_console(settings)
    yield from check_model(settings)
    yield from check_upstreams(settings)
    yield from check_clients()


def _look_at_data(settings: Settings) -> Iterator[HealthFinding]:
    if settings.store != "sqlite":
        yield from check_server_store(settings)
    elif closed := list(check_closed_folder(settings)):
        yield from closed
        return
    else:
        yield from check_folder(settings)
        yield from check_store(settings)
        yield from check_beside_store(settings)
        yield from check_backups(settings)
    yield from check_callers(settings)


def _report(findings: list[HealthFinding], fixed: list[HealthFinding]) -> None:
    for each in fixed:
        say(f"fixed    {visible(each.message)}")
    for each in findings:
        say(f"{_SIGNS[each.severity]:8} {each.check}: {visible(each.message)}")
        if each.remedy is not None:
            say(f"{'':8} -> {visible(each.remedy)}")
    counts = {kind: sum(each.severity == kind for each in findings) for kind in ("error", "warning")}
    say(f"{counts['error']} errors, {counts['warning']} warnings.")
