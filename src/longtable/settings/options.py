"""The table of options. Each is declared here and nowhere else; flags, environment, file and docs follow from it."""

# ruff: noqa: RUF009  (`option` returns a dataclass field: it is called once, as it should be)

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from longtable.kernel.clock import DAY, HOUR, MINUTE, SECOND
from longtable.settings.declare import Option, Sources, option, option_with_factory, rows
from longtable.settings.gateway_options import GatewayOptions
from longtable.settings.kinds import (
    BackendUrl,
    Boolean,
    Choice,
    Duration,
    FilePath,
    Host,
    Number,
    Secret,
    StoreUrl,
    Subset,
    Text,
    TextList,
    TokenPairs,
    UrlPath,
)
from longtable.settings.limit_options import MANY as _MANY
from longtable.settings.limit_options import LimitOptions
from longtable.settings.notice_options import NoticeOptions
from longtable.settings.sign_in_options import SignInOptions
from longtable.settings.tokens import TokenEntry
from longtable.settings.tool_choice import ToolChoice

AuthMode = Literal["off", "tokens", "jwt"]
SessionMode = Literal["auto", "strict"]
Durability = Literal["full", "fast"]
Pooler = Literal["none", "transaction"]
LogLevel = Literal["debug", "info", "warning", "error"]
EvictionPolicy = Literal["discard", "fail", "preempt"]

TOOL_GROUPS = ("workspace", "messages", "notebooks", "gateway")


