"""The idempotency key of a call: an argument that stands in no schema, or beside the arguments."""

from collections.abc import Mapping
from typing import Any

from longtable.kernel.errors import InvalidArgument

KEY = "idempotency_key"
META_KEY = "longtable/idempotency_key"
"""Where a request over MCP carries it in `_meta`; over REST it is the header Idempotency-Key."""


def key_beside(meta: Mapping[str, Any] | None) -> Any:
    """Whatever stands there: it is checked with the arguments."""
    return meta.get(META_KEY) if meta else None


def with_key(arguments: Mapping[str, Any], beside: Any) -> Mapping[str, Any]:
    """The arguments with the key that came beside them. Raises InvalidArgument for two that differ."""
    if beside is None or beside == "":
        return arguments
    given = arguments.get(KEY)
    if given is not None and given not in ("", beside):
        raise InvalidArgument.at(KEY, "differs from the one in the header or in _meta")
    return {**arguments, KEY: beside}
