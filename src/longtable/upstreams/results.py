"""Results of upstreams, limited in size."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from longtable.upstreams.framing import TRUNCATED
from longtable.upstreams.port import UpstreamResult


def limited_result(
    content: Sequence[Mapping[str, Any]],
    structured: Any,
    *,
    most: int,
    is_error: bool = False,
    meta: Mapping[str, Any] | None = None,
) -> UpstreamResult:
    """Blocks that fit are kept; a longer text is truncated, any other block replaced by its name. A structured result
    is kept whole or not at all."""
    meta = dict(meta or {})
    truncated = bool(meta.pop(TRUNCATED, False))
    left = most
    kept: list[Mapping[str, Any]] = []
    for block in content:
        size = len(json_bytes(block))
        if size > left:
            truncated = True
            block = truncated_block(block, left)  # noqa: PLW2901 - the shorter one takes its place
            size = left
        if block:
            kept.append(block)
        left -= size
    if structured is not None and not isinstance(structured, Mapping):
        structured = {"result": structured}
    if structured is not None and len(json_bytes(structured)) > left + _same_as_structured(kept, structured):
        structured, truncated = None, True
    if len(json_bytes(meta)) > 65_536:
        meta, truncated = {}, True
    return UpstreamResult(kept, structured, is_error=is_error, truncated=truncated, meta=meta)


def error_result(problem: str, most: int, **meta: Any) -> UpstreamResult:
    """An error that the upstream itself reported."""
    return limited_result([{"type": "text", "text": problem}], None, most=most, is_error=True, meta=meta)


def _same_as_structured(kept: Sequence[Mapping[str, Any]], structured: Mapping[str, Any]) -> int:
    """The size of a text block with the same content, which does not count twice."""
    if len(kept) != 1 or kept[0].get("type") != "text":
        return 0
    try:
        same = json.loads(kept[0]["text"]) == structured
    except ValueError:
        return 0
    return len(json_bytes(structured)) if same else 0


def truncated_block(block: Mapping[str, Any], size_left: int) -> Mapping[str, Any]:
    if block.get("type") == "text":
        text = str(block.get("text", "")).encode()[: max(size_left - 64, 0)].decode("utf-8", "ignore")
        return {**block, "text": text} if text else {}
    kind = str(block.get("mimeType") or block.get("type"))[:100]
    return {"type": "text", "text": f"[{kind} left out: too large]"}


def json_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
