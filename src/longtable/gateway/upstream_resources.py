"""Resources and resource templates of upstreams, for a caller."""

from typing import Any

from longtable.gateway.resource_links import PREFIX, address_segment, resource_address
from longtable.gateway.resource_updates import ResourceUpdates
from longtable.gateway.upstream_requests import ListedItem, Readable, UpstreamRequests, not_there
from longtable.kernel.caller import Caller
from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.limited_contents import limited_contents
from longtable.upstreams.requests import UpstreamRequest


class UpstreamResources:
    def __init__(self, requests: UpstreamRequests) -> None:
        self._requests = requests

    async def listed(self, caller: Caller) -> list[dict[str, Any]]:
        return [_shown(each, "uri") for each in await self._requests.listed(caller, "resources/list", "uri")]

    async def templates(self, caller: Caller) -> list[dict[str, Any]]:
        found = await self._requests.listed(caller, "resources/templates/list", "uriTemplate")
        return [_shown(each, "uriTemplate") for each in found]

    async def read(self, caller: Caller, address: str, client: ClientChannel | None = None) -> dict[str, Any]:
        """Raises NotFound, RateLimited, or the error of the upstream."""
        resource = self.find(caller, address)
        request = UpstreamRequest("resources/read", {"uri": resource.remote}, client)
        result = await self._requests.answer(caller, resource, request)
        contents, truncated = limited_contents(
            result.get("contents", []), resource.upstream.entry.limits.max_response_bytes
        )
        shown = [{**each, "uri": resource_address(resource.pack, each["uri"])} for each in contents]
        return {"contents": shown, "_meta": {"upstream": resource.upstream.entry.name, "truncated": truncated}}

    def updates(self, caller: Caller, address: str) -> ResourceUpdates:
        """Raises NotFound."""
        return ResourceUpdates(self._requests, caller, self.find(caller, address), address)

    def find(self, caller: Caller, address: str) -> Readable:
        """What an address names, whether its upstream has it or not. Raises NotFound."""
        segment, _, uri = address.removeprefix(PREFIX).partition("/")
        for upstream in self._requests.upstreams(caller) if uri and address.startswith(PREFIX) else ():
            if address_segment(upstream.entry.pack) == segment:
                return Readable(upstream, "resources", uri)
        raise not_there("resources")


def _shown(listed: ListedItem, key: str) -> dict[str, Any]:
    meta = {**listed.item.get("_meta", {}), "upstream": listed.of.upstream.entry.name}
    return {**listed.item, key: resource_address(listed.of.pack, listed.of.remote), "_meta": meta}