def _user_data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("longtable", appauthor=False)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class StoreOptions:
    """Store"""

    data_dir: Path = option_with_factory(
        FilePath(),
        _user_data_folder,
        "Folder of the embedded store and of everything else that is kept; created if missing.",
        default_text="the user data folder of the platform",
    )
    store: str = option(
        StoreUrl(), "sqlite", "Where data live: sqlite is one file in data_dir, or the address of a PostgreSQL server."
    )
    durability: Durability = option(
        Choice[Durability](get_args(Durability)),
        "full",
        "Embedded store: full survives a power cut; fast may lose the last moments in one, but nothing in a crash.",
    )
    store_readers: int = option(Number(1, 64), 4, "Embedded store: threads that read beside the one that writes.")
    postgres_pool: int = option(
        Number(1, 1000), 8, "PostgreSQL: connections that one process keeps at most, with the one that listens."
    )
    postgres_pooler: Pooler = option(
        Choice[Pooler](get_args(Pooler)),
        "none",
        "PostgreSQL: transaction, when the store is reached through a pooler in transaction mode, such as PgBouncer.",
    )
    postgres_direct: str | None = option(
        StoreUrl(),
        None,
        "PostgreSQL behind a pooler: the server's own address, for the connection that listens to other servers.",
    )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class TransportOptions:
    """Transports"""

    http_host: str = option(
        Host(), "127.0.0.1", "Address to listen on. Any but a loopback address needs auth to be switched on."
    )
    http_port: int = option(Number(0, 65_535), 8765, "Port to listen on; 0 takes any free one.")
    http_socket_path: Path | None = option(FilePath(), None, "Listen on this unix socket too, under the same paths.")
    http_path: str = option(UrlPath(), "/mcp", "Path of streamable HTTP; /http always answers as well.")
    sse_path: str = option(UrlPath(), "/sse", "Path of the legacy HTTP + SSE transport.")
    metrics_path: str = option(UrlPath(), "/metrics", "Path of the Prometheus metrics.")
    enable_stdio: bool = option(Boolean(), True, "Offer MCP over standard input and output.")
    enable_http: bool = option(Boolean(), True, "Offer MCP over streamable HTTP.")
    enable_sse: bool = option(Boolean(), True, "Offer MCP over the legacy HTTP + SSE transport.")
    enable_metrics: bool = option(Boolean(), False, "Offer Prometheus metrics.")
    otel_endpoint: str | None = option(
        BackendUrl(),
        None,
        "Where to send traces and metrics by OTLP over HTTP; needs the extra otel.",
        default_text="OTEL_EXPORTER_OTLP_ENDPOINT, else none are sent",
    )
    enable_console: bool = option(Boolean(), True, "Offer the web console.")
    elicitation: bool = option(
        Boolean(), True, "Show the questions that an agent waits for to the user of its client, where it can ask."
    )
    allowed_hosts: tuple[str, ...] = option(
        TextList(
            "host names, each with an optional port, such as table.example.org or table.example.org:443", r"[^\s/]+"
        ),
        (),
        "Values of the Host header that are accepted besides the address listened on.",
        default_text="none",
    )
    allowed_origins: tuple[str, ...] = option(
        TextList("origins, such as https://table.example.org", r"[a-z][a-z0-9+.-]*://[^\s/]+"),
        (),
        "Values of the Origin header that are accepted besides our own.",
        default_text="none",
    )
    max_request_bytes: int = option(Number(1024, _MANY), 8_388_608, "Largest body of an HTTP request, in bytes.")
    header_timeout: int = option(
        Duration("s", SECOND), 10 * SECOND, "How long the head of a request may take, and a connection to begin one."
    )
    body_timeout: int = option(
        Duration("s", SECOND),
        30 * SECOND,
        "How long a request may send nothing of its body. After so long a body must also come at 1 KiB a second.",
    )
    max_open_connections: int = option(
        Number(1, _MANY),
        4_000,
        "Connections that one process holds open; fewer where the system allows it fewer open files.",
    )
    max_buffered_bytes: int = option(
        Number(1024, _MANY),
        67_108_864,
        "Bytes of request bodies that one process holds at once. Callers without a credential get a quarter of it, "
        "one credential at most half.",
    )
    tool_groups: tuple[str, ...] = option(
        Subset(TOOL_GROUPS), TOOL_GROUPS, "Groups of tools that are listed to clients.", default_text="all four"
    )
    tools: tuple[str, ...] = option(
        ToolChoice(),
        ("full",),
        "Tools that are listed to clients: an agent pays for every word of the list. Others can still be called.",
        default_text="full",
    )
    server_name: str = option(Text(), "longtable", "Name that the server tells its clients.")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class AuthOptions:
    """Authentication"""

    auth: AuthMode | None = option(
        Choice[AuthMode](get_args(AuthMode)),
        None,
        "Who may call: off is for stdio, unix sockets and loopback addresses only.",
        default_text="off; tokens when auth_tokens or auth_token_file is set",
        effective="auth_mode",
    )
    auth_tokens: tuple[TokenEntry, ...] = option(
        TokenPairs(),
        (),
        "Tokens of orchestrators. Flags add to the environment, that to the file; the same principal or token is "
        "overridden. Flags show in the process list: prefer the others.",
        default_text="none",
        sources=Sources(flag="--auth-token"),
    )
    auth_token_file: Path | None = option(
        FilePath(), None, "JSON file, token to principal; lowest of all token sources, created if missing."
    )
    token: str | None = option(
        Secret(),
        None,
        "The credential of this stdio process, where the store has auth switched on.",
        sources=Sources(flag=None, in_file=False),
    )
    adopt_default_tenant: bool = option(
        Boolean(), True, "When auth is first switched on, move the data of the default tenant to the first one named."
    )
    scrape_token: str | None = option(Secret(), None, "Token with which metrics may be read, and nothing else.")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class SessionOptions:
    """Sessions"""

    session_mode: SessionMode | None = option(
        Choice[SessionMode](get_args(SessionMode)),
        None,
        "A caller without a session: strict refuses, auto gives one.",
        default_text="auto; strict when auth is on",
        effective="effective_session_mode",
    )
    auto_provision: bool = option(Boolean(), True, "In auto mode, create the session when there is none yet.")
    project: str | None = option(
        Text(),
        None,
        "Name of the project whose session all local clients share.",
        default_text="stdio: the git root or working folder; HTTP: default",
    )
    session_id: str | None = option(Text(), None, "Session that a stdio process is bound to; created when absent.")
    agent: str | None = option(
        Text(),
        None,
        "Name of the agent behind a stdio process.",
        default_text="the name the client declares, or a made-up one",
    )
    agent_type: str | None = option(Text(), None, "Type of the agent behind a stdio process.", default_text="generic")
    session_ttl: int = option(Duration("h", SECOND), 24 * HOUR, "How long a new session lives.")
    session_idle: int = option(
        Duration("h", SECOND), 30 * DAY, "How long an automatically provisioned session may lie unused."
    )
    connection_idle: int = option(
        Duration("h", SECOND), 7 * DAY, "How long a connection over streamable HTTP may lie unused."
    )
    share_lifetime_max: int = option(
        Duration("h", SECOND), 30 * DAY, "How long a link that people share may open a session at most."
    )
    archive_retention: int = option(Duration("h"), 30 * DAY, "How long an expired session can still be read by humans.")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class NotebookOptions:
    """Notebooks"""

    max_scratchpads: int = option(Number(0, _MANY), 1024, "Scratchpads of one tenant; 0 for any number.")
    max_cells_per_pad: int = option(Number(0, _MANY), 1024, "Cells of one scratchpad; 0 for any number.")
    max_cell_bytes: int = option(Number(0, _MANY), 1_048_576, "Size of one cell, in bytes; 0 for any size.")
    eviction_policy: EvictionPolicy = option(
        Choice[EvictionPolicy](get_args(EvictionPolicy)),
        "discard",
        "When max_scratchpads is reached: discard trashes the one unused for longest, fail refuses; preempt refuses, "
        "and trashes what lies unused.",
    )
    preempt_age: int = option(Duration("h", SECOND), 24 * HOUR, "Policy preempt: how long a scratchpad may lie unused.")
    preempt_interval: int = option(Duration("m", SECOND), 10 * MINUTE, "Policy preempt: how often to look.")
    backup_every: int = option(
        Duration("h"), 0, "How often to copy the embedded store into the folder backups beside it; 0 for never."
    )
    backup_keep: int = option(Number(1, 10_000), 7, "How many of these copies stay.")
    trash_retention: int = option(
        Duration("h"), 7 * DAY, "How long a deleted, reset or evicted scratchpad can be restored."
    )
    default_namespaces: tuple[str, ...] = option(
        TextList("namespaces of 1 to 128 characters", r".{1,128}", case_counts=True),
        (),
        "Namespaces that every tenant has from the start.",
        default_text="none",
    )
    validation_request_timeout: int = option(
        Duration("s", SECOND), 10 * SECOND, "How long the checks of one request may take, all its cells together."
    )
    validation_workers: int = option(Number(1, 64), 2, "Processes that check cells, shared out among the workers.")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class SearchOptions:
    """Search"""

    enable_semantic_search: bool = option(Boolean(), True, "Search by meaning, where its model is installed.")
    embedding_model: Path | None = option(
        FilePath(),
        None,
        "Folder with another model: model.onnx and tokenizer.json.",
        default_text="all-MiniLM-L6-v2, from its package",
    )
    embedding_idle: int = option(
        Duration("m", SECOND), 5 * MINUTE, "The model's process ends when nothing has needed it for this long."
    )
    embedding_max_backlog: int = option(Number(1, _MANY), 100_000, "Texts that may wait to be embedded.")
    reembed_interval: int = option(
        Duration("m", SECOND), 10 * MINUTE, "How often to look for texts that another model embedded."
    )
    semantic_search_limit: int = option(Number(1, 100), 100, "Most hits that one search may ask for.")


