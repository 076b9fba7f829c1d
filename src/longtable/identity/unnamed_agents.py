"""Names for agents that nobody has named: what a library calls itself by default says nothing about who is calling."""

from longtable.kernel.names import folded, name_problem, poses_as_person

UNKNOWN_AGENT = "unknown"
KEY_DIGITS = 4

DEFAULT_CLIENT_NAMES = frozenset(
    {
        # SDKs of the protocol, their examples and templates.
        "mcp",
        "mcp client",
        "mcp-client",
        "mcp_client",
        "mcp-client-cli",
        "mcp-python",
        "mcp-typescript",
        "mcp-sdk",
        "client",
        "example-client",
        "my-client",
        "java sdk mcp client",
        "spring-ai-mcp-client",
        "rmcp",
        # Frameworks, and APIs that connect to servers for the programs of many people.
        "agno",
        "ai-sdk-mcp-client",
        "anthropic",
        "autogen",
        "crewai",
        "google-adk",
        "haystack",
        "langchain",
        "langchain-mcp-adapter",
        "langchain-mcp-adapters",
        "langchain4j",
        "llama-index",
        "mcp-agent",
        "mcp-use",
        "openai-agents",
        "openai-mcp",
        "pydantic-ai",
        "semantic-kernel",
        "smolagents",
        "strands-agents-ts-sdk",
        "toolbox-adk",
        "toolbox-langchain",
        "toolbox-llamaindex",
        "toolbox-python-sdk",
    }
)
"""Folded. The Python SDK says `mcp`, and so do the frameworks that leave it at that."""

_PROXY_SUFFIX = " (via "
"""A proxy that adds itself to the name: `mcp (via mcp-remote 0.1.2)`."""


def own_name(client_name: str | None) -> str | None:
    """What a client calls itself, if that can serve as the name of an agent. Never an error: it is a description."""
    if client_name is None or name_problem(client_name) is not None or poses_as_person(client_name):
        return None
    return None if folded(_without_proxy(client_name)) in DEFAULT_CLIENT_NAMES else client_name


def made_up_name(client_name: str | None, key: str) -> str:
    """The name of an agent without one of its own: of its client, and the first digits of a random `key`."""
    plain = _without_proxy(client_name or "")
    stem = plain if folded(plain) in DEFAULT_CLIENT_NAMES else UNKNOWN_AGENT
    return f"{stem}-{key[:KEY_DIGITS]}"


def _without_proxy(client_name: str) -> str:
    return client_name.partition(_PROXY_SUFFIX)[0]
