"""Prompts of upstreams, for a caller, and completion of their arguments and of those of resource templates."""

from collections.abc import Mapping
from typing import Any

from longtable.gateway.resource_links import with_addresses
from longtable.gateway.upstream_requests import ListedItem, Readable, UpstreamRequests, not_there
from longtable.gateway.upstream_resources import UpstreamResources
from longtable.governance.model import ToolIdentity
from longtable.governance.names import ToolNames
from longtable.kernel.caller import Caller
from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.limited_contents import limited_messages
from longtable.upstreams.requests import UpstreamRequest


class UpstreamPrompts:
    """A listed name is looked up, never parsed."""

    def __init__(self, requests: UpstreamRequests, resources: UpstreamResources, names: ToolNames) -> None:
        self._requests = requests
        self._resources = resources
        self._names = names

    async def listed(self, caller: Caller) -> list[dict[str, Any]]:
        by_name = await self._by_name(caller)
        return [
            {
                **each.item,
                "name": name,
                "_meta": {**each.item.get("_meta", {}), "upstream": each.of.upstream.entry.name},
            }
            for name, each in sorted(by_name.items())
        ]

    async def get(
        self, caller: Caller, name: str, arguments: Mapping[str, str], client: ClientChannel | None = None
    ) -> dict[str, Any]:
        """Raises NotFound, RateLimited, or the error of the upstream."""
        prompt = await self._find(caller, name)
        params = {"name": prompt.remote, "arguments": dict(arguments)}
        result = await self._requests.answer(caller, prompt, UpstreamRequest("prompts/get", params, client))
        most = prompt.upstream.entry.limits.max_response_bytes
        messages, truncated = limited_messages(result.get("messages", []), most)
        shown = [{**each, "content": with_addresses(prompt.pack, each["content"])} for each in messages]
        meta = {"upstream": prompt.upstream.entry.name, "truncated": truncated}
        return {"description": str(result.get("description", ""))[:most], "messages": shown, "_meta": meta}

    async def complete(self, caller: Caller, params: Mapping[str, Any]) -> dict[str, Any]:
        """`params` as the protocol has them, with our names and addresses."""
        reference = params["ref"]
        if reference["type"] == "ref/prompt":
            of = await self._find(caller, reference["name"])
            ref = {**reference, "name": of.remote}
        else:
            of = self._resources.find(caller, reference["uri"])
            ref = {**reference, "uri": of.remote}
        result = await self._requests.answer(caller, of, UpstreamRequest("completion/complete", {**params, "ref": ref}))
        completion: dict[str, Any] = result.get("completion", {"values": []})
        return completion

    async def _find(self, caller: Caller, name: str) -> Readable:
        listed = (await self._by_name(caller)).get(name)
        if listed is None:
            raise not_there("prompts")
        return listed.of

    async def _by_name(self, caller: Caller) -> dict[str, ListedItem]:
        found: dict[str, ListedItem] = {}
        for each in await self._requests.listed(caller, "prompts/list", "name"):
            found.setdefault(self._names.prompt_name(ToolIdentity(each.of.pack, each.of.remote)), each)
        return found
