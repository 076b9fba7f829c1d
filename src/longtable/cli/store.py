"""Opens the store for a command, beside whatever servers run on it."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

from longtable.app import App, open_for_operator
from longtable.cli.flags import FlagValues
from longtable.identity.model import tenant_problem
from longtable.kernel.errors import ConfigError, InvalidArgument, ValidationFailed
from longtable.kernel.logs import logger
from longtable.log.verify import audited_tenants, verify_chain
from longtable.settings.checks import has_store_file
from longtable.settings.load import load_unbound
from longtable.settings.options import Settings

T = TypeVar("T")

STORE_FLAGS = ("data_dir", "store", "config_file")


def on_store(flags: FlagValues, work: Callable[[App], Awaitable[T]]) -> T:
    """Runs `work` on the store, which is created if missing."""
    return asyncio.run(_run(_settings(flags), work))


def on_existing_store(flags: FlagValues, work: Callable[[App], Awaitable[T]]) -> T:
    """The same for a command that needs an existing store. Raises ConfigError where there is none: an empty store in a
    mistyped folder would report that all is well."""
    settings = _settings(flags)
    if settings.store == "sqlite" and not has_store_file(settings.data_dir):
        raise ConfigError(
            f"data_dir: there is no store in {settings.data_dir}.",
            hint="Name the folder of one with --data-dir.",
            option="data_dir",
            value=str(settings.data_dir),
        )
    return asyncio.run(_run(settings, work))


async def verified_audit_records(app: App, sentence: str) -> int:
    """How many there are. Raises ValidationFailed with the sentence when a chain does not hold."""
    results = [await verify_chain(app.database, tenant, None) for tenant in await audited_tenants(app.database)]
    broken = [result.tenant for result in results if not result.holds]
    if broken:
        raise ValidationFailed(
            sentence, hint="'longtable audit verify' names the record. The store is there all the same.", tenants=broken
        )
    return sum(result.records for result in results)


def check_tenant(tenant: str) -> str:
    problem = tenant_problem(tenant)
    if problem is not None:
        raise InvalidArgument.at("tenant", problem)
    return tenant


def _settings(flags: FlagValues) -> Settings:
    settings = load_unbound(flags, os.environ).settings
    # The command itself reports failures; a log line about the same would be noise.
    logger.configure("error" if settings.log_level == "error" else "warning")
    return settings


async def _run(settings: Settings, work: Callable[[App], Awaitable[T]]) -> T:
    async with open_for_operator(settings) as app:
        return await work(app)
