"""Contents of resources and messages of prompts, limited in size as results of tools are."""

from collections.abc import Mapping, Sequence
from typing import Any

from longtable.upstreams.results import json_bytes, truncated_block


def limited_contents(contents: Sequence[Mapping[str, Any]], most: int) -> tuple[list[dict[str, Any]], bool]:
    """The contents of a resource, and whether something was left out."""
    kept: list[dict[str, Any]] = []
    left, truncated = most, False
    for part in contents:
        size = len(json_bytes(part))
        if size > left:
            block = {"type": "text", "text": part["text"]} if "text" in part else {"type": "blob", **part}
            shorter = truncated_block(block, left)
            kept.append({"uri": part["uri"], "mimeType": "text/plain", "text": shorter.get("text", "")})
            truncated, size = True, left
        else:
            kept.append(dict(part))
        left -= size
    return kept, truncated


def limited_messages(messages: Sequence[Mapping[str, Any]], most: int) -> tuple[list[dict[str, Any]], bool]:
    """The messages of a prompt, and whether something was left out."""
    kept: list[dict[str, Any]] = []
    left, truncated = most, False
    for message in messages:
        content = message["content"]
        size = len(json_bytes(content))
        if size > left:
            content = truncated_block(content, left) or {"type": "text", "text": ""}
            truncated, size = True, left
        kept.append({**message, "content": content})
        left -= size
    return kept, truncated
