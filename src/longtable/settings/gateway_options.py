"""The options of the gateway and of a Mindscape backend."""

# ruff: noqa: RUF009  (`option` returns a dataclass field: it is called once, as it should be)

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from longtable.kernel.clock import DAY, SECOND
from longtable.settings.declare import Sources, option
from longtable.settings.kinds import (
    BackendUrl,
    Boolean,
    Choice,
    Duration,
    EncryptionKey,
    FilePath,
    MatchingText,
    NameList,
    Number,
    Secret,
    Text,
)

GatewayListing = Literal["auto", "full", "search"]
UpstreamCommands = Literal["owner", "operator"]
GatewayMode = Literal["single_workspace", "multi_workspace"]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class GatewayOptions:
    """Gateway"""

    gateway_config: Path | None = option(
        FilePath(), None, "JSON or YAML file with the servers whose tools are offered, and the rules for them."
    )
    upstream_commands: UpstreamCommands = option(
        Choice[UpstreamCommands](get_args(UpstreamCommands)),
        "owner",
        "Who may add upstreams that use this machine (programs, local addresses, the environment): owners, or only the "
        "operator with 'longtable upstreams'.",
    )
    gateway_prefix: str = option(
        MatchingText("a letter from a to z, then up to 15 letters or digits", r"[a-z][a-z0-9]{0,15}"),
        "mindscape",
        "First word in the names of those tools.",
    )
    gateway_listing: GatewayListing = option(
        Choice[GatewayListing](get_args(GatewayListing)),
        "auto",
        "How they are offered: full lists them all, search lists the way to look for one, auto lists up to 40.",
    )
    max_waiting_decisions: int = option(
        Number(1, 1_000), 20, "Calls of one agent that may wait for a person at a time."
    )
    denial_pause: int = option(
        Duration("s"), 60 * SECOND, "How long a call that a person has refused is refused again without asking anybody."
    )
    gateway_calls_kept: int = option(
        Duration("d"),
        7 * DAY,
        "How long people can read what was in a call and what it answered, without what looks like a secret; 0 keeps "
        "nothing of it.",
    )
    gateway_name_length: int = option(Number(40, 64), 64, "Longest name of such a tool.")
    upstream_token_key: str | None = option(
        EncryptionKey(),
        None,
        "Key with which tokens of upstreams and addresses of notifiers are encrypted in the store. All servers of one "
        "store need the same.",
        default_text="a file in data_dir, made when it is first needed",
        sources=Sources(flag=None),
    )
    mindscape_base_url: str | None = option(
        BackendUrl(),
        None,
        "Address of a Mindscape backend, whose tools and playbooks are then offered as well.",
        sources=Sources(environment="MINDSCAPE_BASE_URL"),
    )
    mindscape_api_key: str | None = option(
        Secret(),
        None,
        "Key that the backend is shown as a bearer token.",
        sources=Sources(environment="MINDSCAPE_API_KEY"),
    )
    mindscape_workspace_id: str | None = option(
        Text(),
        None,
        "Workspace of every call that names none.",
        sources=Sources(environment="MINDSCAPE_WORKSPACE_ID"),
    )
    mindscape_profile_id: str = option(
        Text(), "default-user", "Who we are at the backend.", sources=Sources(environment="MINDSCAPE_PROFILE_ID")
    )
    mindscape_timeout: int = option(
        Number(1, 600_000),
        30_000,
        "How long the backend may take for one request, in milliseconds.",
        sources=Sources(environment="MINDSCAPE_TIMEOUT"),
    )
    mindscape_gateway_mode: GatewayMode = option(
        Choice[GatewayMode](get_args(GatewayMode)),
        "single_workspace",
        "One workspace for all, or one for each user.",
        sources=Sources(environment="MINDSCAPE_GATEWAY_MODE"),
    )
    mindscape_auto_provision: bool = option(
        Boolean(),
        True,
        "Create a workspace where there is none.",
        sources=Sources(environment="MINDSCAPE_AUTO_PROVISION"),
    )
    mindscape_default_workspace_title: str = option(
        Text(),
        "MCP Gateway Workspace",
        "Title of the one workspace.",
        sources=Sources(environment="MINDSCAPE_DEFAULT_WORKSPACE_TITLE"),
    )
    mindscape_task_hint: str | None = option(
        Text(),
        None,
        "What the tools are wanted for; the backend chooses them by it.",
        sources=Sources(environment="MINDSCAPE_TASK_HINT"),
    )
    mindscape_max_tools: int = option(
        Number(1, 100),
        30,
        "Most tools to ask the backend for.",
        sources=Sources(environment="MINDSCAPE_MAX_TOOLS"),
    )
    mindscape_recommended_packs: tuple[str, ...] = option(
        NameList(),
        (),
        "Packs whose tools the backend should prefer.",
        default_text="none",
        sources=Sources(environment="MINDSCAPE_RECOMMENDED_PACKS"),
    )
