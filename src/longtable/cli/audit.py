"""`longtable audit`: proves that nobody changed the audit log, and copies it out."""

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, note, say, say_json, visible
from longtable.cli.owner import owner_of
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.kernel.call import Call
from longtable.kernel.errors import ConfigError, LongtableError, NotFound, ValidationFailed
from longtable.log.anchors import AnchorFile, Anchors
from longtable.log.export import audit_lines
from longtable.log.verify import ChainVerification, audited_tenants, verify_chain

group = typer.Typer(help="Verify and export the audit log.")

Tenant = Annotated[str | None, typer.Option(help="Only this tenant.", show_default="all")]


@command_with_options(group, "verify", only=STORE_FLAGS)
def verify(
    flags: FlagValues,
    tenant: Tenant = None,
    accept_shorter: Annotated[
        bool, typer.Option("--accept-shorter", help="After a restore: what the store holds now is right.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Recompute the chain of every audit record, and compare it with the anchor beside the store. Exits with 1 when a
    record was changed, removed or slipped in, or when the store has lost its end."""
    results = on_existing_store(flags, lambda app: _verify(app, tenant, accept_shorter))
    broken = [result for result in results if not result.holds]
    if not as_json:
        for result in results:
            say(_sentence(result))
        if not results:
            say("There are no audit records yet.")
    if broken:
        raise _tampered(broken)
    if as_json:
        say_json({"ok": True, "tenants": [_fields(result) for result in results]})


@command_with_options(group, "export", only=STORE_FLAGS)
def export(
    flags: FlagValues,
    tenant: Tenant = None,
    output: Annotated[Path | None, typer.Option(help="A file to make.", show_default="standard output")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the audit records as JSON lines, oldest first, with the digests that chain them."""
    count = on_existing_store(flags, lambda app: _export(app, tenant, output))
    if output is None:
        return
    if as_json:
        say_json({"ok": True, "records": count, "output": str(output)})
    else:
        note(f"{count} records are in {output}.")


async def _verify(app: App, tenant: str | None, accept_shorter: bool) -> list[ChainVerification]:
    file = AnchorFile.of(app.settings.data_dir, app.settings.store)
    anchors = {} if accept_shorter else await file.read()
    names = await _tenants(app, tenant, anchors)
    results = [await verify_chain(app.database, name, anchors.get(name)) for name in names]
    if not all(result.holds for result in results):
        return results
    if accept_shorter:
        for name in names:
            app.ledger.observe(Call(owner_of(name), "accept_audit_anchor", "audit_anchor_accepted"), "SUCCESS")
        await app.ledger.flush()
        await file.accept(app.database)
    else:
        await file.advance(app.database)
    return results


async def _export(app: App, tenant: str | None, output: Path | None) -> int:
    tenants = await _tenants(app, tenant)
    if output is None:
        return await _write(app, tenants, sys.stdout)
    with _new_file(output) as file:
        return await _write(app, tenants, file)


async def _write(app: App, tenants: list[str], file: TextIO) -> int:
    count = 0
    for tenant in tenants:
        async for lines in audit_lines(app.database, tenant):
            file.writelines(lines)
            count += len(lines)
    return count


async def _tenants(app: App, tenant: str | None, anchors: Anchors | None = None) -> list[str]:
    known = sorted({*await audited_tenants(app.database), *(anchors or {})})
    if tenant is None:
        return known
    if check_tenant(tenant) not in known:
        raise NotFound(f"The tenant {visible(tenant)} has no audit records.")
    return [tenant]


def _new_file(path: Path) -> TextIO:
    try:
        return open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"--output: {path} cannot be made ({error.strerror}).", hint="Name a file that is not there yet."
        ) from error


def _sentence(result: ChainVerification) -> str:
    if result.holds:
        return f"{visible(result.tenant)}: {result.records} records, the chain holds."
    return f"{visible(result.tenant)}: broken at record {result.broken_at}: {result.problem}."


def _fields(result: ChainVerification) -> dict[str, Any]:
    return {**asdict(result), "holds": result.holds}


def _tampered(broken: list[ChainVerification]) -> LongtableError:
    return ValidationFailed(
        f"The audit log was tampered with. {' '.join(map(_sentence, broken))}",
        tenants=[_fields(result) for result in broken],
    )
