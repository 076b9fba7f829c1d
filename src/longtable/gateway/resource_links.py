"""Addresses of the resources of upstreams: `longtable://upstream/PACK/URI`, with the URI as the upstream has it. They
are unique, keep templates usable, and are no address of ours or of another upstream."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

PREFIX = "longtable://upstream/"


def resource_address(pack: str, uri: str) -> str:
    return f"{PREFIX}{address_segment(pack)}/{uri}"


def address_segment(pack: str) -> str:
    return quote(pack, safe="")


def with_addresses(pack: str, block: Mapping[str, Any]) -> dict[str, Any]:
    """A block of content with our address in place of the URI in a link or an embedded resource."""
    if block.get("type") == "resource_link" and isinstance(block.get("uri"), str):
        return {**block, "uri": resource_address(pack, block["uri"])}
    resource = block.get("resource")
    if block.get("type") == "resource" and isinstance(resource, Mapping) and isinstance(resource.get("uri"), str):
        return {**block, "resource": {**resource, "uri": resource_address(pack, resource["uri"])}}
    return dict(block)
