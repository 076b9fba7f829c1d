"""What people see and change of the upstreams, over REST and at the terminal."""

from functools import partial
from typing import Any

from longtable.gateway.added_upstreams import AddedUpstreams
from longtable.gateway.arguments import (
    AddUpstream,
    ChangeUpstream,
    ListUpstreams,
    RemoveUpstream,
    ShowUpstream,
    SwitchUpstream,
)
from longtable.gateway.decisions import ONLOOKERS
from longtable.gateway.instance_views import instance_fields
from longtable.gateway.pins import Pins
from longtable.gateway.results import RuleList, UpstreamList, UpstreamRemoved, UpstreamShown
from longtable.gateway.service import Gateway
from longtable.gateway.upstream_list import UpstreamToolLists, UpstreamViews
from longtable.kernel.call import Call
from longtable.kernel.caller import Role, Surface
from longtable.kernel.errors import NotFound
from longtable.toolkit.tool import Route, Scope, tool
from longtable.upstreams.directory import UpstreamInstance

_view = partial(tool, group="gateway", scope=Scope.TENANT, over_mcp=False, roles=ONLOOKERS)
_change = partial(tool, group="gateway", scope=Scope.TENANT, over_mcp=False, writes=True, roles=frozenset({Role.OWNER}))
_ONE = "/upstreams/{name}"


class UpstreamAdministration:
    def __init__(self, gateway: Gateway, pins: Pins, added: AddedUpstreams, views: UpstreamViews) -> None:
        self._gateway = gateway
        self._registry = gateway.dependencies.registry
        self._policies = gateway.dependencies.policies
        self._pins = pins
        self._added = added
        self._views = views

    @_view(
        "list_upstreams",
        title="List upstreams",
        description="List the sources of tools, how they are, and what they offer.",
        audited_as="upstreams_listed",
        routes=(Route("GET", "/upstreams"),),
    )
    async def list_all(self, call: Call, arguments: ListUpstreams) -> UpstreamList:
        await self._added.follow(call.caller.tenant)
        if arguments.refresh:
            await self._refresh(call)
        return await self._listed(call)

    @_view(
        "show_upstream",
        title="Show an upstream",
        description="Show one source of tools: how it is, and what it offers.",
        audited_as="upstream_shown",
        routes=(Route("GET", _ONE),),
    )
    async def show(self, call: Call, arguments: ShowUpstream) -> UpstreamShown:
        await self._added.follow(call.caller.tenant)
        await self._refresh(call)
        return await self._shown(call, arguments.name)

    @_change(
        "add_upstream",
        title="Add an upstream",
        description="Add a source of tools for your tenant. Its tools wait until a person accepts them.",
        audited_as="upstream_added",
        routes=(Route("POST", "/upstreams", 201),),
    )
    async def add(self, call: Call, arguments: AddUpstream) -> UpstreamShown:
        await self._added.add(call, arguments.name, arguments.entry, arguments.enabled)
        return await self._changed(call, arguments.name, accepts=arguments.accept)

    @_change(
        "change_upstream",
        title="Change an upstream",
        description="Replace the entry of an upstream that was added, enable or disable any for your tenant, or accept "
        "the tools that it has now.",
        audited_as="upstream_changed",
        routes=(Route("PATCH", _ONE),),
    )
    async def change(self, call: Call, arguments: ChangeUpstream) -> UpstreamShown:
        name, entry, enabled = arguments.name, arguments.entry, arguments.enabled
        if self._added.is_fixed(name) and entry is None:
            if enabled is not None:
                await self._policies.switch(call, name, enabled)
        elif entry is not None or enabled is not None:
            await self._added.change(call, name, entry, enabled)
        return await self._changed(call, name, accepts=arguments.accept)

    @_change(
        "remove_upstream",
        title="Remove an upstream",
        description="Remove an upstream that was added, with what was accepted of its tools.",
        audited_as="upstream_removed",
        destructive=True,
        frees=True,
        routes=(Route("DELETE", _ONE),),
    )
    async def remove(self, call: Call, arguments: RemoveUpstream) -> UpstreamRemoved:
        authorizations, tenant = self._gateway.authorizations, call.caller.tenant
        grant = await authorizations.stored_grant(tenant, arguments.name)
        removed = await self._added.remove(call, arguments.name)
        self._registry.forget(tenant)
        if grant is not None:
            await authorizations.revoke(arguments.name, grant)
        return removed

    @_change(
        "switch_upstream",
        title="Switch an upstream",
        description="Take all tools of an upstream away, or bring them back.",
        audited_as="upstream_switched",
        repeatable=True,
        routes=(Route("POST", "/upstreams/{upstream}/switch"),),
    )
    async def switch(self, call: Call, arguments: SwitchUpstream) -> RuleList:
        await self._added.follow(call.caller.tenant)
        if self._added.is_fixed(arguments.upstream):
            changed = await self._policies.switch(call, arguments.upstream, arguments.on)
        else:
            await self._added.change(call, arguments.upstream, None, arguments.on)
            changed = await self._policies.list(call)
        self._registry.forget(call.caller.tenant)
        return changed

    async def _changed(self, call: Call, name: str, *, accepts: bool) -> UpstreamShown:
        """What there is after a change; with `accepts`, its tools are listed and accepted first."""
        self._registry.forget(call.caller.tenant)
        accepted: list[str] | None = None
        if accepts:
            accepted = await self._accept(call, name)
        elif call.caller.surface is not Surface.CLI:
            # A command ends with its answer: no program is started for that.
            await self._refresh(call)
        shown = await self._shown(call, name)
        return shown.model_copy(update={"accepted": accepted})

    async def _accept(self, call: Call, name: str) -> list[str]:
        caller = call.caller
        policy = await self._policies.for_everybody(caller.tenant)
        is_listed = await self._registry.refresh(caller, policy, name)
        accepted = await self._pins.accept_all(call, name)
        self._registry.forget(caller.tenant)
        if is_listed:
            # The answer shows what can be used now.
            await self._registry.refresh(caller, policy, name)
        return accepted

    async def _refresh(self, call: Call) -> None:
        policy = await self._policies.for_everybody(call.caller.tenant)
        await self._registry.offered(call.caller, policy)

    async def _shown(self, call: Call, name: str) -> UpstreamShown:
        listed = await self._listed(call)
        for upstream in listed.upstreams:
            if upstream.name == name:
                return UpstreamShown(upstream=upstream)
        raise NotFound("There is no such upstream.")

    async def _listed(self, call: Call) -> UpstreamList:
        caller, registry = call.caller, self._registry
        policy = await self._policies.for_everybody(caller.tenant)
        directory = self._views.directory

        def instance_view(instance: UpstreamInstance) -> dict[str, Any]:
            return instance_fields(directory, caller, instance, registry.known(caller, instance.name))

        tools = UpstreamToolLists(
            partial(registry.known, caller),
            partial(registry.withheld, caller),
            instance_view,
            policy.caller_rules,
            await self._pins.flagged(call),
            await self._gateway.authorizations.views(caller, directory.names(caller.tenant)),
        )
        return self._views.show(caller.tenant, tools, (await self._policies.list(call)).switched_off)
