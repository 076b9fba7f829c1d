"""Connects to upstreams as soon as the server answers, so that the first list of tools is a full one."""

from longtable.app import App
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.logs import logger
from longtable.settings.provides import provided


def start_warm_up(app: App) -> None:
    """In the background: neither readiness nor a request waits for it."""
    if app.gateway_file is not None and "gateway" in provided(app.settings, app.gateway_file):
        app.background.start("upstream_warm_up", lambda: _warm_up(app))


async def _warm_up(app: App) -> None:
    """With auth off there is one tenant, which has its own already; others get theirs with their first request."""
    for entry in app.gateway_file.missing_programs() if app.gateway_file is not None else ():
        logger.warning("upstream_command_missing", upstream=entry.name, command=entry.mask(entry.command))
    dependencies = app.slices.gateway.dependencies
    upstreams = dependencies.upstreams
    instances = upstreams.instances(DEFAULT_TENANT) if app.auth == "off" else upstreams.shared_instances()
    await dependencies.registry.warm_up(instances)