@dataclass(frozen=True, init=False, repr=False, eq=False)
class ProcessOptions:
    """Process"""

    workers: int = option(
        Number(1, 64), 1, "Processes that serve, under one supervisor that owns the port. Read once, at its start."
    )
    shutdown_timeout: int = option(
        Duration("s"), 5 * SECOND, "How long calls in flight may take after a signal to stop."
    )
    log_level: LogLevel = option(Choice[LogLevel](get_args(LogLevel)), "info", "Least serious lines that are logged.")
    config_file: Path | None = option(
        FilePath(),
        None,
        "JSON file with options. A missing one is created with the effective configuration, without secrets.",
        sources=Sources(in_file=False),
    )


@dataclass(frozen=True, eq=False)
class Settings(
    StoreOptions,
    TransportOptions,
    AuthOptions,
    SignInOptions,
    SessionOptions,
    LimitOptions,
    NotebookOptions,
    SearchOptions,
    GatewayOptions,
    NoticeOptions,
    ProcessOptions,
):
    """The configuration of one process, read once at start. Times are microseconds."""

    # Not made by the dataclass: with so many fields it would be the slowest thing to load.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # nothing keeps them as keys

    @property
    def auth_mode(self) -> AuthMode:
        if self.auth is not None:
            return self.auth
        return "tokens" if self.auth_tokens or self.auth_token_file else "off"

    @property
    def resource(self) -> str | None:
        """The MCP endpoint as clients know it."""
        return None if self.public_url is None else self.public_url + self.http_path

    @property
    def effective_jwt_audience(self) -> str | None:
        return self.jwt_audience or self.resource

    @property
    def effective_session_mode(self) -> SessionMode:
        if self.session_mode is not None:
            return self.session_mode
        return "auto" if self.auth_mode == "off" else "strict"


OPTIONS: tuple[Option, ...] = rows(Settings)
BY_NAME = {row.name: row for row in OPTIONS}
