"""What stands beside the arguments of a call: its idempotency key, which may also be an argument that stands in no
schema, and what the model of its caller has used."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from longtable.kernel.errors import InvalidArgument

KEY = "idempotency_key"
META_KEY = "longtable/idempotency_key"
"""Where a request over MCP carries it in `_meta`; over REST it is the header Idempotency-Key."""


def key_in_meta(meta: Mapping[str, Any] | None) -> Any:
    """The key in `_meta`, unchecked: it is checked with the arguments."""
    return meta.get(META_KEY) if meta else None


def with_key(arguments: Mapping[str, Any], key: Any) -> Mapping[str, Any]:
    """The arguments with the key that came beside them. Raises InvalidArgument for two that differ."""
    if key is None or key == "":
        return arguments
    given = arguments.get(KEY)
    if given is not None and given not in ("", key):
        raise InvalidArgument.at(KEY, "differs from the one in the header or in _meta")
    return {**arguments, KEY: key}


USAGE_KEY = "longtable/usage"
"""Where a request over MCP tells in `_meta` what the model of its caller has used."""
USAGE_NAMES = frozenset(
    {
        USAGE_KEY,
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.prompt_tokens",
        "gen_ai.usage.completion_tokens",
    }
)
"""Names in `_meta` that tell of it: ours, and those of OpenTelemetry."""


def usage_in_meta(meta: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """`_meta`, where it tells of usage."""
    return meta if meta and not USAGE_NAMES.isdisjoint(meta) else None


class CallMetadata(NamedTuple):
    """What a call of another server's tool has in `_meta`, or in headers: its key, and what it tells of usage."""

    key: Any = None
    usage: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, meta: Mapping[str, Any] | None) -> "CallMetadata":
        return cls(key_in_meta(meta), usage_in_meta(meta))
